//! Drive profiles: the numbers that describe one drive model.

use crate::card::{Card, CardDrive};
use crate::flash::{Flash, FlashDrive};
use crate::hdd::{Hdd, HddDrive};
use crate::instant::InstantDrive;
use crate::{Drive, ProfileError, ProfileNumber};
use serde::{Deserialize, Serialize};

/// Write cache of a drive whose model has no size for it, bytes: that on the data sheets of most disks.
const UNKNOWN_CACHE: u64 = 256_000_000;

/// The timing model of a drive: which section of a profile holds its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimingModel {
    /// A disk with heads and platters: section `[hdd]`.
    Hdd,
    /// Flash, Optane and anything else that is a set of parallel servers: section `[flash]`.
    Flash,
    /// A RAID card with drives behind it: section `[card]`.
    Card,
    /// Finishes everything at once; for tests of what stands above the drive.
    Instant,
}

/// What a drive does on a flush, and on a FUA write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FlushBehaviour {
    /// It completes when everything acknowledged before it is durable.
    Honest,
    /// It completes at once and leaves the volatile cache as it was; a FUA write is an ordinary write.
    Lies,
}

/// A drive model with all its numbers: `profiles/<name>.toml`, with a lab's overrides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// What the drive is, for people.
    pub description: String,
    /// Which model the numbers are for.
    pub kind: TimingModel,
    /// Bytes of the real drive.
    pub capacity: ProfileNumber,
    /// Smallest addressable unit, bytes.
    pub logical_sector: ProfileNumber,
    /// Smallest unit the medium writes, bytes; smaller writes read and write it back.
    pub physical_sector: ProfileNumber,
    /// Physical sector that the drive reports, bytes; left out where it reports `physical_sector`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported_sector: Option<ProfileNumber>,
    /// Whether the drive reports itself as rotating.
    pub rotational: bool,
    /// Whether writes are acknowledged from a buffer.
    pub write_cache: bool,
    /// Whether the buffer survives a power cut.
    pub power_loss_protection: bool,
    /// What a flush does.
    pub flush: FlushBehaviour,
    /// A write cut by a power loss is whole in units of this many bytes.
    pub tearing: ProfileNumber,
    /// Numbers of the disk model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hdd: Option<Hdd>,
    /// Numbers of the flash model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flash: Option<Flash>,
    /// Numbers of the RAID card model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<Card>,
}

impl Profile {
    /// Reads and validates the text of a `profiles/<name>.toml`.
    pub fn from_toml(text: &str) -> Result<Self, ProfileError> {
        let profile: Self = toml::from_str(text).map_err(|error| ProfileError::Syntax {
            message: error.message().to_owned(),
            span: error.span(),
        })?;
        profile.validate()?;
        Ok(profile)
    }

    /// The profile with some of its values replaced, as a lab's long form does
    /// (`{ profile = "…", flush = "lies", hdd.rpm = 5400 }`, without `profile` and `count`).
    /// A new value replaces range and source as well.
    pub fn overridden(&self, overrides: &toml::Table) -> Result<Self, ProfileError> {
        let syntax = |message: String| ProfileError::Syntax { message, span: None };
        let mut table = toml::Table::try_from(self).map_err(|e| syntax(e.to_string()))?;
        merge(&mut table, overrides);
        let profile: Self =
            table.try_into().map_err(|e: toml::de::Error| syntax(e.message().to_owned()))?;
        profile.validate()?;
        Ok(profile)
    }

