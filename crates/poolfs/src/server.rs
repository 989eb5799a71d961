//! The control channel's side in poolfs: requests in, answers and events out.

mod sampler;
mod watch;

use crate::fuse::{Mount, Options};
use crate::pool::{Origin, Pool, refusal};
use crate::protocol::{Answer, Build, Hello, Message, Numbered, PROTOCOL, Refusal, Request};
use drives::Op;
use parking_lot::Mutex;
use sampler::Sampler;
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Threads that serve a raw drive: its clients may keep several hundred requests outstanding.
const RAW_THREADS: usize = 640;
/// Threads that a mount has at most, whatever its clients want. What they have under way beyond that waits
/// in the kernel.
const MOST_THREADS: usize = 2048;

/// How a conversation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The parent asked to stop, and everything was unmounted and exported.
    Stopped,
    /// The parent is gone; the mounts are detached.
    EndOfFile,
}

/// The way out for messages, from any thread.
#[derive(Clone)]
pub(crate) struct Outlet(Arc<Mutex<UnixStream>>);

impl Outlet {
    /// Sends a message; a parent that is gone shows as end of file on the way in.
    pub(crate) fn send(&self, message: &Message) {
        let Ok(mut line) = serde_json::to_vec(message) else {
            return;
        };
        line.push(b'\n');
        let _ = self.0.lock().write_all(&line);
    }
}

/// Mounts by dataset.
pub(crate) type Mounts = Arc<Mutex<Vec<(String, Mount)>>>;

/// Serves one parent until it stops us or goes away.
///
/// # Errors
/// When the channel cannot be read.
pub fn serve(channel: UnixStream, pool: Arc<dyn Pool>) -> io::Result<End> {
    let outlet = Outlet(Arc::new(Mutex::new(channel.try_clone()?)));
    let (openzfs, debug) = pool.version();
    outlet.send(&Message::Hello(Hello {
        protocol: PROTOCOL,
        openzfs,
        debug,
        kernel: crate::fuse::kernel_features(),
    }));
    let mounts: Mounts = Arc::default();
    let mut server = Server {
        sampler: Sampler::new(outlet.clone(), Arc::clone(&pool), Arc::clone(&mounts)),
        pool,
        mounts,
    };
    let end = server.converse(channel, &outlet);
    if !matches!(end, Ok(End::Stopped)) {
        // Nobody else would: a mount that is served no more stays, and its directory is of no use.
        server.mounts.lock().clear();
    }
    end
}

/// The id of a request that could not be read whole; 0 when even that is missing.
fn id_of(line: &str) -> u64 {
    serde_json::from_str::<serde_json::Value>(line)
        .ok()
        .and_then(|v| v.get("id")?.as_u64())
        .unwrap_or(0)
}

struct Server {
    pool: Arc<dyn Pool>,
    mounts: Mounts,
    sampler: Sampler,
}

impl Server {
    /// Answers until the parent wants no more.
    fn converse(&mut self, channel: UnixStream, outlet: &Outlet) -> io::Result<End> {
        for line in BufReader::new(channel).lines() {
            let line = line?;
            let numbered: Numbered = match serde_json::from_str(&line) {
                Ok(numbered) => numbered,
                Err(e) => {
                    outlet.send(&Message::Reply {
                        id: id_of(&line),
                        result: Err(refusal(format!("not a request of this protocol: {e}"))),
                    });
                    continue;
                }
            };
            let stop = matches!(numbered.request, Request::Stop);
            let result = self.answer(numbered.request);
            let stopped = stop && result.is_ok();
            outlet.send(&Message::Reply {
                id: numbered.id,
                result,
            });
            if stopped {
                return Ok(End::Stopped);
            }
        }
        Ok(End::EndOfFile)
    }

    fn answer(&mut self, request: Request) -> Result<Answer, Refusal> {
        match request {
            Request::Build(build) => self.build(&build, Origin::New),
            Request::Import(build) => self.build(&build, Origin::Drives),
            Request::ImportWithoutLog(build) => self.build(&build, Origin::DrivesWithoutLog),
            Request::Mount {
                dataset,
                dir,
                requests,
            } => self.mount(&dataset, &dir, requests),
            Request::Drain => self.pool.drain().map(|()| Answer::Done),
            Request::Reopen => self.reopen(),
            Request::FailDrive { drive } => self.pool.fail_drive(&drive).map(|()| Answer::Done),
            Request::Sample { on } => {
                self.sampler.set(on);
                Ok(Answer::Done)
            }
            Request::Stages => Ok(Answer::Stages(self.stages())),
            Request::Pace { pace } => {
                self.pool.set_pace(pace);
                Ok(Answer::Done)
            }
            Request::Stop => self.stop(),
        }
    }

