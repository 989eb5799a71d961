//! `poolwright profiles [NAME]`: the drive models that come with Poolwright.

use crate::exit::Refusal;
use crate::output;
use drives::Profile;
use lab::Profiles;
use lab::units::about;
use text::line::aligned;

/// List the drive models that labs can name, or print one with the sources of its numbers
///
/// The text of one is a start for a profile of your own: `poolwright profiles hdd-7200-8t > mine.toml`, then
/// `hdd = "4x mine.toml"` in the lab.
///
/// Exit codes: 0 printed · 2 there is no such profile.
#[derive(clap::Args)]
pub struct Args {
    /// One of them
    name: Option<String>,
}

impl Args {
    pub fn run(self) -> Result<u8, Refusal> {
        let profiles = Profiles::builtin();
        let Some(name) = self.name else {
            return Ok(output::print(&list(&profiles)));
        };
        match profiles.text(&name) {
            Some(text) => Ok(output::print(text)),
            None => {
                let fix = profiles.suggest(&name);
                Err(Refusal::usage(format!("there is no drive profile `{name}`; {fix}")))
            }
        }
    }
}

/// A line each: name, capacity, write cache, description.
fn list(profiles: &Profiles) -> String {
    let rows: Vec<[String; 4]> = profiles.names().filter_map(|name| row(profiles, name)).collect();
    aligned(&rows, 1..2)
}

fn row(profiles: &Profiles, name: &str) -> Option<[String; 4]> {
    let profile = profiles.get(name)?.ok()?;
    let capacity = about(profile.capacity.whole());
    Some([name.to_owned(), capacity, cache(&profile).to_owned(), profile.description])
}

/// Its write cache, as far as a power cut is concerned.
fn cache(profile: &Profile) -> &'static str {
    match profile.write_cache {
        _ if profile.lies() => "lies about flushes",
        true if profile.power_loss_protection => "protected cache",
        _ if profile.volatile_cache() => "volatile cache",
        _ => "no cache",
    }
}
