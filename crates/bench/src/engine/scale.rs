//! The scale model: a `poolfs` process and the channel to it.

use super::{Engine, Happening, Session, log};
use crate::fault::{Fault, doing};
use crate::machine;
use crate::programs;
use crate::stop::Stop;
use command_fds::{CommandFdExt, FdMapping};
use lab::campaign::OpenZfs;
use poolfs::protocol::{Answer, Build, Event, Hello, Message, Numbered, PROTOCOL, Pace, Request};
use std::collections::{BTreeMap, VecDeque};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Real time that a program is usually waited for beyond what it was given to do, before it is taken
/// for hung.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// How often a wait looks whether the user wants to stop.
const LOOK: Duration = Duration::from_millis(100);

/// Starts `poolfs-<release>` processes.
#[derive(Debug, Clone)]
pub struct Scale {
    /// Where engines are looked for, in order.
    pub engines: Vec<PathBuf>,
    /// The user's wish to stop, which ends every wait for an engine.
    pub stop: Stop,
    /// Real time that a request has which does not wait for emulated drives.
    pub patience: Duration,
}

impl Scale {
    /// The engine's program for a release.
    ///
    /// # Errors
    /// [`Fault::Environment`] when none of the directories has it.
    pub fn program(&self, openzfs: OpenZfs) -> Result<PathBuf, Fault> {
        programs::engine(&self.engines, openzfs)
    }
}

impl Engine for Scale {
    fn session(&self, openzfs: OpenZfs, raw: &Path) -> Result<Box<dyn Session>, Fault> {
        let program = self.program(openzfs)?;
        let process = Process::start(&program, raw, self.stop.clone(), self.patience)?;
        Ok(Box::new(process))
    }
}

/// A running poolfs.
struct Process {
    name: String,
    child: Child,
    ended: Option<ExitStatus>,
    to: UnixStream,
    from: Receiver<Message>,
    log: PathBuf,
    hello: Hello,
    happenings: VecDeque<Happening>,
    next: u64,
    /// Dilation: requests that wait for emulated drives may take this many times longer.
    time: f64,
    mounts: Vec<PathBuf>,
    stop: Stop,
    short: Duration,
}

impl Process {
    fn start(program: &Path, raw: &Path, stop: Stop, short: Duration) -> Result<Process, Fault> {
        let name = program
            .file_name()
            .map_or_else(|| "poolfs".into(), |n| n.to_string_lossy().into_owned());
        let (to, theirs) = UnixStream::pair().map_err(doing("make a control channel"))?;
        let log = raw.join("poolfs.log");
        let output = File::create(&log).map_err(doing(format!("create {}", log.display())))?;
        let errors = output
            .try_clone()
            .map_err(doing(format!("open {}", log.display())))?;
        let mut command = programs::mortal(program);
        command
            .arg("--control-fd")
            .arg("3")
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors)
            // The terminal's Ctrl-C is for the run, which then ends it in order.
            .process_group(0);
        command
            .fd_mappings(vec![FdMapping {
                parent_fd: OwnedFd::from(theirs),
                child_fd: 3,
            }])
            .map_err(doing("hand over the control channel"))?;
        let child = command
            .spawn()
            .map_err(doing(format!("start {}", program.display())))?;
        // The command holds our copy of poolfs' end; end of file is only seen once it is closed.
        drop(command);
        let reading = to.try_clone().map_err(doing("read the control channel"))?;
        let (sender, from) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(reading).lines().map_while(Result::ok) {
                // What is not a message ends the conversation, as end of file does.
                let Ok(message) = serde_json::from_str(&line) else {
                    return;
                };
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let mut process = Process {
            name,
            child,
            ended: None,
            to,
            from,
            log,
            hello: Hello {
                protocol: 0,
                openzfs: String::new(),
                debug: false,
                kernel: Vec::new(),
            },
            happenings: VecDeque::new(),
            next: 1,
            time: 1.0,
            mounts: Vec::new(),
            stop,
            short,
        };
        match process.receive(Instant::now() + short, "say hello")? {
            Message::Hello(hello) if hello.protocol == PROTOCOL => process.hello = hello,
            Message::Hello(hello) => {
                return Err(Fault::Environment(format!(
                    "{} speaks protocol {}, this poolwright {PROTOCOL}: run `make engine`",
                    program.display(),
                    hello.protocol
                )));
            }
            _ => return Err(Fault::failed(format!("{} did not say hello", process.name))),
        }
        Ok(process)
    }

