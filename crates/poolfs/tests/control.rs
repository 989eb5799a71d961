//! The control channel, over a pool that is only pretended: every request has one answer, what fails
//! is told, and the end of the channel is the end of the conversation.

use poolfs::clock::Clock;
use poolfs::emulator::{Counters, Service};
use poolfs::pool::{Built, Counter, DriveState, Origin, Pool, Result, refusal};
use poolfs::protocol::{Answer, Build, Event, Message, Numbered, PROTOCOL, Pace, Request};
use poolfs::server::{End, serve};
use poolfs::volume::Volume;
use poolfs::volume::memory::Memory;
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// A pool of one drive and one dataset, in memory.
#[derive(Default)]
struct Fake {
    clock: Mutex<Option<Clock>>,
    failed: Mutex<Vec<String>>,
    stopped: Mutex<bool>,
}

impl Pool for Fake {
    fn version(&self) -> (String, bool) {
        ("2.1.11".to_owned(), true)
    }
    fn build(&self, build: &Build, _origin: Origin) -> Result<Built> {
        let mut clock = self.clock.lock().unwrap();
        if clock.is_some() {
            return Err(refusal("this process has built its pool already"));
        }
        *clock = Some(Clock::start(build.model.time.unwrap_or(1.0)));
        Ok(Built {
            facts: BTreeMap::from([("pool.size".to_owned(), 1.0)]),
            replayed: 3,
        })
    }
    fn clock(&self) -> Option<Clock> {
        *self.clock.lock().unwrap()
    }
    fn volume(&self, name: &str) -> Result<Arc<dyn Volume>> {
        if name.is_empty() {
            Ok(Arc::new(Memory::new(Duration::ZERO)))
        } else {
            Err(refusal(format!("the pool has no dataset {name:?}")))
        }
    }
    fn drain(&self) -> Result<()> {
        Ok(())
    }
    fn export(&self) -> Result<()> {
        Ok(())
    }
    fn import(&self) -> Result<Built> {
        Ok(Built::default())
    }
    fn fail_drive(&self, name: &str) -> Result<()> {
        if name != "hdd0" {
            return Err(refusal(format!("there is no drive {name}")));
        }
        self.failed.lock().unwrap().push(name.to_owned());
        Ok(())
    }
    fn set_pace(&self, _pace: Pace) {}
    fn counters(&self) -> Vec<Counter> {
        let clock = self.clock().map_or(0, |c| c.now());
        vec![
            Counter {
                name: "txg.syncs".to_owned(),
                level: false,
                // A running total that grows by ten each virtual second.
                value: clock as f64 / 1e8,
            },
            Counter {
                name: "arc.size".to_owned(),
                level: true,
                value: 42.0,
            },
        ]
    }
    fn drives(&self) -> Vec<DriveState> {
        vec![DriveState {
            name: "hdd0".to_owned(),
            counters: Counters::default(),
        }]
    }
    fn take_service(&self) -> Vec<(String, Service)> {
        Vec::new()
    }
    fn faults(&self) -> Vec<String> {
        let failed = self.failed.lock().unwrap();
        failed
            .iter()
            .map(|d| format!("drive {d} fails every request"))
            .collect()
    }
    fn stop(&self) -> Result<()> {
        *self.stopped.lock().unwrap() = true;
        Ok(())
    }
}

/// A parent and the server that it talks to.
struct Talk {
    pool: Arc<Fake>,
    to: UnixStream,
    from: BufReader<UnixStream>,
    server: JoinHandle<io::Result<End>>,
    next: u64,
    events: Vec<Event>,
}

impl Talk {
    fn new() -> Talk {
        let (to, theirs) = UnixStream::pair().unwrap();
        let pool = Arc::new(Fake::default());
        let served: Arc<dyn Pool> = pool.clone();
        let server = std::thread::spawn(move || serve(theirs, served));
        // A test that waits for what never comes fails instead of hanging.
        to.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        Talk {
            pool,
            from: BufReader::new(to.try_clone().unwrap()),
            to,
            server,
            next: 1,
            events: Vec::new(),
        }
    }

    fn message(&mut self) -> Message {
        let mut line = String::new();
        assert!(self.from.read_line(&mut line).unwrap() > 0, "end of file");
        serde_json::from_str(&line).unwrap()
    }

    fn hello(mut self) -> Talk {
        let Message::Hello(hello) = self.message() else {
            panic!("the first message says who is speaking");
        };
        assert_eq!((hello.protocol, &hello.openzfs[..]), (PROTOCOL, "2.1.11"));
        self
    }

