//! Drive faults in addition to the power cut: `--fail DRIVE[:FAULT]` and `--faults`.

use super::blocks::mix;
use clap::ValueEnum;
use contents::crash::WriteFault;
use lab::campaign::Variant;
use std::fmt;
use std::str::FromStr;
use zfs::AllocationClass;
use zfs::vdev::Vdev;

/// One in this many written pages of a drive with [`FaultKind::Rot`] is zeroed.
pub const ROTTEN: u64 = 50;
/// One in this many writes of a drive is lost or misdirected.
const WRITES: u64 = 100;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DriveFault {
    /// `optane0`.
    pub drive: String,
    pub kind: FaultKind,
}

/// When and how a drive fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FaultKind {
    /// It fails halfway through the writing and does not recover.
    Running,
    /// It does not come back after the cut.
    Cut,
    /// Some of its blocks are silently corrupted before they are read.
    Rot,
    /// It acknowledges flushes and FUA writes and does nothing for them.
    Lies,
    /// Some of its writes never reach the medium.
    LostWrites,
    /// Some of its writes reach another place.
    MisdirectedWrites,
}

impl FaultKind {
    /// What it does to writes between the beginning of the writing and the cut.
    pub fn of_writes(self) -> Option<WriteFault> {
        match self {
            FaultKind::Running | FaultKind::Cut | FaultKind::Rot => None,
            FaultKind::Lies => Some(WriteFault::LiesAboutFlushes),
            FaultKind::LostWrites => Some(WriteFault::Loses { every: WRITES }),
            FaultKind::MisdirectedWrites => Some(WriteFault::Misdirects { every: WRITES }),
        }
    }
}

impl FromStr for DriveFault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (drive, name) = text.split_once(':').unwrap_or((text, "running"));
        let kind = FaultKind::from_str(name, false).map_err(|_| {
            let words = FaultKind::value_variants().iter().filter_map(FaultKind::to_possible_value);
            let words: Vec<String> = words.map(|word| word.get_name().to_owned()).collect();
            let words = words.join(", ");
            format!("unknown fault `{name}`: write one of these after the colon: {words}")
        })?;
        Ok(Self { drive: drive.to_owned(), kind })
    }
}

impl fmt::Display for DriveFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.drive)?;
        match self.kind {
            FaultKind::Running => write!(f, "failed halfway through the writing"),
            FaultKind::Cut => write!(f, "did not come back after the cut"),
            FaultKind::Rot => {
                write!(f, "had one in {ROTTEN} of its written blocks silently zeroed")
            }
            FaultKind::Lies => write!(f, "lied about flushes"),
            FaultKind::LostWrites => write!(f, "silently lost one in {WRITES} of its writes"),
            FaultKind::MisdirectedWrites => {
                write!(f, "silently wrote one in {WRITES} of its writes to another place")
            }
        }
    }
}

/// One or two faults, chosen by a seed, that the redundancy of a pool covers: of each top-level vdev
/// at most as many drives have one as may fail. The drives in `taken` have a fault already and count. None where
/// the pool has no redundancy.
pub fn schedule(vdevs: &[Vdev], taken: &[DriveFault], seed: u64) -> Vec<DriveFault> {
    // A fault in a running machine would need a recording of its own.
    let kinds = &FaultKind::value_variants()[1..];
    let mut random = seed;
    let mut draw = |below: usize| {
        random = mix(random);
        (random % below.max(1) as u64) as usize
    };
    let mut faults: Vec<DriveFault> = Vec::new();
    for _ in 0..1 + draw(2) {
        let has_fault =
            |name: &String| taken.iter().chain(&faults).any(|fault| fault.drive == *name);
        let sound: Vec<String> = vdevs
            .iter()
            .filter(|vdev| !matches!(vdev.class, AllocationClass::Cache | AllocationClass::Spare))
            .flat_map(|vdev| {
                let names: Vec<String> = vdev.drives.iter().map(ToString::to_string).collect();
                let faulty = names.iter().filter(|name| has_fault(name)).count();
                let more = faulty < vdev.layout.tolerance(names.len() as u32) as usize;
                names.into_iter().filter(move |_| more)
            })
            .filter(|name| !has_fault(name))
            .collect();
        if sound.is_empty() {
            break;
        }
        let drive = sound[draw(sound.len())].clone();
        faults.push(DriveFault { drive, kind: kinds[draw(kinds.len())] });
    }
    faults
}

/// Checks that a variant has these drives, and that each is named once.
///
/// # Errors
/// An unknown drive, with those that it has; or a drive that is named twice.
pub fn check(drive_faults: &[DriveFault], variant: &Variant) -> Result<(), String> {
    let names: Vec<String> = variant.used_drives().map(ToString::to_string).collect();
    for (number, DriveFault { drive, .. }) in drive_faults.iter().enumerate() {
        if !names.contains(drive) {
            let (name, has) = (&variant.name, names.join(", "));
            return Err(format!("variant {name} has no drive `{drive}`; it has: {has}"));
        }
        if drive_faults[..number].iter().any(|other| other.drive == *drive) {
            return Err(format!("`{drive}` is named twice; name each drive once"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_fault_without_a_kind_happens_while_running() {
        let parsed: DriveFault = "optane0".parse().expect("a drive");
        assert_eq!((parsed.drive.as_str(), parsed.kind), ("optane0", FaultKind::Running));
        let parsed: DriveFault = "optane1:cut".parse().expect("a moment");
        assert_eq!(parsed.kind, FaultKind::Cut);
        let why = "optane1:later".parse::<DriveFault>().expect_err("no moment");
        assert!(why.contains("running, cut, rot, lies"), "{why}");
    }

    #[test]
    fn scheduled_faults_stay_within_the_redundancy_and_differ_by_seed() {
        let vdevs = |text: &str| -> Vec<Vdev> {
            let (sentence, problems) = zfs::vdev::parse(text);
            assert_eq!(problems.len(), 0);
            sentence.vdevs.into_iter().map(|placed| placed.vdev).collect()
        };
        let mirror = vdevs("mirror hdd[0-1] log optane0");
        let schedules: Vec<_> = (0..200).map(|seed| schedule(&mirror, &[], seed)).collect();
        // The log has no redundancy, and of two halves of a mirror one must stay.
        assert!(schedules.iter().all(|faults| faults.len() == 1));
        for drive in ["hdd0", "hdd1"] {
            for kind in &FaultKind::value_variants()[1..] {
                let fault = DriveFault { drive: drive.to_owned(), kind: *kind };
                assert!(schedules.iter().any(|faults| faults[..] == [fault.clone()]), "{fault}");
            }
        }
        let taken = ["hdd1:cut".parse().expect("a fault")];
        assert_eq!(schedule(&mirror, &taken, 5), []);
        let raidz2 = vdevs("raidz2 hdd[0-5]");
        let schedules: Vec<_> = (0..200).map(|seed| schedule(&raidz2, &[], seed)).collect();
        assert!(schedules.iter().any(|faults| faults.len() == 2));
        let twice =
            |faults: &Vec<DriveFault>| faults.len() == 2 && faults[0].drive == faults[1].drive;
        assert!(!schedules.iter().any(twice));
        assert!(schedules.iter().all(|faults| (1..=2).contains(&faults.len())));
    }
}
