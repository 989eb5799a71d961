//! fio as a process.

use super::output::{self, Output};
use super::series::{self, PerSecond};
use super::{COPY, Prepared};
use crate::fault::{Fault, doing};
use crate::machine;
use crate::programs::{Fio, mortal};
use rustix::process::{Pid, Signal, kill_process_group};
use std::fs::{self, File};
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
}

/// What a fio that ran to its end has measured.
#[derive(Debug)]
pub struct Finished {
    /// Its JSON.
    pub output: Output,
    /// Operations in each virtual second.
    pub series: PerSecond,
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
    said.lines()
        .map(str::trim)
        .find(|line| line.starts_with("fio: ") || line.contains("Bad option"))
}

impl Prepared {
    /// Starts fio to lay out the files, at real speed.
    ///
    /// # Errors
    /// That it cannot be started.
    pub fn lay_out(&self, fio: &Fio) -> Result<Client, Fault> {
        Client::start(fio, &self.raw, "layout.fio", "layout.json", 1.0)
    }

    /// Starts fio to measure, on a clock `time` times slower.
    ///
    /// # Errors
    /// That it cannot be started, or that the clock cannot be slowed.
    pub fn measure(&self, fio: &Fio, time: f64) -> Result<Client, Fault> {
        Client::start(fio, &self.raw, COPY, "fio.json", time)
    }
}

impl Client {
    fn start(
        fio: &Fio,
        raw: &Path,
        job: &str,
        output: &'static str,
        time: f64,
    ) -> Result<Client, Fault> {
        let said = raw.join(format!("{output}.stderr"));
        let file = File::create(&said).map_err(doing(format!("create {}", said.display())))?;
        let mut command = mortal(&fio.program);
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
        line.push_str(&format!(
            "{} --output-format=json+ --output={output} {job}\n# {}, in {}\n",
            fio.program.display(),
            fio.version,
            raw.display()
        ));
        let kept = raw.join(format!("{output}.command"));
        fs::write(&kept, line).map_err(doing(format!("write {}", kept.display())))?;
        let child = command.spawn().map_err(doing("start fio"))?;
        Ok(Client {
            child,
            ended: None,
            output,
            started: Instant::now(),
            cpu_s: 0.0,
        })
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
    pub fn finish(mut self, raw: &Path) -> Result<Finished, Fault> {
        let path = raw.join(self.output);
        let text = fs::read(&path).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let said = fs::read(raw.join(format!("{}.stderr", self.output))).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let why = complaint(output::preface(&text)).or_else(|| complaint(&said));
        let status = self.ended.take();
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
        series::settle(
            &mut per_second,
            output.runtime_s(),
            output.read().ops,
            output.write().ops,
        );
        Ok(Finished {
            output,
            series: per_second,
        })
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.kill();
    }
}