    /// Checks every number against its range and the sections against the kind.
    pub fn validate(&self) -> Result<(), ProfileError> {
        const MAX_BYTES: f64 = (1u64 << 50) as f64;
        in_range("capacity", &self.capacity, 1e6, MAX_BYTES)?;
        // Linux gives a disk no block above a page.
        power_of_two("logical_sector", &self.logical_sector, 4096.0)?;
        power_of_two("physical_sector", &self.physical_sector, 65536.0)?;
        self.validate_tearing()?;
        if self.physical_sector.value < self.logical_sector.value {
            return Err(ProfileError::OutOfRange {
                field: "physical_sector".to_owned(),
                value: self.physical_sector.value.to_string(),
                wanted: format!("must be at least logical_sector = {}", self.logical_sector.value),
            });
        }
        if let Some(reported) = &self.reported_sector {
            power_of_two("reported_sector", reported, 65536.0)?;
            let within = self.logical_sector.value..=self.physical_sector.value;
            if !within.contains(&reported.value) {
                return Err(ProfileError::OutOfRange {
                    field: "reported_sector".to_owned(),
                    value: reported.value.to_string(),
                    wanted: format!(
                        "must be from logical_sector = {} to physical_sector = {}",
                        within.start(),
                        within.end()
                    ),
                });
            }
        }
        let expect = |section: &str, present: bool, needed: bool| match (present, needed) {
            (true, false) => Err(ProfileError::Section(format!(
                "[{section}] is not used by kind = {:?}: remove it or change the kind",
                self.kind
            ))),
            (false, true) => Err(ProfileError::Section(format!(
                "kind = {:?} needs a section [{section}]",
                self.kind
            ))),
            _ => Ok(()),
        };
        expect("hdd", self.hdd.is_some(), self.kind == TimingModel::Hdd)?;
        expect("flash", self.flash.is_some(), self.kind == TimingModel::Flash)?;
        expect("card", self.card.is_some(), self.kind == TimingModel::Card)?;
        if let Some(card) = &self.card {
            card.validate()?;
        }
        if let Some(hdd) = &self.hdd {
            hdd.validate()?;
        }
        if let Some(flash) = &self.flash {
            flash.validate()?;
        }
        Ok(())
    }

    /// A drive writes whole sectors, so that a power cut tears no sector.
    fn validate_tearing(&self) -> Result<(), ProfileError> {
        in_range("tearing", &self.tearing, 512.0, 1e9)?;
        let sector = self.logical_sector.value;
        if self.tearing.value % sector == 0.0 {
            return Ok(());
        }
        Err(ProfileError::OutOfRange {
            field: "tearing".to_owned(),
            value: self.tearing.value.to_string(),
            wanted: format!(
                "must be a whole multiple of logical_sector = {sector}: write {sector} where a power cut can tear a write at every sector"
            ),
        })
    }

    /// Whether it has the section of a model: `hdd`, `flash` or `card`.
    pub fn has_section(&self, name: &str) -> bool {
        match name {
            "hdd" => self.hdd.is_some(),
            "flash" => self.flash.is_some(),
            "card" => self.card.is_some(),
            _ => false,
        }
    }

    /// The physical sector that the drive reports, bytes. OpenZFS chooses an ashift from it; advice goes by
    /// the true one, `physical_sector`.
    pub fn reported_physical_sector(&self) -> f64 {
        let reported = self.reported_sector.as_ref();
        reported.unwrap_or(&self.physical_sector).value
    }

    /// Whether a power cut can lose acknowledged writes that no flush has covered.
    pub fn volatile_cache(&self) -> bool {
        match &self.card {
            // What is written through a card is acknowledged from its members' caches.
            Some(card) if !self.write_cache => card.member.volatile_cache(),
            _ => self.write_cache && !self.power_loss_protection,
        }
    }

    /// Bytes of acknowledged writes that its caches hold at the most: what a power cut can find in them where they are
    /// volatile, or are taken to be.
    pub fn write_cache_bytes(&self) -> u64 {
        let bytes = |mb: f64| (mb * 1e6) as u64;
        match (&self.hdd, &self.flash, &self.card) {
            (Some(hdd), ..) => bytes(hdd.buffer_mb.value),
            // Profiles of protected drives state no volatile part. It is the buffer that their capacitors protect.
            (_, Some(flash), _) if flash.volatile_mb.value == 0.0 => bytes(flash.buffer_mb.value),
            (_, Some(flash), _) => bytes(flash.volatile_mb.value),
            (.., Some(card)) => {
                let own = card.cache_mb.value * (1.0 - card.read_share.value);
                let own = if self.write_cache { bytes(own) } else { 0 };
                let volatile = card.member.volatile_cache();
                let each = if volatile { card.member.write_cache_bytes() } else { 0 };
                own.saturating_add(each.saturating_mul(card.data_members()))
            }
            _ => UNKNOWN_CACHE,
        }
    }

