//! fio as a process.

use super::output::{self, Output};
use super::rewrite::{Target, rewrite};
use super::series::{self, PerSecond};
use super::start::{self, InOrder};
use super::{COPY, LEAD, PRE_READ, Prepared, WARM, write};
use crate::fault::{Fault, doing};
use crate::machine;
use crate::programs::{Fio, mortal};
use lab::fio::Mistake;
use lab::fio::parse::{self, Job, JobFile, Kind};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A fio that is at work.
#[derive(Debug)]
pub struct Client {
    child: Child,
    ended: Option<ExitStatus>,
    output: &'static str,
    started: Instant,
    cpu_s: f64,
    /// Its release may wait for threads that are there, and nothing was done about it.
    forgetful: bool,
}

/// What a fio that ran to its end has measured.
#[derive(Debug)]
pub struct Finished {
    /// Its JSON.
    pub output: Output,
    /// Operations in each virtual second.
    pub series: PerSecond,
    /// Operations that the logs of the series held.
    pub logged: f64,
}

/// Asks fio itself whether a job file can be run.
pub(super) fn check(fio: &Fio, raw: &Path, file: &str) -> Result<(), Fault> {
    let output = Command::new(&fio.program)
        .args(["--parse-only", file])
        .current_dir(raw)
        .stdin(Stdio::null())
        .output()
        .map_err(doing("start fio"))?;
    // fio 3.33 exits with 0 for some of what it complains about.
    let said = String::from_utf8_lossy(&output.stderr);
    match complaint(&said) {
        None if output.status.success() => Ok(()),
        None => Err(Fault::failed(format!(
            "fio refuses the job: {}",
            output.status
        ))),
        Some(line) => Err(Fault::failed(format!("fio refuses the job: {line}"))),
    }
}

/// The first line in which fio says what is wrong.
fn complaint(said: &str) -> Option<&str> {
    complaints(said).next()
}

fn complaints(said: &str) -> impl Iterator<Item = &str> {
    said.lines()
        .map(str::trim)
        .filter(|line| line.starts_with("fio: ") || line.contains("Bad option"))
        // A warning, that `blockalign` turns the map of blocks off.
        .filter(|line| !line.starts_with("fio: Any use of "))
}

/// What fio itself finds wrong with a job file that can be read, such as values that an option does
/// not take. Each job is asked about alone, since fio says nothing of those after one it drops.
pub fn refusals(program: &Path, text: &str) -> Vec<Mistake> {
    let here = std::env::temp_dir();
    let target = Target {
        dir: &here,
        size: 1.0,
        working_set: Some(1 << 30),
        runtime_s: None,
        ramp_s: 0.0,
        ramp_most_s: None,
        seed: 0,
        rate: None,
    };
    let Ok(file) = parse::parse(text) else {
        return Vec::new();
    };
    let Ok(copy) = rewrite(&file, &target) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for job in &file.jobs {
        let said = match parse_only(program, &copy.text, &job.name) {
            Ok(said) => said,
            // What cannot be asked refuses nothing; a trial would say why.
            Err(_) => return found,
        };
        for line in complaints(&said).filter(|line| !line.ends_with(" dropped")) {
            found.push(refusal(&file, job, line));
        }
    }
    found.sort();
    found.dedup();
    found
}

/// A complaint of fio as a mistake of the line that it quotes, else of the job.
fn refusal(file: &JobFile, job: &Job, said: &str) -> Mistake {
    let quoted = said
        .strip_prefix("fio: failed parsing ")
        .or_else(|| said.strip_prefix("Bad option <")?.strip_suffix('>'))
        .unwrap_or(said);
    let line = file.lines.iter().position(|(line, kind)| {
        matches!(kind, Kind::Option(_)) && parse::content(line) == quoted.trim()
    });
    Mistake::new(
        line.map_or(job.line, |index| index + 1),
        match line {
            Some(_) => format!("fio refuses `{}`", quoted.trim()),
            None => format!("fio refuses this job: {said}"),
        },
        "`fio --cmdhelp=OPTION` prints the values that an option takes",
    )
}

