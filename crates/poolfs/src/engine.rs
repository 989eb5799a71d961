//! The pool of this process: OpenZFS on emulated drives.

use crate::clock::Clock;
use crate::emulator::{Arena, Drive, Emulator, Io, Place, Service, Settings, Spec};
use crate::pool::{Built, Counter, DriveState, Origin, Pool, Result, refusal};
use crate::protocol::{Build, Pace};
use crate::raw::{PREFIX, Raw, RawIo, in_flight};
use crate::volume::Volume;
use crate::zfs::Zfs;
use drives::{Op, Profile};
use lab::campaign::{DriveRef, Variant};
use lab::model::{Model, drive_capacity, drive_sizes};
use openzfs::{Disk, Geometry, IoOp};
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A request on its way through a drive: the pool's or a raw drive's client's.
enum Request {
    Pool(openzfs::Io),
    Raw(RawIo),
}

impl From<RawIo> for Request {
    fn from(io: RawIo) -> Self {
        Self::Raw(io)
    }
}

impl Io for Request {
    fn op(&self) -> Op {
        match self {
            Self::Pool(io) => match io.op() {
                IoOp::Read => Op::Read,
                IoOp::Write => Op::Write,
                IoOp::Flush => Op::Flush,
                IoOp::Trim => Op::Trim,
            },
            Self::Raw(io) => io.op(),
        }
    }

    fn offset(&self) -> u64 {
        match self {
            // OpenZFS leaves a flush's offset as it was.
            Self::Pool(io) if io.op() == IoOp::Flush => 0,
            Self::Pool(io) => io.offset(),
            Self::Raw(io) => io.offset(),
        }
    }

    fn length(&self) -> u64 {
        match self {
            Self::Pool(io) => io.len(),
            Self::Raw(io) => io.length(),
        }
    }

    fn data(&self) -> &[u8] {
        match self {
            Self::Pool(io) => io.data(),
            Self::Raw(io) => io.data(),
        }
    }

    fn data_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Pool(io) => io.data_mut(),
            Self::Raw(io) => io.data_mut(),
        }
    }

    fn complete(self, result: std::result::Result<(), i32>) {
        match self {
            Self::Pool(io) => io.complete(result),
            Self::Raw(io) => io.complete(result),
        }
    }
}

/// An emulated drive under a leaf vdev.
struct Leaf(Arc<Drive<Request>>);

impl Disk for Leaf {
    fn geometry(&self) -> Geometry {
        let g = self.0.geometry();
        Geometry {
            size: g.size,
            logical_sector: g.logical_sector,
            physical_sector: g.physical_sector,
            rotational: g.rotational,
        }
    }

    fn submit(&self, io: openzfs::Io) {
        self.0.submit(Request::Pool(io));
    }

    fn forget(&self, offset: u64, length: u64) {
        self.0.forget(offset, length);
    }
}

/// The drives by name.
type Drives = BTreeMap<String, Arc<Drive<Request>>>;

/// OpenZFS on emulated drives.
#[derive(Default)]
pub struct Engine {
    running: RwLock<Option<Running>>,
    /// Beside the pool, under a lock that is never held for long: an export may wait for the drives
    /// for good, and whoever asks why needs them meanwhile.
    drives: RwLock<Drives>,
}

struct Running {
    clock: Clock,
    emulator: Emulator<Request>,
    /// None for a variant of raw drives only.
    zfs: Option<Zfs>,
}

/// Every drive of a variant with its scaled size: those of the pool, and those that no vdev names,
/// which are served raw.
fn sizes(model: &Model, variant: &Variant) -> Vec<(DriveRef, u64, bool)> {
    let pool = drive_sizes(model, variant);
    let mut all = Vec::new();
    for (kind, count) in variant.drives.iter().map(|(k, d)| (k, d.count)) {
        for index in 0..count {
            let drive = DriveRef {
                kind: kind.clone(),
                index,
            };
            match pool.get(&drive) {
                Some(size) => all.push((drive, *size, false)),
                None => {
                    let real = drive_capacity(variant, kind).unwrap_or(0);
                    let size = (real as f64 / model.size) as u64 >> 20 << 20;
                    all.push((drive, size, true));
                }
            }
        }
    }
    all
}

