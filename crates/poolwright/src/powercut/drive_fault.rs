//! A drive fault in addition to the power cut: `--fail DRIVE[:WHEN]`.

use lab::campaign::Variant;
use std::fmt;
use std::str::FromStr;

/// A drive that fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DriveFault {
    /// `optane0`.
    pub drive: String,
    /// When and how it fails.
    pub kind: FaultKind,
}

/// When and how a drive fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// It fails halfway through the writing and does not recover.
    Running,
    /// It does not come back after the cut.
    Cut,
    /// Some of its blocks are silently corrupted before they are read.
    Rot,
}

impl FromStr for DriveFault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (drive, kind) = text.split_once(':').unwrap_or((text, "running"));
        let kind = match kind {
            "running" => FaultKind::Running,
            "cut" => FaultKind::Cut,
            "rot" => FaultKind::Rot,
            other => {
                return Err(format!(
                    "unknown fault `{other}`: write running, cut or rot after the colon"
                ));
            }
        };
        Ok(Self { drive: drive.to_owned(), kind })
    }
}

impl fmt::Display for DriveFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = match self.kind {
            FaultKind::Running => "failed halfway through the writing",
            FaultKind::Cut => "did not come back after the cut",
            FaultKind::Rot => "had one in 50 of its written blocks silently zeroed",
        };
        write!(f, "{} {how}", self.drive)
    }
}

/// Checks that a variant's pool has these drives, and that each is named once.
///
/// # Errors
/// An unknown drive, with the drives of the pool; or a drive that is named twice.
pub fn check(drive_faults: &[DriveFault], variant: &Variant) -> Result<(), String> {
    let names: Vec<String> = variant.used_drives().map(ToString::to_string).collect();
    for (number, DriveFault { drive, .. }) in drive_faults.iter().enumerate() {
        if !names.contains(drive) {
            return Err(format!(
                "the pool of variant {} has no drive `{drive}`; it has: {}",
                variant.name,
                names.join(", ")
            ));
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
        assert!(why.contains("running, cut or rot"), "{why}");
    }
}