/// What fio says to one section of a job file.
fn parse_only(program: &Path, text: &str, section: &str) -> std::io::Result<String> {
    let mut child = Command::new(program)
        .arg("--parse-only")
        .arg(format!("--section={section}"))
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    // A fio that reads no further has said enough.
    if let Some(mut input) = child.stdin.take() {
        let _ = input.write_all(text.as_bytes());
    }
    let output = child.wait_with_output()?;
    Ok(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

impl Prepared {
    /// Starts fio to lay out the files, at real speed.
    ///
    /// # Errors
    /// That it cannot be started.
    pub fn lay_out(&self, fio: &Fio) -> Result<Client, Fault> {
        Client::start(fio, &self.raw, "layout.fio", "layout.json", 1.0, None)
    }

    /// Starts fio to warm caches up for at most `limit_s` virtual seconds, on a clock `time` times
    /// slower.
    ///
    /// # Errors
    /// That it cannot be started, or that the clock cannot be slowed.
    pub fn warm_up(&self, fio: &Fio, time: f64, limit_s: f64) -> Result<Client, Fault> {
        write(&self.raw, WARM, &self.job.warm_up(limit_s))?;
        Client::start(fio, &self.raw, WARM, "warm.json", time, self.threads())
    }

    /// Starts fio for the ramp that is a run of its own, [`lead_s`](super::rewrite::Rewritten::lead_s) long,
    /// on a clock `time` times slower.
    ///
    /// # Errors
    /// That it cannot be started, or that the clock cannot be slowed.
    pub fn lead(&self, fio: &Fio, time: f64) -> Result<Client, Fault> {
        write(&self.raw, LEAD, &self.job.lead())?;
        Client::start(fio, &self.raw, LEAD, "lead.json", time, self.threads())
    }

    /// Starts fio to read files once, at real speed, where a job asks for it.
    ///
    /// # Errors
    /// That it cannot be started.
    pub fn pre_read(&self, fio: &Fio) -> Result<Option<Client>, Fault> {
        let Some(text) = self.job.pre_read() else {
            return Ok(None);
        };
        write(&self.raw, PRE_READ, &text)?;
        Client::start(fio, &self.raw, PRE_READ, "pre-read.json", 1.0, None).map(Some)
    }

    /// Starts fio to measure, on a clock `time` times slower.
    ///
    /// # Errors
    /// That it cannot be started, or that the clock cannot be slowed.
    pub fn measure(&self, fio: &Fio, time: f64) -> Result<Client, Fault> {
        Client::start(fio, &self.raw, COPY, "fio.json", time, self.threads())
    }

    /// Threads that fio has when all of an open loop are there: its own and one that helps it, one for
    /// each job and one for each operation under way. None in a closed loop.
    fn threads(&self) -> Option<usize> {
        let job = &self.job;
        job.offered_rate
            .map(|_| 2 + job.jobs as usize + job.concurrency as usize)
    }
}

impl Client {
    fn start(
        fio: &Fio,
        raw: &Path,
        job: &str,
        output: &'static str,
        time: f64,
        threads: Option<usize>,
    ) -> Result<Client, Fault> {
        let said = raw.join(format!("{output}.stderr"));
        let file = File::create(&said).map_err(doing(format!("create {}", said.display())))?;
        let threads = threads.filter(|_| start::forgets(&fio.version));
        let in_order = threads.and_then(|_| InOrder::find());
        let mut command = match &in_order {
            Some(in_order) => in_order.command(&fio.program),
            None => mortal(&fio.program),
        };
        command
            .arg("--output-format=json+")
            .arg(format!("--output={output}"))
            .arg(job)
            .current_dir(raw)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(file)
            .process_group(0);
        let mut line = String::new();
        if time != 1.0 {
            let rate = format!("+0 x{}", 1.0 / time);
            line = format!(
                "LD_PRELOAD={} FAKETIME='{rate}' ",
                fio.slowed_by()?.display()
            );
            command
                .env("LD_PRELOAD", fio.slowed_by()?)
                .env("FAKETIME", rate);
        }
        if let Some(in_order) = &in_order {
            line.push_str(&format!("{in_order} "));
        }
        line.push_str(&format!(
            "{} --output-format=json+ --output={output} {job}\n# {}, in {}\n",
            fio.program.display(),
            fio.version,
            raw.display()
        ));
        let kept = raw.join(format!("{output}.command"));
        fs::write(&kept, line).map_err(doing(format!("write {}", kept.display())))?;
        let child = command.spawn().map_err(doing("start fio"))?;
        let mut client = Client {
            child,
            ended: None,
            output,
            started: Instant::now(),
            cpu_s: 0.0,
            forgetful: threads.is_some(),
        };
        if let (Some(in_order), Some(threads)) = (&in_order, threads) {
            client.forgetful = !in_order.release(&mut client.child, threads, time)?;
        }
        Ok(client)
    }

    /// Whether it has ended.
    pub fn ended(&mut self) -> bool {
        if self.ended.is_none() {
            if let Some(used) = machine::process_cpu_s(self.child.id()) {
                self.cpu_s = used;
            }
            self.ended = self.child.try_wait().ok().flatten();
        }
        self.ended.is_some()
    }

    /// Real time since it was started.
    pub fn age(&self) -> Duration {
        self.started.elapsed()
    }

    /// Processor seconds it has used, as last seen while it ran.
    pub fn cpu_s(&self) -> f64 {
        self.cpu_s
    }

    /// What may be why it does not end.
    pub fn hint(&self) -> Option<&'static str> {
        self.forgetful.then_some(
            "before 3.42 fio may wait for good for threads of an open loop; poolwright starts it so that it does not where it may use SCHED_FIFO, as root may, and has util-linux's chrt and taskset",
        )
    }

    /// Asks it to end early and in order, with its results so far.
    pub fn end(&self) {
        if self.ended.is_none()
            && let Some(pid) = Pid::from_raw(self.child.id() as i32)
        {
            // What has just ended needs no signal.
            let _ = kill_process(pid, Signal::INT);
        }
    }

    /// Ends it at once.
    pub fn kill(&mut self) {
        if self.ended.is_some() {
            return;
        }
        if let Some(pid) = Pid::from_raw(self.child.id() as i32) {
            let _ = kill_process_group(pid, Signal::KILL);
        }
        let _ = self.child.kill();
        // A client that waits for a file system that no longer answers cannot be waited for.
        let until = Instant::now() + Duration::from_secs(10);
        while Instant::now() < until && !self.ended() {
            std::thread::sleep(Duration::from_millis(10));
        }
        // libfaketime takes these away when its program ends in peace.
        for name in ["sem.faketime_sem_", "faketime_shm_"] {
            let _ = fs::remove_file(format!("/dev/shm/{name}{}", self.child.id()));
        }
    }

    /// What it has measured.
    ///
    /// # Errors
    /// That fio failed, with the reason it gave, or that its output cannot be read.
    pub fn finish(self, raw: &Path) -> Result<Finished, Fault> {
        let path = raw.join(self.output);
        let text = fs::read(&path).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let said = fs::read(raw.join(format!("{}.stderr", self.output))).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let why = complaint(output::preface(&text)).or_else(|| complaint(&said));
        let status = self.ended;
        if let Some(signal) = status.and_then(|s| s.signal()) {
            return Err(Fault::failed(format!("fio was ended by signal {signal}")));
        }
        let output = match output::parse(&text) {
            Ok(output) => output,
            Err(e) => {
                return Err(Fault::failed(match why {
                    Some(line) => line.to_owned(),
                    None => format!("{e} ({})", path.display()),
                }));
            }
        };
        if let Some((job, errno)) = output.error() {
            return Err(Fault::failed(match why {
                Some(line) => line.to_owned(),
                None => format!(
                    "fio: job {job}: {}",
                    std::io::Error::from_raw_os_error(errno as i32)
                ),
            }));
        }
        if !status.is_some_and(|s| s.success()) {
            return Err(Fault::failed(match (why, status) {
                (Some(line), _) => line.to_owned(),
                (None, Some(status)) => format!("fio: {status}"),
                (None, None) => "fio did not end".to_owned(),
            }));
        }
        let mut per_second = PerSecond::new();
        for entry in fs::read_dir(raw).map_err(doing(format!("read {}", raw.display())))? {
            let entry = entry.map_err(doing(format!("read {}", raw.display())))?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with("series_iops.") && name.ends_with(".log") {
                let log = fs::read_to_string(entry.path())
                    .map_err(doing(format!("read {}", entry.path().display())))?;
                series::add(&mut per_second, &log);
            }
        }
        let logged = series::settle(
            &mut per_second,
            output.runtime_s(),
            output.read().ops,
            output.write().ops,
        );
        Ok(Finished {
            output,
            series: per_second,
            logged,
        })
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.kill();
    }
}
