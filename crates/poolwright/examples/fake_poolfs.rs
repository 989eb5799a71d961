//! An engine for tests: speaks poolfs' protocol and "mounts" a tmpfs. `FAKE_POOLFS` makes it fail:
//! `die-in-build`, `hang-in-build`, `hang-at-stop`, `die-in-window`, `no-mount`, `full` (a mount of 1 MiB).

use poolfs::protocol::{Answer, Event, Hello, Message, Numbered, PROTOCOL, Refusal, Request};
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};
use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn main() {
    let fault = std::env::var("FAKE_POOLFS").unwrap_or_default();
    let socket = channel();
    let to = Arc::new(Mutex::new(socket.try_clone().expect("a second handle")));
    let send = |message: &Message| write(&to, message);
    send(&Message::Hello(Hello {
        protocol: PROTOCOL,
        openzfs: "2.1.11".into(),
        debug: false,
        kernel: vec!["fake".into()],
    }));
    let mut mounted = None;
    let mut time = 1.0;
    let sampling = Arc::new(Mutex::new(false));
    for line in BufReader::new(socket).lines() {
        let Ok(line) = line else { break };
        let numbered: Numbered = serde_json::from_str(&line).expect("a request");
        let mut last = false;
        let result = match numbered.request {
            Request::Build(build) => {
                match fault.as_str() {
                    "die-in-build" => {
                        eprintln!("VERIFY3(0 == spa_create()) failed (0 == 5)");
                        std::process::abort();
                    }
                    "hang-in-build" => loop {
                        std::thread::park();
                    },
                    _ => {}
                }
                time = build.model.time.unwrap_or(1.0);
                std::fs::write(build.store.join("hdd0"), b"a drive").expect("room for a drive");
                Ok(Answer::Built {
                    seconds: 0.0,
                    facts: BTreeMap::from([("fake.drives".into(), 1.0)]),
                    replayed: 0,
                })
            }
            Request::Mount { dir, .. } => {
                let size = if fault == "full" {
                    c"size=1m"
                } else {
                    c"size=512m"
                };
                if fault != "no-mount" {
                    mount("fake", &dir, "tmpfs", MountFlags::empty(), Some(size)).expect("a mount");
                }
                mounted = Some(dir);
                Ok(Answer::Mounted { features: vec![] })
            }
            Request::Sample { on } => {
                *sampling.lock().expect("no panic") = on;
                if on {
                    sample(&to, &sampling, time, fault == "die-in-window");
                }
                Ok(Answer::Done)
            }
            Request::Stages => Ok(Answer::Stages(BTreeMap::from([
                ("write.count".into(), 1.0),
                ("write.late".into(), 0.0),
            ]))),
            Request::Pace { .. } => Err(Refusal {
                message: "no drives".into(),
            }),
            Request::Stop => {
                if fault == "hang-at-stop" {
                    loop {
                        std::thread::park();
                    }
                }
                last = true;
                if let Some(dir) = mounted.take() {
                    let _ = unmount(&dir, UnmountFlags::DETACH);
                }
                Ok(Answer::Done)
            }
            _ => Ok(Answer::Done),
        };
        send(&Message::Reply {
            id: numbered.id,
            result,
        });
        if last {
            return;
        }
    }
}

fn channel() -> UnixStream {
    let number: i32 = std::env::args()
        .skip_while(|arg| arg != "--control-fd")
        .nth(1)
        .and_then(|n| n.parse().ok())
        .expect("--control-fd N");
    // A duplicate of an inherited descriptor, without unsafe code.
    let this = pidfd_open(getpid(), PidfdFlags::empty()).expect("a pidfd");
    let fd = pidfd_getfd(this, number, PidfdGetfdFlags::empty()).expect("the channel");
    UnixStream::from(fd)
}

fn write(to: &Mutex<UnixStream>, message: &Message) {
    let mut line = serde_json::to_string(message).expect("a message");
    line.push('\n');
    let _ = to.lock().expect("no panic").write_all(line.as_bytes());
}

fn sample(to: &Arc<Mutex<UnixStream>>, on: &Arc<Mutex<bool>>, time: f64, die: bool) {
    let (to, on) = (to.clone(), on.clone());
    std::thread::spawn(move || {
        for second in 1.. {
            std::thread::sleep(Duration::from_secs_f64(time));
            if !*on.lock().expect("no panic") {
                return;
            }
            if die {
                eprintln!("ASSERT at zil.c:1:zil_commit()");
                std::process::abort();
            }
            let values = BTreeMap::from([("txg.syncs".to_owned(), 1.0)]);
            write(
                &to,
                &Message::Event(Event::Sample {
                    at: f64::from(second),
                    values,
                }),
            );
        }
    });
}