fn specs(build: &Build) -> Result<Vec<(DriveRef, Spec)>> {
    let variant = &build.variant;
    let mut specs = Vec::new();
    for (number, (drive, size, raw)) in sizes(&build.model, variant).into_iter().enumerate() {
        let name = drive.to_string();
        let kind = variant.drives.get(&drive.kind);
        let numbers = kind.map(|k| k.numbers.clone()).unwrap_or_default();
        let profile: Profile = serde_json::from_value(numbers).map_err(|e| {
            refusal(format!(
                "the profile of drive {name} cannot be used: {e}; does the lab come from this version?"
            ))
        })?;
        profile
            .validate()
            .map_err(|e| refusal(format!("the profile of drive {name}: {e}")))?;
        let elevator = raw.then(|| in_flight(&profile)).flatten();
        let spec = Spec {
            name,
            profile,
            real_capacity: drive_capacity(variant, &drive.kind).unwrap_or(size),
            scaled_capacity: size,
            seed: build
                .seed
                .wrapping_mul(1_000_003)
                .wrapping_add(number as u64),
            elevator,
        };
        specs.push((drive, spec));
    }
    Ok(specs)
}

impl Running {
    fn start(build: &Build, origin: Origin) -> Result<(Self, Drives)> {
        let clock = Clock::start(build.model.time.unwrap_or(1.0));
        let place = match &build.arena {
            None => Place::Files(build.store.clone()),
            Some(arena) => Arena::open(arena)
                .map(Place::Arena)
                .map_err(|e| refusal(format!("the drives' memory: {e}")))?,
        };
        let emulator = Emulator::new(clock, place, Settings::default())
            .map_err(|e| refusal(format!("the drives' timer cannot be started: {e}")))?;
        // Making a pool measures nothing: it is done at the speed of this machine.
        emulator.set_instant(true);
        let mut drives = Drives::new();
        let mut disks: Vec<(DriveRef, Arc<dyn Disk>)> = Vec::new();
        for (reference, spec) in specs(build)? {
            let drive = emulator
                .add(&spec)
                .map_err(|e| refusal(format!("drive {}: {e}", spec.name)))?;
            disks.push((reference, Arc::new(Leaf(Arc::clone(&drive)))));
            drives.insert(spec.name, drive);
        }
        let zfs = if build.variant.pool.vdevs.is_empty() {
            None
        } else {
            let mut zfs = Zfs::start(build, &clock, &disks)?;
            match origin {
                Origin::New => zfs.create(build)?,
                Origin::Drives => zfs.import(false)?,
                Origin::DrivesWithoutLog => zfs.import(true)?,
            }
            Some(zfs)
        };
        emulator.set_instant(build.instant);
        let running = Self {
            clock,
            emulator,
            zfs,
        };
        Ok((running, drives))
    }

    fn built(&self) -> Built {
        match &self.zfs {
            Some(zfs) => Built {
                facts: zfs.facts(),
                replayed: zfs.replayed(),
            },
            None => Built::default(),
        }
    }
}

fn not_built() -> crate::protocol::Refusal {
    refusal("nothing is built yet: send build or import first")
}

impl Engine {
    fn running<T>(&self, ask: impl FnOnce(&Running) -> Result<T>) -> Result<T> {
        ask(self.running.read().as_ref().ok_or_else(not_built)?)
    }

    fn drive(&self, name: &str) -> Result<Arc<Drive<Request>>> {
        let drives = self.drives.read();
        let found = drives.get(name).map(Arc::clone);
        found.ok_or_else(|| match drives.is_empty() {
            true => not_built(),
            false => refusal(format!("there is no drive {name}")),
        })
    }

    fn zfs<T>(&self, change: impl FnOnce(&mut Zfs) -> Result<T>) -> Result<Option<T>> {
        let mut running = self.running.write();
        let running = running.as_mut().ok_or_else(not_built)?;
        running.zfs.as_mut().map(change).transpose()
    }
}

impl Pool for Engine {
    fn version(&self) -> (String, bool) {
        (openzfs::version().to_owned(), openzfs::is_debug())
    }