    fn send(&mut self, line: &str) {
        self.to.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// The answer to the request of this number; events meanwhile are kept.
    fn answer(&mut self, expected: u64) -> std::result::Result<Answer, String> {
        loop {
            match self.message() {
                Message::Reply { id, result } => {
                    assert_eq!(id, expected);
                    return result.map_err(|r| r.message);
                }
                Message::Event(event) => self.events.push(event),
                Message::Hello(_) => panic!("a second hello"),
            }
        }
    }

    fn ask(&mut self, request: Request) -> std::result::Result<Answer, String> {
        let id = self.next;
        self.next += 1;
        self.send(&serde_json::to_string(&Numbered { id, request }).unwrap());
        self.answer(id)
    }

    fn event(&mut self) -> Event {
        if !self.events.is_empty() {
            return self.events.remove(0);
        }
        match self.message() {
            Message::Event(event) => event,
            other => panic!("not asked for: {other:?}"),
        }
    }

    fn build(&mut self) -> std::result::Result<Answer, String> {
        self.ask(Request::Build(Box::new(some_build())))
    }
}

/// Any build: the pretended pool only looks at its dilation.
fn some_build() -> Build {
    let text = "title = \"t\"\nopenzfs = \"2.1\"\n[host]\nmemory = \"8G\"\ncores = 2\n\
        [drives]\nhdd = \"2x hdd-7200-4t\"\n[pool]\nvdevs = \"mirror hdd[0-1]\"\n\
        [workloads.w]\nfio.job = \"[w]\\nrw=write\\nsize=1g\\nruntime=1\\ntime_based=1\\n\"\n";
    let profiles = lab::Profiles::builtin();
    let (campaign, _) = lab::load("t.toml", text, &lab::NoFiles, &profiles)
        .unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
    let limits = lab::model::HostLimits {
        memory: 8 << 30,
        store_bytes: 64 << 30,
        cores: 2,
    };
    let mut model = lab::model::resolve(&campaign, &limits).unwrap_or_else(|d| panic!("{d:?}"));
    model.time = Some(1.0);
    Build {
        variant: campaign.variants[0].clone(),
        model,
        cores: 2,
        store: PathBuf::from("/nowhere"),
        arena: None,
        seed: 1,
        instant: true,
    }
}

#[test]
fn the_end_of_the_channel_ends_the_conversation() {
    let mut talk = Talk::new().hello();
    talk.build().unwrap();
    talk.to.shutdown(Shutdown::Both).unwrap();
    let ended = talk.server.join().unwrap().unwrap();
    assert_eq!(ended, End::EndOfFile);
    assert!(
        !*talk.pool.stopped.lock().unwrap(),
        "nobody asked for order"
    );
}

#[test]
fn a_parent_that_goes_away_leaves_no_mount_behind() {
    let mut talk = Talk::new().hello();
    talk.build().unwrap();
    let place = tempfile::tempdir().unwrap();
    talk.ask(Request::Mount {
        dataset: String::new(),
        dir: place.path().to_owned(),
        requests: 0,
    })
    .unwrap();
    std::fs::write(place.path().join("file"), b"served").unwrap();
    talk.to.shutdown(Shutdown::Both).unwrap();
    let ended = talk.server.join().unwrap().unwrap();
    assert_eq!(ended, End::EndOfFile);
    let entries = std::fs::read_dir(place.path()).unwrap();
    assert_eq!(entries.count(), 0, "the directory below the mount");
}

#[test]
fn a_request_that_cannot_be_read_is_refused_by_its_number_and_the_next_is_served() {
    let mut talk = Talk::new().hello();
    talk.send(r#"{"id":77,"request":"dance"}"#);
    let why = talk.answer(77).unwrap_err();
    assert!(why.contains("not a request of this protocol"), "{why}");
    talk.send("nonsense");
    assert!(talk.answer(0).is_err());
    let place = tempfile::tempdir().unwrap();
    let mount = |dataset: &str| Request::Mount {
        dataset: dataset.to_owned(),
        dir: place.path().to_owned(),
        requests: 0,
    };
    let why = talk.ask(mount("")).unwrap_err();
    assert!(why.contains("nothing is built yet"), "{why}");
    let Ok(Answer::Built { replayed, .. }) = talk.build() else {
        panic!("built");
    };
    assert_eq!(replayed, 3);
    assert!(talk.build().is_err(), "one process, one pool");
    assert!(talk.ask(mount("absent")).is_err());
    assert!(matches!(talk.ask(mount("")), Ok(Answer::Mounted { .. })));
    std::fs::write(place.path().join("file"), b"served").unwrap();
    assert!(matches!(talk.ask(Request::Drain), Ok(Answer::Done)));
    let Ok(Answer::Stages(stages)) = talk.ask(Request::Stages) else {
        panic!("stages");
    };
    assert_eq!(stages["write.count"], 1.0);
    assert!(matches!(talk.ask(Request::Stop), Ok(Answer::Done)));
    assert_eq!(talk.server.join().unwrap().unwrap(), End::Stopped);
    assert!(*talk.pool.stopped.lock().unwrap());
    assert!(!place.path().join("file").exists(), "unmounted");
}

#[test]
fn a_drive_that_fails_is_told_once_and_samples_carry_differences_and_levels() {
    let mut talk = Talk::new().hello();
    talk.build().unwrap();
    let fail = |drive: &str| Request::FailDrive {
        drive: drive.to_owned(),
    };
    let why = talk.ask(fail("hdd9")).unwrap_err();
    assert!(why.contains("no drive hdd9"), "{why}");
    talk.ask(fail("hdd0")).unwrap();
    let Event::Fault { what, .. } = talk.event() else {
        panic!("a fault");
    };
    assert_eq!(what, "drive hdd0 fails every request");
    talk.ask(Request::Sample { on: true }).unwrap();
    // Two seconds of samples, and the fault is not told again.
    for _ in 0..2 {
        let Event::Sample { values, .. } = talk.event() else {
            panic!("only samples from now on");
        };
        assert!((values["txg.syncs"] - 10.0).abs() < 5.0, "{values:?}");
        assert_eq!(values["arc.size"], 42.0);
        assert_eq!(values["drive.hdd0.reads"], 0.0);
    }
    talk.ask(Request::Sample { on: false }).unwrap();
    talk.ask(Request::Stop).unwrap();
}
