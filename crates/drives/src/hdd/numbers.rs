//! Numbers of the disk model.

use crate::profile::in_range;
use crate::{ProfileError, ProfileNumber};
use serde::{Deserialize, Serialize};

/// Numbers of the disk model. MB is 10⁶ bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hdd {
    /// Revolutions per minute.
    pub rpm: ProfileNumber,
    /// Seek to the next track, head switch included, ms.
    pub seek_track_ms: ProfileNumber,
    /// Seek over a third of the stroke, ms.
    pub seek_average_ms: ProfileNumber,
    /// Seek over the whole stroke, ms.
    pub seek_full_ms: ProfileNumber,
    /// What a write needs beyond a read to settle on the track after a seek, ms.
    pub write_settle_ms: ProfileNumber,
    /// Sustained rate at the outer edge, MB/s.
    pub rate_outer_mb_s: ProfileNumber,
    /// Sustained rate at the inner edge, MB/s.
    pub rate_inner_mb_s: ProfileNumber,
    /// From a command's arrival to the first movement for it, ms.
    pub command_overhead_ms: ProfileNumber,
    /// Rate of the interface, MB/s.
    pub interface_mb_s: ProfileNumber,
    /// Commands the drive can choose from.
    pub queue_depth: ProfileNumber,
    /// A command this long in the queue, a revolution added for each command beside it, comes
    /// before nearer ones, ms.
    pub age_limit_ms: ProfileNumber,
    /// The same for a write in the buffer, ms.
    pub write_age_limit_ms: ProfileNumber,
    /// How far the drive reads on after a read, KiB; 0: it does not.
    pub read_ahead_kib: ProfileNumber,
    /// Stretches of read data it remembers, in as many bytes as the write buffer has.
    pub segments: ProfileNumber,
    /// Write buffer, MB.
    pub buffer_mb: ProfileNumber,
    /// Separate stretches the write buffer holds at most.
    pub buffer_writes: ProfileNumber,
    /// From the arrival of a write's data in the buffer to its acknowledgement, ms.
    pub write_ack_ms: ProfileNumber,
    /// A flush that finds nothing to write, ms.
    pub flush_overhead_ms: ProfileNumber,
}

impl Hdd {
    /// Every number with its name and the range it must lie in.
    pub(crate) fn numbers(
        &self,
    ) -> impl Iterator<Item = (&'static str, &ProfileNumber, std::ops::RangeInclusive<f64>)> {
        [
            ("rpm", &self.rpm, 60.0..=100_000.0),
            ("seek_track_ms", &self.seek_track_ms, 0.0..=1e3),
            ("seek_average_ms", &self.seek_average_ms, 0.0..=1e3),
            ("seek_full_ms", &self.seek_full_ms, 0.0..=1e4),
            ("write_settle_ms", &self.write_settle_ms, 0.0..=1e3),
            ("rate_outer_mb_s", &self.rate_outer_mb_s, 0.1..=1e5),
            ("rate_inner_mb_s", &self.rate_inner_mb_s, 0.1..=1e5),
            // With none, a host that answers at once would stream through its flushes.
            ("command_overhead_ms", &self.command_overhead_ms, 0.001..=1e3),
            ("interface_mb_s", &self.interface_mb_s, 0.1..=1e6),
            ("queue_depth", &self.queue_depth, 1.0..=65536.0),
            ("age_limit_ms", &self.age_limit_ms, 1.0..=1e6),
            ("write_age_limit_ms", &self.write_age_limit_ms, 1.0..=1e7),
            ("read_ahead_kib", &self.read_ahead_kib, 0.0..=1e7),
            ("segments", &self.segments, 0.0..=1024.0),
            ("buffer_mb", &self.buffer_mb, 0.0..=1e6),
            ("buffer_writes", &self.buffer_writes, 1.0..=1e6),
            ("write_ack_ms", &self.write_ack_ms, 0.0..=1e3),
            ("flush_overhead_ms", &self.flush_overhead_ms, 0.0..=1e3),
        ]
        .into_iter()
    }

    pub(crate) fn validate(&self) -> Result<(), ProfileError> {
        for (name, number, range) in self.numbers() {
            in_range(&format!("hdd.{name}"), number, *range.start(), *range.end())?;
        }
        let ordered = |small: (&str, &ProfileNumber), large: (&str, &ProfileNumber)| {
            if small.1.value <= large.1.value {
                return Ok(());
            }
            Err(ProfileError::OutOfRange {
                field: format!("hdd.{}", small.0),
                value: small.1.value.to_string(),
                wanted: format!("must be at most hdd.{} = {}", large.0, large.1.value),
            })
        };
        ordered(
            ("seek_track_ms", &self.seek_track_ms),
            ("seek_average_ms", &self.seek_average_ms),
        )?;
        ordered(("seek_average_ms", &self.seek_average_ms), ("seek_full_ms", &self.seek_full_ms))?;
        ordered(
            ("rate_inner_mb_s", &self.rate_inner_mb_s),
            ("rate_outer_mb_s", &self.rate_outer_mb_s),
        )
    }
}
