//! Profiles of the repository, for tests.

use drives::Profile;
use std::path::Path;

/// The folder of profiles.
pub fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../profiles"))
}

/// Reads `profiles/<name>.toml`.
pub fn profile(name: &str) -> Profile {
    let path = folder().join(format!("{name}.toml"));
    let text = std::fs::read_to_string(&path).expect("profile is readable");
    Profile::from_toml(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Bytes of the real drive.
pub fn capacity(profile: &Profile) -> u64 {
    profile.capacity.value as u64
}
