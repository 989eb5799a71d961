//! `poolwright shell LAB`: a root shell in the modelled server.

use crate::exit::Refusal;
use crate::lab_file::{load_or_explain, release};
use ::machine::DEVICE;
use ::machine::scratch::Scratch;
use bench::engine::linux::Linux;
use bench::engine::linux::shell::{MOUNT, Shell, blank_drives};
use bench::inputs::Inputs;
use bench::stop::Stop;
use bench::trial_spec::TrialSpec;
use lab::build_commands::POOL;
use lab::campaign::{Campaign, DriveRef, OpenZfs, Stack};
use std::io::{IsTerminal, Read};
use std::num::NonZeroU32;
use std::time::Duration;

/// Open a root shell in the modelled server, with a variant's pool built
///
/// Inside are zpool, zfs, zdb, fio and all other programs of this host, on drives that behave like those of
/// the lab. The host's files can be read but not written. Nothing is kept when the shell ends.
///
/// Commands may come from standard input, which is read to its end first:
/// echo 'zpool status' | poolwright shell demo mirror
///
/// Exit codes: that of the shell · 2 the lab or an argument is wrong · 3 this host lacks something, or the
/// pool could not be built · 130 interrupted.
#[derive(clap::Args)]
pub struct Args {
    /// A lab file, or the name of a built-in lab
    lab: String,
    /// One of its variants [default: the baseline]
    variant: Option<String>,
    /// Virtual seconds that pass per real second while the machine is idle [default: its clock jumps to the
    /// next event]
    #[arg(long, value_name = "N")]
    pace: Option<NonZeroU32>,
    /// OpenZFS release to use instead of the lab's
    #[arg(long, value_name = "RELEASE", value_parser = release)]
    openzfs: Option<OpenZfs>,
}

impl Args {
    pub fn run(self) -> Result<u8, Refusal> {
        if self.lab == "-" {
            let why = "standard input is the shell's, so the lab must be a file or a built-in lab";
            return Err(Refusal::usage(why));
        }
        let (_, loaded) = load_or_explain(&self.lab, self.openzfs)?;
        loaded.draw_diagnostics();
        let model = loaded.model()?;
        let campaign = &loaded.campaign;
        let variant = self.index(campaign)?;
        let linux = Linux::find(Duration::MAX)?;
        let inputs = Inputs::new(campaign, &model, &TrialSpec::repeat(variant, 0, 0), "");
        let scratch = Scratch::new().map_err(|e| {
            Refusal::environment(format!("cannot make a directory for the machine: {e}: set XDG_CACHE_HOME to a directory that you can write to"))
        })?;
        let stop = Stop::at_signals()?;
        let input = input()
            .map_err(|e| Refusal::environment(format!("cannot read standard input: {e}")))?;
        let name = &campaign.variants[variant].name;
        let greeting = greeting(&format!("{} {name}", campaign.name), &inputs, self.pace);
        let shell = Shell {
            inputs: &inputs,
            client: None,
            drives: None,
            directory: scratch.path(),
            pace: self.pace.map_or(0, NonZeroU32::get),
            greeting: &greeting,
            input: input.as_deref(),
        };
        Ok(linux.shell(&shell, &stop)?)
    }

    /// The number of the variant.
    fn index(&self, campaign: &Campaign) -> Result<usize, Refusal> {
        // The baseline comes first.
        let Some(wanted) = &self.variant else {
            return Ok(0);
        };
        let names = || campaign.variants.iter().map(|variant| variant.name.as_str());
        names().position(|name| name == wanted).ok_or_else(|| {
            let hint = match lab::diagnostic::nearest(wanted, names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("it has {}", names().collect::<Vec<_>>().join(", ")),
            };
            let lab = &self.lab;
            Refusal::usage(format!("{lab} has no variant `{wanted}`: {hint}"))
        })
    }
}

/// Standard input to its end; none when it is a terminal.
pub(crate) fn input() -> std::io::Result<Option<Vec<u8>>> {
    let mut stdin = std::io::stdin();
    if stdin.is_terminal() {
        return Ok(None);
    }
    let mut text = Vec::new();
    stdin.read_to_end(&mut text)?;
    Ok(Some(text))
}

fn greeting(name: &str, inputs: &Inputs, pace: Option<NonZeroU32>) -> String {
    let drives: Vec<&DriveRef> = inputs.variant.used_drives().collect();
    let list = |drives: &mut dyn Iterator<Item = String>| drives.collect::<Vec<_>>().join(" ");
    let used = list(&mut drives.iter().map(|drive| format!("{DEVICE}{drive}")));
    let blank = list(&mut blank_drives(inputs).iter().map(|drive| format!("{DEVICE}{drive}")));
    let what = match &inputs.variant.stack {
        Stack::Zfs => format!("pool {POOL}, mounted at {MOUNT}"),
        Stack::Filesystem(on_drives) => match on_drives.level {
            Some(_) => format!("array /dev/md/{POOL}, mounted at {MOUNT}"),
            None => format!("{} on {used}, mounted at {MOUNT}", on_drives.name()),
        },
    };
    let pull = drives.first().map_or(String::new(), |drive| drive.to_string());
    let clock = match pace {
        None => "jumps to the next event while nothing runs: minutes pass in a second; see --pace"
            .to_owned(),
        Some(pace) => format!("{pace} s pass in a second while nothing runs"),
    };
    format!(
        "\npoolwright: {name}: {what}\n\
         drives  {used}\n\
         unused  {blank}\n\
         fail    echo fail {pull} > /proc/drives\n\
         clock   {clock}\n\
         leave   exit or Ctrl-D; nothing is kept\n\n"
    )
}