    fn build(&self, build: &Build, origin: Origin) -> Result<Built> {
        let mut place = self.running.write();
        if place.is_some() {
            return Err(refusal(
                "this process has built its pool already: start another for another variant",
            ));
        }
        let (running, drives) = Running::start(build, origin)?;
        let built = running.built();
        *self.drives.write() = drives;
        *place = Some(running);
        Ok(built)
    }

    fn clock(&self) -> Option<Clock> {
        self.running.read().as_ref().map(|r| r.clock)
    }

    fn volume(&self, name: &str) -> Result<Arc<dyn Volume>> {
        if let Some(drive) = name.strip_prefix(PREFIX) {
            return Ok(Arc::new(Raw::new(self.drive(drive)?)));
        }
        self.running(|r| {
            let dataset = r.zfs.as_ref().and_then(|zfs| zfs.dataset(name));
            let dataset = dataset.ok_or_else(|| {
                refusal(format!(
                    "the pool has no dataset {name:?}; raw drives are named drive:hdd0"
                ))
            })?;
            Ok(dataset as Arc<dyn Volume>)
        })
    }

    fn drain(&self) -> Result<()> {
        self.running(|r| r.zfs.as_ref().map_or(Ok(()), Zfs::drain))
    }

    fn export(&self) -> Result<()> {
        self.zfs(Zfs::export).map(drop)
    }

    fn import(&self) -> Result<Built> {
        self.zfs(|zfs| zfs.import(false))?;
        self.running(|r| Ok(r.built()))
    }

    fn fail_drive(&self, name: &str) -> Result<()> {
        self.drive(name)?.fail();
        Ok(())
    }

    fn set_pace(&self, pace: Pace) {
        if let Some(running) = self.running.read().as_ref() {
            running.emulator.set_instant(pace != Pace::Timed);
            if let Some(zfs) = &running.zfs {
                zfs.pace_feed(pace);
            }
        }
    }

    fn counters(&self) -> Vec<Counter> {
        let running = self.running.read();
        let zfs = running.as_ref().and_then(|r| r.zfs.as_ref());
        let counters = zfs.map(Zfs::counters).unwrap_or_default();
        counters
            .into_iter()
            .map(|(name, level, value)| Counter {
                name: name.to_owned(),
                level,
                value,
            })
            .collect()
    }

    fn drives(&self) -> Vec<DriveState> {
        let drives = self.drives.read();
        drives
            .values()
            .map(|drive| DriveState {
                name: drive.name().to_owned(),
                counters: drive.counters(),
            })
            .collect()
    }

    fn take_service(&self) -> Vec<(String, Service)> {
        let drives = self.drives.read();
        drives
            .values()
            .flat_map(|drive| {
                let name = drive.name().to_owned();
                drive
                    .take_service()
                    .into_iter()
                    .map(move |s| (name.clone(), s))
            })
            .collect()
    }

    fn faults(&self) -> Vec<String> {
        let drives = self.drives.read();
        let failed = drives.values().filter(|d| d.failed());
        let mut faults: Vec<String> = failed
            .map(|d| format!("drive {} fails every request", d.name()))
            .collect();
        // A pool on its way out or in is not waited for: its drives may be why it does not come.
        if let Some(running) = self.running.try_read() {
            let zfs = running.iter().flat_map(|r| &r.zfs);
            faults.extend(zfs.flat_map(Zfs::faults));
        }
        faults
    }

    fn broken(&self) -> Option<String> {
        let drives = self.drives.read();
        let full = drives.values().find(|d| d.full())?;
        Some(format!(
            "no room is left for the files of the emulated drives (drive {}): a larger [scale] size, a shorter runtime, or --store on a larger disk",
            full.name()
        ))
    }

    fn stop(&self) -> Result<()> {
        let mut place = self.running.write();
        if let Some(running) = place.as_mut() {
            if let Some(zfs) = running.zfs.as_mut() {
                zfs.export()?;
            }
            if let Some(zfs) = running.zfs.take() {
                zfs.stop();
            }
        }
        self.drives.write().clear();
        *place = None;
        Ok(())
    }
}
