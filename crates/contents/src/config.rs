//! Configuration of a machine's drives: written by the host, read by the kernel at its start.

use drives::Profile;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Bytes of the drives' contents that are kept in memory where there is a file for more. Contents only grow under
/// long or fast writes: OpenZFS does not discard what it frees, `autotrim` is off by default.
pub const MEMORY_LIMIT: u64 = 4 << 30;

/// The drives of a machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Pages of 4 KiB that all drives together may hold.
    pub pages: u32,
    /// A descriptor of memory, inherited, that holds what the drives hold; none for memory of its own. What is in it
    /// counts only where `image` is an index; but memory that was touched before is quicker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<i32>,
    /// A descriptor of a file, inherited, for what the drives hold beyond [`MEMORY_LIMIT`]; none keeps everything in
    /// memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spill: Option<i32>,
    /// The drives, in the order in which the kernel finds them.
    pub drives: Vec<DriveConfig>,
    /// An image or an index that the drives begin with; none for empty drives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<PathBuf>,
    /// Where every write, completion, flush and discard is recorded from the start; none for no record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<PathBuf>,
    /// Which pages are read of what the drives begin with is noted, for the command `reads`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub reads: bool,
}

/// One drive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DriveConfig {
    /// Its name in the lab: `hdd3`.
    pub name: String,
    /// The numbers of its kind.
    pub profile: Profile,
    /// Bytes of the real drive.
    pub real_capacity: u64,
    /// Bytes of the scaled drive.
    pub capacity: u64,
    /// Seed of its model.
    pub seed: u64,
    /// Requests that complete at once: `run --why` removes their cost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub free: Vec<FreeRequest>,
    /// It is dead from the start: every request ends in an error.
    #[serde(default, skip_serializing_if = "is_false")]
    pub failed: bool,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// Requests that complete at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FreeRequest {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Flushes.
    Flush,
}

impl Config {
    /// Reads and checks a configuration.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn from_json(text: &str) -> Result<Config, String> {
        let config: Config = serde_json::from_str(text).map_err(|e| e.to_string())?;
        for drive in &config.drives {
            drive.profile.validate().map_err(|e| format!("drive {}: {e}", drive.name))?;
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_' || c == '.';
            if drive.name.is_empty() || drive.name.len() > 24 || !drive.name.chars().all(plain) {
                return Err(format!("drive {:?} cannot be a device's name", drive.name));
            }
        }
        Ok(config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drives::ProfileNumber;

    /// A trial's key has the numbers as they are written here. The kernel must read the same ones.
    #[test]
    fn numbers_are_read_as_they_were_written() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../profiles/pm983-960g.toml");
        let mut profile = Profile::from_toml(&std::fs::read_to_string(path).unwrap()).unwrap();
        for number in 1..2000 {
            profile.flash.as_mut().unwrap().trim_us =
                ProfileNumber::stated(f64::from(number) / 7919.0);
            let drive = DriveConfig {
                name: "ssd0".to_owned(),
                profile: profile.clone(),
                real_capacity: 1 << 30,
                capacity: 1 << 30,
                seed: u64::MAX,
                free: Vec::new(),
                failed: false,
            };
            let config = Config {
                pages: 1,
                memory: None,
                spill: None,
                drives: vec![drive],
                image: None,
                record: None,
                reads: false,
            };
            let text = serde_json::to_string(&config).unwrap();
            assert_eq!(Config::from_json(&text), Ok(config), "{text}");
        }
    }
}