    fn build(&mut self, build: &Build, origin: Origin) -> Result<Answer, Refusal> {
        let started = Instant::now();
        let built = self.pool.build(build, origin)?;
        if let Some(clock) = self.pool.clock() {
            self.sampler.start(clock);
        }
        Ok(Answer::Built {
            seconds: started.elapsed().as_secs_f64(),
            facts: built.facts,
            replayed: built.replayed,
        })
    }

    fn mount(&mut self, dataset: &str, dir: &Path, requests: usize) -> Result<Answer, Refusal> {
        let volume = self.pool.volume(dataset)?;
        let clock = self
            .pool
            .clock()
            .ok_or_else(|| refusal("nothing is built yet: send build or import first"))?;
        let mut options = Options::default();
        if dataset.starts_with(crate::raw::PREFIX) {
            options.threads = RAW_THREADS;
        }
        options.threads = options.threads.max(requests).min(MOST_THREADS);
        let mount = Mount::new(volume, dir, clock, options)
            .map_err(|e| refusal(format!("cannot mount on {}: {e}", dir.display())))?;
        let features = mount.features().to_vec();
        self.mounts.lock().push((dataset.to_owned(), mount));
        Ok(Answer::Mounted { features })
    }

    /// Export and import beneath the mounts: operations wait meanwhile.
    fn reopen(&mut self) -> Result<Answer, Refusal> {
        let started = Instant::now();
        let mounts = self.mounts.lock();
        let slots: Vec<_> = mounts
            .iter()
            .filter(|(dataset, _)| !dataset.starts_with(crate::raw::PREFIX))
            .map(|(dataset, mount)| (dataset.clone(), mount.slot().clone()))
            .collect();
        drop(mounts);
        let held: Vec<_> = slots
            .iter()
            .map(|(dataset, slot)| (dataset, slot.hold()))
            .collect();
        self.pool.export()?;
        let built = self.pool.import()?;
        for (dataset, mut place) in held {
            place.put(self.pool.volume(dataset)?);
        }
        Ok(Answer::Built {
            seconds: started.elapsed().as_secs_f64(),
            facts: built.facts,
            replayed: built.replayed,
        })
    }

    fn stages(&self) -> BTreeMap<String, f64> {
        let mut all = BTreeMap::new();
        for (_, mount) in self.mounts.lock().iter() {
            for (name, value) in mount.stamps().take() {
                *all.entry(name).or_insert(0.0) += value;
            }
        }
        for (drive, service) in self.pool.take_service() {
            let of = match service.op {
                Op::Read => "read",
                Op::Write => "write",
                Op::Flush => "flush",
                Op::Trim => "trim",
            };
            for (kind, h) in [
                ("intended", &service.intended),
                ("achieved", &service.achieved),
            ] {
                let mut put = |what: &str, value: f64| {
                    all.insert(format!("drive.{drive}.{of}.{kind}_{what}"), value);
                };
                put("mean", h.mean());
                put("p50", h.value_at_quantile(0.5) as f64);
                put("p99", h.value_at_quantile(0.99) as f64);
            }
            all.insert(
                format!("drive.{drive}.{of}.requests"),
                service.intended.len() as f64,
            );
        }
        all
    }

    fn stop(&mut self) -> Result<Answer, Refusal> {
        self.sampler.set(false);
        for (_, mount) in self.mounts.lock().drain(..) {
            // Taking the volume out lets the pool be exported even while somebody still holds
            // files of a detached mount open; they get EIO.
            drop(mount.slot().hold());
            let dir = mount.dir().to_owned();
            mount
                .unmount()
                .map_err(|e| refusal(format!("cannot unmount {}: {e}", dir.display())))?;
        }
        self.pool.stop()?;
        Ok(Answer::Done)
    }
}