    /// Whether a completed flush can leave acknowledged writes in a volatile cache. A card whose own cache does not
    /// survive a power cut, or that writes through, keeps data in its members' caches: it can promise no more than
    /// they keep.
    pub fn lies(&self) -> bool {
        let lies = |profile: &Profile| profile.flush == FlushBehaviour::Lies;
        let protected = self.write_cache && self.power_loss_protection;
        let member = self.card.as_ref().filter(|_| !protected).map(|card| &card.member);
        lies(self) || member.is_some_and(|member| member.volatile_cache() && lies(member))
    }

    /// Makes a drive. `real_capacity` and `scaled_capacity` are bytes: offsets of requests are on
    /// the scaled drive, positions of heads on the real one. Drives with different seeds differ in
    /// rotational phase and in their tails.
    pub fn drive(&self, real_capacity: u64, scaled_capacity: u64, seed: u64) -> Box<dyn Drive> {
        match (self.kind, &self.hdd, &self.flash) {
            (TimingModel::Hdd, Some(hdd), _) => {
                Box::new(HddDrive::new(self, hdd, real_capacity, scaled_capacity, seed))
            }
            (TimingModel::Flash, _, Some(flash)) => Box::new(FlashDrive::new(self, flash, seed)),
            (TimingModel::Card, ..) if self.card.is_some() => {
                CardDrive::boxed(self, real_capacity, scaled_capacity, seed)
            }
            // `validate` refuses a profile whose section is missing; one that was never validated
            // makes the drive that claims nothing.
            _ => Box::new(InstantDrive::default()),
        }
    }

    /// Every number with its dotted path, in the order of the file.
    pub fn numbers(&self) -> Vec<(String, &ProfileNumber)> {
        let mut all = vec![
            ("capacity".to_owned(), &self.capacity),
            ("logical_sector".to_owned(), &self.logical_sector),
            ("physical_sector".to_owned(), &self.physical_sector),
            ("tearing".to_owned(), &self.tearing),
        ];
        let reported = self.reported_sector.iter();
        all.extend(reported.map(|v| ("reported_sector".to_owned(), v)));
        if let Some(hdd) = &self.hdd {
            all.extend(hdd.numbers().map(|(n, v, _)| (format!("hdd.{n}"), v)));
        }
        if let Some(flash) = &self.flash {
            all.extend(flash.numbers().map(|(n, v, _)| (format!("flash.{n}"), v)));
        }
        if let Some(card) = &self.card {
            all.extend(card.numbers().map(|(n, v, _)| (format!("card.{n}"), v)));
            let member = card.member.numbers().into_iter();
            all.extend(member.map(|(n, v)| (format!("card.member.{n}"), v)));
        }
        all
    }
}

fn merge(base: &mut toml::Table, overrides: &toml::Table) {
    for (key, new) in overrides {
        match (base.get_mut(key), new) {
            // A number with a new value is a new number: neither its range nor its source holds.
            (Some(toml::Value::Table(old)), toml::Value::Table(new))
                if !new.contains_key("value") =>
            {
                merge(old, new);
            }
            _ => {
                base.insert(key.clone(), new.clone());
            }
        }
    }
}

/// Checks that a number and its range lie in `min..=max`.
pub(crate) fn in_range(
    field: &str,
    number: &ProfileNumber,
    min: f64,
    max: f64,
) -> Result<(), ProfileError> {
    let low = number.low.unwrap_or(number.value);
    let high = number.high.unwrap_or(number.value);
    let refuse = |value: f64, wanted: String| {
        Err(ProfileError::OutOfRange { field: field.to_owned(), value: value.to_string(), wanted })
    };
    for value in [number.value, low, high] {
        if !(min..=max).contains(&value) {
            return refuse(value, format!("must be between {min} and {max}"));
        }
    }
    if !(low..=high).contains(&number.value) {
        return refuse(number.value, format!("must lie in its own range {low} to {high}"));
    }
    Ok(())
}

fn power_of_two(field: &str, number: &ProfileNumber, most: f64) -> Result<(), ProfileError> {
    in_range(field, number, 512.0, most)?;
    if number.value.fract() == 0.0 && number.whole().is_power_of_two() {
        return Ok(());
    }
    Err(ProfileError::OutOfRange {
        field: field.to_owned(),
        value: number.value.to_string(),
        wanted: "must be a power of two".to_owned(),
    })
}
