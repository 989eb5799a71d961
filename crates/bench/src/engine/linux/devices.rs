//! The machine's drives: those of the pool or the file system.

use crate::error::Error;
use crate::inputs::Inputs;
use contents::config::{Config, DriveConfig, FreeRequest};
use drives::Profile;
use lab::campaign::{AllocationClass, DriveRef, Variant};
use lab::model::{drive_capacity, drive_sizes};
use measurement::Cost;

/// Maximum pages of all drives together: 64 GiB, so that their contents do not grow without limit.
const PAGES: u32 = 16 << 20;

/// The configuration of the drives of a trial.
pub fn config(inputs: &Inputs) -> Result<Config, Error> {
    let variant = inputs.measured_variant();
    let mut drives = Vec::new();
    let sizes = drive_sizes(&inputs.model, &variant).into_iter();
    for (number, (drive, capacity)) in sizes.enumerate() {
        drives.push(DriveConfig {
            name: drive.to_string(),
            profile: profile(&variant, inputs.without, &drive)?,
            real_capacity: drive_capacity(&variant, &drive.kind).unwrap_or(capacity),
            capacity,
            // Drives of one machine differ in rotation and latency tails; a drive has the same seed in all
            // variants that have it at the same position.
            seed: inputs.seed.wrapping_mul(1_000_003).wrapping_add(number as u64),
            free: free(inputs, &drive),
            failed: false,
        });
    }
    Ok(Config {
        pages: PAGES,
        drives,
        memory: Some(machine::memory::DRIVES),
        spill: Some(machine::memory::SPILL),
        image: None,
        record: None,
        reads: false,
    })
}

fn profile(variant: &Variant, without: Option<Cost>, drive: &DriveRef) -> Result<Profile, Error> {
    let kind = variant.drives.get(&drive.kind);
    let unusable =
        |why: String| Error::failed(format!("the profile of drive {drive} cannot be used: {why}"));
    let kind = kind.ok_or_else(|| unusable("the variant has no such drive".to_owned()))?;
    let mut profile = kind.drive_profile().map_err(|e| unusable(e.to_string()))?;
    if without == Some(Cost::Seek)
        && let Some(hdd) = &mut profile.hdd
    {
        for number in [
            &mut hdd.seek_track_ms, &mut hdd.seek_average_ms, &mut hdd.seek_full_ms,
            &mut hdd.write_settle_ms,
        ] {
            *number = drives::ProfileNumber::stated(0.0);
        }
    }
    profile.validate().map_err(|e| unusable(e.to_string()))?;
    Ok(profile)
}

/// Requests of a drive that take no time, to remove a trial's cost.
fn free(inputs: &Inputs, drive: &DriveRef) -> Vec<FreeRequest> {
    let Variant { pool, .. } = &inputs.variant;
    let is_of = |class| pool.drives_of_class(class).any(|one| one == drive);
    let is_log = is_of(AllocationClass::Log);
    let takes_log = is_of(inputs.variant.log_class());
    match inputs.without {
        Some(Cost::LogFlush) if takes_log => vec![FreeRequest::Flush],
        Some(Cost::LogWrite) if is_log => vec![FreeRequest::Write],
        Some(Cost::PoolRead) if !is_log => vec![FreeRequest::Read],
        _ => Vec::new(),
    }
}
