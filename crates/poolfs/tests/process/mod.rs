//! A poolfs process and the channel to it, for tests.
#![allow(dead_code, reason = "each test uses its own part")]

use command_fds::{CommandFdExt, FdMapping};
use lab::campaign::Campaign;
use lab::model::{HostLimits, Model};
use poolfs::protocol::{Answer, Build, Message, Numbered, Request};
use rustix::mount::{UnmountFlags, unmount};
use std::io::{BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A lab and its model at full speed, small enough for a test.
pub fn campaign(text: &str) -> (Campaign, Model) {
    let (campaign, _) = lab::load("test.toml", text, &lab::NoFiles, &lab::Profiles::builtin())
        .unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
    let limits = HostLimits {
        memory: 8 << 30,
        store_bytes: 64 << 30,
        cores: 2,
    };
    let mut model = lab::model::resolve(&campaign, &limits).unwrap_or_else(|d| panic!("{d:?}"));
    model.time = Some(1.0);
    (campaign, model)
}

/// What poolfs is asked to build for a variant of a campaign.
pub fn build(campaign: &Campaign, model: &Model, variant: &str, store: &Path) -> Build {
    let variant = campaign
        .variants
        .iter()
        .find(|v| v.name == variant)
        .unwrap_or_else(|| panic!("no variant {variant}"));
    Build {
        variant: variant.clone(),
        model: lab::model::of_variant(model, &campaign.host, variant),
        cores: campaign.host.cores,
        store: store.to_owned(),
        arena: None,
        seed: 7,
        instant: true,
    }
}

/// A place for a model's drives and the directory to mount it on, which goes away with its guard.
pub fn place() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let (store, dir) = (place.path().join("drives"), place.path().join("mnt"));
    std::fs::create_dir(&store).unwrap();
    (place, store, dir)
}

/// A running poolfs with the first variant of a lab, and what of the place has to outlive it.
pub fn built(lab: &str) -> (Process, tempfile::TempDir, PathBuf) {
    let (campaign, model) = campaign(lab);
    let (place, store, dir) = place();
    let mut process = Process::start();
    let build = build(&campaign, &model, &campaign.variants[0].name, &store);
    process.ask(Request::Build(Box::new(build))).unwrap();
    (process, place, dir)
}

/// Whether a program can be run, and ends well.
pub fn succeeds(words: &[&str]) -> bool {
    let command = Command::new(words[0]).args(&words[1..]).output();
    command.is_ok_and(|o| o.status.success())
}

/// Says that a test was not run, past the capture of output.
pub fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED {why}");
}

/// A running poolfs. Dropping it kills it, which is a power cut to its drives.
pub struct Process {
    child: Child,
    to: UnixStream,
    from: BufReader<UnixStream>,
    next: u64,
    mounts: Vec<PathBuf>,
}

impl Process {
    pub fn start() -> Process {
        Process::start_by(&[], Path::new(env!("CARGO_BIN_EXE_poolfs")))
    }

    /// A poolfs at that path, started by other programs' words (`unshare …`) that become it.
    pub fn start_by(before: &[&str], poolfs: &Path) -> Process {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let mut words = before.iter().map(Path::new).chain([poolfs]);
        let mut command = Command::new(words.next().unwrap());
        command.args(words).args(["--control-fd", "3"]);
        command.stdin(Stdio::null());
        command
            .fd_mappings(vec![FdMapping {
                parent_fd: OwnedFd::from(theirs),
                child_fd: 3,
            }])
            .unwrap();
        let child = command.spawn().unwrap();
        drop(command);
        let mut process = Process {
            child,
            from: BufReader::new(ours.try_clone().unwrap()),
            to: ours,
            next: 1,
            mounts: Vec::new(),
        };
        assert!(matches!(process.message(), Message::Hello(_)));
        process
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    fn message(&mut self) -> Message {
        let mut line = String::new();
        let n = self.from.read_line(&mut line).unwrap();
        assert!(n > 0, "poolfs closed the control channel");
        serde_json::from_str(&line).unwrap()
    }

    /// Asks, and goes on without the answer, also where nobody listens any more.
    pub fn tell(&mut self, request: Request) -> u64 {
        let id = self.next;
        self.next += 1;
        let mut line = serde_json::to_string(&Numbered { id, request }).unwrap();
        line.push('\n');
        let _ = self.to.write_all(line.as_bytes());
        id
    }

    /// Asks and waits for the answer.
    pub fn ask(&mut self, request: Request) -> Result<Answer, String> {
        let id = self.tell(request);
        loop {
            if let Message::Reply {
                id: answered,
                result,
            } = self.message()
            {
                assert_eq!(answered, id);
                return result.map_err(|r| r.message);
            }
        }
    }

    pub fn mount(&mut self, dataset: &str, dir: &Path) {
        std::fs::create_dir_all(dir).unwrap();
        self.ask(Request::Mount {
            dataset: dataset.to_owned(),
            dir: dir.to_owned(),
            requests: 0,
        })
        .unwrap();
        self.mounts.push(dir.to_owned());
    }

    /// The channel is closed without a word; its status once it has ended.
    pub fn abandon(mut self) -> ExitStatus {
        self.to.shutdown(std::net::Shutdown::Both).unwrap();
        let status = self.child.wait().unwrap();
        self.end();
        status
    }

    pub fn stop(mut self) {
        self.ask(Request::Stop).unwrap();
        self.mounts.clear();
        assert!(self.child.wait().unwrap().success());
    }

    /// Its status, if it ends by itself so soon.
    pub fn ends_within(mut self, limit: Duration) -> Option<ExitStatus> {
        let until = Instant::now() + limit;
        loop {
            match self.child.try_wait().unwrap() {
                None if Instant::now() < until => sleep(Duration::from_millis(20)),
                status => return status,
            }
        }
    }

    /// The power goes.
    pub fn kill(mut self) {
        self.end();
    }

    fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        for dir in self.mounts.drain(..) {
            let _ = unmount(&dir, UnmountFlags::DETACH);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}