    /// The next message, or how it came that there is none.
    fn receive(&mut self, until: Instant, doing: &str) -> Result<Message, Fault> {
        loop {
            match self.from.recv_timeout(LOOK) {
                Ok(message) => return Ok(message),
                Err(RecvTimeoutError::Disconnected) => return Err(self.death()),
                Err(RecvTimeoutError::Timeout) if self.stop.requested() => {
                    self.kill();
                    return Err(Fault::Interrupted);
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() >= until => {
                    self.kill();
                    return Err(Fault::failed(format!(
                        "{} did not {doing} in time and was ended; its log: {}",
                        self.name,
                        self.log.display()
                    )));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// How the process died, in one line.
    fn death(&mut self) -> Fault {
        // It has closed its channel; give it a moment to be gone.
        let until = Instant::now() + Duration::from_secs(5);
        while self.ended.is_none() && Instant::now() < until {
            self.ended = self.child.try_wait().ok().flatten();
            std::thread::sleep(Duration::from_millis(10));
        }
        let how = match self.ended {
            None => {
                self.kill();
                "closed its control channel".to_owned()
            }
            Some(status) => match (status.code(), status.signal()) {
                (Some(code), _) => format!("ended with status {code}"),
                (None, Some(9)) => {
                    "was ended by signal 9 (the kernel's, where memory runs out)".to_owned()
                }
                (None, Some(signal)) => format!("was ended by signal {signal}"),
                (None, None) => "ended".to_owned(),
            },
        };
        let text = fs::read(&self.log).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        match log::reason(&text) {
            Some(line) => Fault::failed(format!("{} {how}: {line}", self.name)),
            None => Fault::failed(format!("{} {how} without a word", self.name)),
        }
    }

    fn keep(&mut self, event: Event) {
        self.happenings.push_back(match event {
            Event::Sample { at, values } => Happening::Sample { at, values },
            Event::Stalled { at, what } => Happening::Note(format!(
                "an operation waited longer than 30 s at {at:.0} s: {what}"
            )),
            Event::Fault { at, what } => Happening::Note(format!("at {at:.0} s: {what}")),
        });
    }

    /// Asks and waits. `Ok(Err(message))` is a refusal by the engine.
    fn ask(
        &mut self,
        request: Request,
        doing: &str,
        limit: Duration,
    ) -> Result<Result<Answer, String>, Fault> {
        let asked = self.next;
        self.next += 1;
        let numbered = Numbered { id: asked, request };
        let mut line = serde_json::to_string(&numbered)
            .map_err(|e| Fault::failed(format!("cannot write a request to {doing}: {e}")))?;
        line.push('\n');
        if self.to.write_all(line.as_bytes()).is_err() {
            return Err(self.death());
        }
        let until = Instant::now() + limit;
        loop {
            match self.receive(until, doing)? {
                Message::Reply { id, result } if id == asked => {
                    return Ok(result.map_err(|refusal| refusal.message));
                }
                Message::Event(event) => self.keep(event),
                // A late answer to an earlier request, or a second hello.
                Message::Reply { .. } | Message::Hello(_) => {}
            }
        }
    }

    fn demand(&mut self, request: Request, doing: &str, limit: Duration) -> Result<Answer, Fault> {
        self.ask(request, doing, limit)?
            .map_err(|why| Fault::failed(format!("{} refused to {doing}: {why}", self.name)))
    }

    /// Real time for a request that waits for emulated drives.
    fn patience(&self) -> Duration {
        self.short.mul_f64(1.0 + 2.0 * self.time.max(1.0))
    }
}

/// Whether something is mounted on a directory: it is then on another device than its parent.
fn is_mount(dir: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (fs::metadata(dir), dir.parent().map(fs::metadata)) {
        (Ok(inner), Some(Ok(outer))) => inner.dev() != outer.dev(),
        _ => false,
    }
}

impl Session for Process {
    fn hello(&self) -> &Hello {
        &self.hello
    }

    fn cpu_s(&self) -> Option<f64> {
        machine::process_cpu_s(self.child.id())
    }

    fn build(&mut self, build: Build) -> Result<BTreeMap<String, f64>, Fault> {
        self.time = build.model.time.unwrap_or(1.0);
        let limit = self.patience();
        match self.demand(Request::Build(Box::new(build)), "build the pool", limit)? {
            Answer::Built { facts, .. } => Ok(facts),
            _ => Ok(BTreeMap::new()),
        }
    }

    fn import(&mut self, build: Build) -> Result<u64, Fault> {
        self.time = build.model.time.unwrap_or(1.0);
        let limit = self.patience();
        match self.demand(Request::Import(Box::new(build)), "import the pool", limit)? {
            Answer::Built { replayed, .. } => Ok(replayed),
            _ => Ok(0),
        }
    }

    fn import_without_log(&mut self, build: Build) -> Result<u64, Fault> {
        self.time = build.model.time.unwrap_or(1.0);
        let limit = self.patience();
        let request = Request::ImportWithoutLog(Box::new(build));
        match self.demand(request, "import the pool without its log", limit)? {
            Answer::Built { replayed, .. } => Ok(replayed),
            _ => Ok(0),
        }
    }

    fn fail_drive(&mut self, drive: &str) -> Result<(), Fault> {
        let request = Request::FailDrive {
            drive: drive.to_owned(),
        };
        self.demand(request, "let a drive fail", self.short)
            .map(drop)
    }

    fn mount(&mut self, dataset: &str, dir: &Path, requests: usize) -> Result<Vec<String>, Fault> {
        let request = Request::Mount {
            dataset: dataset.to_owned(),
            dir: dir.to_owned(),
            requests,
        };
        let answer = self.demand(request, "mount the dataset", self.short)?;
        if !is_mount(dir) {
            return Err(Fault::failed(format!(
                "{} says that it has mounted the dataset, but nothing is mounted on {}",
                self.name,
                dir.display()
            )));
        }
        self.mounts.push(dir.to_owned());
        Ok(match answer {
            Answer::Mounted { features } => features,
            _ => Vec::new(),
        })
    }

    fn pace(&mut self, pace: Pace) -> Result<bool, Fault> {
        Ok(self
            .ask(Request::Pace { pace }, "change its pace", self.short)?
            .is_ok())
    }

    fn drain(&mut self) -> Result<(), Fault> {
        let limit = self.patience();
        self.demand(Request::Drain, "drain the pool", limit)
            .map(drop)
    }

    fn reopen(&mut self) -> Result<(), Fault> {
        let limit = self.patience();
        self.demand(Request::Reopen, "export and import the pool", limit)
            .map(drop)
    }

    fn sample(&mut self, on: bool) -> Result<(), Fault> {
        self.demand(Request::Sample { on }, "sample", self.short)
            .map(drop)
    }

    fn stages(&mut self) -> Result<BTreeMap<String, f64>, Fault> {
        match self.demand(Request::Stages, "tell its stage times", self.short)? {
            Answer::Stages(stages) => Ok(stages),
            _ => Ok(BTreeMap::new()),
        }
    }

    fn happenings(&mut self) -> Result<Vec<Happening>, Fault> {
        loop {
            match self.from.try_recv() {
                Ok(Message::Event(event)) => self.keep(event),
                Ok(_) => {}
                Err(mpsc::TryRecvError::Empty) => return Ok(self.happenings.drain(..).collect()),
                Err(mpsc::TryRecvError::Disconnected) => return Err(self.death()),
            }
        }
    }

    fn stop(&mut self) -> Result<(), Fault> {
        let limit = self.patience();
        self.demand(Request::Stop, "stop", limit)?;
        let until = Instant::now() + self.short;
        while Instant::now() < until {
            if let Ok(Some(status)) = self.child.try_wait() {
                self.ended = Some(status);
                return if status.success() {
                    Ok(())
                } else {
                    Err(self.death())
                };
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        self.kill();
        Err(Fault::failed(format!(
            "{} did not end when asked to",
            self.name
        )))
    }

    fn kill(&mut self) {
        if self.ended.is_none() {
            let _ = self.child.kill();
            self.ended = self.child.wait().ok();
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
        for dir in &self.mounts {
            if is_mount(dir) || fs::metadata(dir).is_err() {
                programs::unmount(dir);
            }
        }
    }
}
