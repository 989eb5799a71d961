//! Numbers of a RAID card.

use super::layout::{Layout, RaidLevel};
use crate::profile::in_range;
use crate::{Profile, ProfileError, ProfileNumber};
use serde::{Deserialize, Serialize};

/// Numbers of a RAID card. Of the profile around it, `write_cache` is write-back (else
/// write-through) and `power_loss_protection` the battery. MB is 10⁶ bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    /// How the members are put together.
    pub level: RaidLevel,
    /// Members in the array.
    pub members: ProfileNumber,
    /// Bytes of an array's strip on one member, KiB.
    pub strip_kib: ProfileNumber,
    /// Memory for data, MB.
    pub cache_mb: ProfileNumber,
    /// Share of it for reads (the knob "cache ratio"), 0 to 1.
    pub read_share: ProfileNumber,
    /// How far a sequential read is read on, KiB; 0: not.
    pub read_ahead_kib: ProfileNumber,
    /// What the card adds to a request that goes to a member, µs.
    pub overhead_us: ProfileNumber,
    /// A write taken by the write-back cache, or a read from it, µs.
    pub cache_us: ProfileNumber,
    /// Requests per second the card can handle.
    pub iops: ProfileNumber,
    /// Its rate to the host, MB/s.
    pub interface_mb_s: ProfileNumber,
    /// Requests it keeps in each member.
    pub member_queue: ProfileNumber,
    /// The drives behind it.
    pub member: Box<Profile>,
}

impl Card {
    /// Every number of its own with its name and the range it must lie in.
    pub(crate) fn numbers(
        &self,
    ) -> impl Iterator<Item = (&'static str, &ProfileNumber, std::ops::RangeInclusive<f64>)> {
        [
            ("members", &self.members, 1.0..=240.0),
            ("strip_kib", &self.strip_kib, 4.0..=4096.0),
            ("cache_mb", &self.cache_mb, 0.0..=1e6),
            ("read_share", &self.read_share, 0.0..=1.0),
            ("read_ahead_kib", &self.read_ahead_kib, 0.0..=65536.0),
            ("overhead_us", &self.overhead_us, 0.0..=1e6),
            ("cache_us", &self.cache_us, 0.1..=1e6),
            ("iops", &self.iops, 1.0..=1e8),
            ("interface_mb_s", &self.interface_mb_s, 0.1..=1e6),
            ("member_queue", &self.member_queue, 1.0..=4096.0),
        ]
        .into_iter()
    }

    /// Members that data is spread over, without parity and second copies.
    pub(crate) fn data_members(&self) -> u64 {
        self.layout().columns().max(1)
    }

    /// Where its data lies.
    pub(super) fn layout(&self) -> Layout {
        Layout {
            level: self.level,
            members: self.members.whole().max(1),
            strip: self.strip_kib.whole() << 10,
        }
    }

    pub(crate) fn validate(&self) -> Result<(), ProfileError> {
        for (name, number, range) in self.numbers() {
            in_range(&format!("card.{name}"), number, *range.start(), *range.end())?;
        }
        if self.member.card.is_some() {
            return Err(ProfileError::Section(
                "card.member is a card itself: name a drive".to_owned(),
            ));
        }
        self.member.validate()?;
        let (least, even) = match self.level {
            RaidLevel::Raid0 => (1.0, false),
            RaidLevel::Raid1 => (2.0, false),
            RaidLevel::Raid5 => (3.0, false),
            RaidLevel::Raid6 => (4.0, false),
            RaidLevel::Raid10 => (4.0, true),
        };
        let members = self.members.value;
        if members < least || members.fract() != 0.0 || (even && members % 2.0 != 0.0) {
            return Err(ProfileError::OutOfRange {
                field: "card.members".to_owned(),
                value: members.to_string(),
                wanted: format!(
                    "{:?} needs {} members or more{}",
                    self.level,
                    least,
                    if even { ", in pairs" } else { "" }
                ),
            });
        }
        if self.strip_kib.value.fract() != 0.0 || !self.strip_kib.whole().is_power_of_two() {
            return Err(ProfileError::OutOfRange {
                field: "card.strip_kib".to_owned(),
                value: self.strip_kib.value.to_string(),
                wanted: "must be a power of two".to_owned(),
            });
        }
        Ok(())
    }
}
