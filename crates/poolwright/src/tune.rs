//! `poolwright tune SERVER`: chooses settings for a server on a pool, each with its reason.

use crate::exit::Refusal;
use crate::output;
use advice::format::printable;
use advice::raid_card::CardTool;
use advice::tune::{Choice, Difference, File, Need, Server, Workload, differences, files, tune};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde_json::json;
use std::path::{Path, PathBuf};
use text::{Language, advice::Label};

/// Settings for a server on ZFS, each with its reason and sources
///
/// Covers datasets, pool, zfs module, server, udev and RAID card. Prints the files, or writes them
/// with -o; --pool also shows what they change. No setting may lose acknowledged writes unless
/// --allow-loss permits it.
///
/// Exit codes: 0 done · 2 usage or unreadable input · 3 the files could not be written.
#[derive(clap::Args)]
pub struct Args {
    /// The server
    #[arg(value_parser = one_of(SERVERS))]
    server: Server,
    /// The machine: memory and processor cores, as in "128G,32 cores"
    #[arg(long, value_name = "MEMORY,CORES")]
    host: Option<String>,
    /// A lab, or a text such as zpool status, zfs get all, lsblk -J, postgresql.conf; may be repeated
    #[arg(long, value_name = "FILE")]
    pool: Vec<String>,
    /// The main workload [default: oltp for databases, else mixed]
    #[arg(long, value_parser = one_of(WORKLOADS))]
    workload: Option<Workload>,
    /// Permit a power cut to lose the acknowledged writes of this time, as in "5s"
    #[arg(long, value_name = "TIME")]
    allow_loss: Option<String>,
    /// The RAID card's program, if --pool does not show it
    #[arg(long, value_parser = one_of(CARDS))]
    card: Option<CardTool>,
    /// Write the files below this directory
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Language, en or zh [default: that of the locale]
    #[arg(long, value_parser = crate::report::language)]
    lang: Option<text::Language>,
    /// Print JSON on standard output
    #[arg(long)]
    json: bool,
}

/// Each server with its word and what help says of it.
const SERVERS: &[(&str, &str, Server)] = &[
    ("postgresql", "", Server::Postgresql),
    ("mysql", "MySQL or MariaDB", Server::Mysql),
    ("nfs", "", Server::Nfs),
    ("smb", "", Server::Smb),
    ("generic", "", Server::Generic),
];

/// As [`SERVERS`].
const WORKLOADS: &[(&str, &str, Workload)] = &[
    ("oltp", "Short transactions", Workload::Oltp),
    ("analytics", "Scans of much data", Workload::Analytics),
    ("small-files", "", Workload::SmallFiles),
    ("large-files", "", Workload::LargeFiles),
    ("vm", "Images of virtual machines", Workload::Vm),
    ("mixed", "", Workload::Mixed),
];

/// As [`SERVERS`].
const CARDS: &[(&str, &str, CardTool)] = &[
    ("storcli", "Broadcom MegaRAID", CardTool::Storcli),
    ("perc", "Dell PERC", CardTool::Perccli),
    ("arcconf", "Adaptec, Microchip SmartRAID, H3C P460", CardTool::Arcconf),
    ("ssacli", "HPE Smart Array", CardTool::Ssacli),
];

/// Reads one of some words.
fn one_of<T: Copy + Send + Sync + 'static>(
    known: &'static [(&str, &str, T)],
) -> impl TypedValueParser<Value = T> {
    let value = |(word, help, _): &'static (&str, &str, T)| match help.is_empty() {
        true => PossibleValue::new(*word),
        false => PossibleValue::new(*word).help(*help),
    };
    let parser = PossibleValuesParser::new(known.iter().map(value));
    parser.try_map(|text| {
        let found = known.iter().find(|(word, ..)| *word == text);
        found.map(|(.., value)| *value).ok_or("unknown")
    })
}

impl Args {
    pub fn run(self) -> Result<u8, Refusal> {
        let (need, notes) = self.need().map_err(Refusal::usage)?;
        for note in notes {
            output::complain(&format!("note: {note}\n"));
        }
        let language = self.lang.unwrap_or_else(crate::report::locale);
        let choices = tune(&need);
        let files = files(&choices, language);
        let changes = differences(&need, &choices);
        if let Some(directory) = &self.output {
            for file in &files {
                install(directory, file).map_err(|e| {
                    let (path, below) = (&file.path, directory.display());
                    let fix = "choose another directory with -o";
                    Refusal::environment(format!("cannot write {path} below {below}: {e}; {fix}"))
                })?;
            }
        }
        Ok(output::print(&if self.json {
            let shown = json!({
                "need": {
                    "server": need.server, "workload": need.workload, "memory": need.memory,
                    "cores": need.cores, "allow_loss_s": need.allow_loss_s,
                },
                "choices": json_choices(&choices, language),
                "files": files,
                "differences": changes,
            });
            format!("{shown:#}\n")
        } else {
            self.text(&choices, &files, &changes, language)
        }))
    }

    /// The requirements of the command line, and notes on input that could not be read.
    fn need(&self) -> Result<(Need, Vec<String>), String> {
        let (system, unread) = match self.pool.is_empty() {
            true => Default::default(),
            false => crate::audit::system(&self.pool)?,
        };
        if !self.pool.is_empty() && system == Default::default() {
            return Err(format!(
                "{}: unknown kind of text; pass a lab, or the output of `zpool status`, `zfs get \
                 all` or `lsblk -J`",
                self.pool.join(", ")
            ));
        }
        let unknown = "the machine's memory is not known; pass --host \"128G,32 cores\", or a lab with --pool";
        let (memory, cores) = match &self.host {
            Some(host) => machine(host)?,
            None => (system.memory.as_ref().ok_or(unknown)?.value, 8),
        };
        let (server, card) = (self.server, self.card);
        let workload = self.workload.unwrap_or(match server {
            Server::Postgresql | Server::Mysql => Workload::Oltp,
            Server::Nfs | Server::Smb | Server::Generic => Workload::Mixed,
        });
        let allow_loss_s = self.allow_loss.as_deref().map_or(Ok(0.0), time)?;
        let mut notes: Vec<String> =
            unread.iter().map(|u| format!("{}: {}", u.at, u.what)).collect();
        let need = Need { server, workload, memory, cores, allow_loss_s, system, card };
        notes.extend(other_pools(&need));
        Ok((need, notes))
    }

    fn text(
        &self,
        choices: &[Choice],
        files: &[File],
        changes: &[Difference],
        language: Language,
    ) -> String {
        let mut out = String::new();
        let mut say = |text: &str| {
            out.push_str(text);
            out.push('\n');
        };
        let word = |label: Label| label.text(language);
        for file in files {
            match &self.output {
                Some(directory) => {
                    let path = directory.join(&file.path).display().to_string();
                    say(&word(Label::Wrote).replace("{path}", &path));
                }
                None => say(&format!("==> {} <==\n{}", file.path, file.text)),
            }
        }
        let losing: Vec<&Choice> =
            choices.iter().filter(|c| !c.offered && c.loss.seconds() > 0.0).collect();
        if losing.is_empty() {
            say(word(Label::LosesNothing));
        }
        for choice in losing {
            let loses = word(Label::Loses)
                .replace("{name}", choice.name())
                .replace("{value}", choice.value())
                .replace("{seconds}", &choice.loss.seconds().to_string());
            say(&loses);
        }
        if !self.pool.is_empty() {
            say(word(match changes.is_empty() {
                true => Label::NoChanges,
                false => Label::Changes,
            }));
            for change in changes {
                let owner = printable(&change.owner);
                if let (Some(now), Some(at)) = (&change.now, &change.at) {
                    say(&format!("  - {owner} {} = {}  ({at})", change.name, printable(now)));
                }
                say(&format!("  + {owner} {} = {}", change.name, printable(&change.then)));
            }
        }
        out
    }
}

/// Which of several pools the settings are for.
fn other_pools(need: &Need) -> Option<String> {
    let tuned = &need.pool()?.name;
    let others = need.system.pools.iter().filter(|pool| pool.name != *tuned);
    let others: Vec<&str> = others.map(|pool| pool.name.as_str()).collect();
    (!others.is_empty()).then(|| {
        format!(
            "the settings are for pool {tuned}; the input also has {}: for another pool, give only its texts with --pool",
            others.join(", ")
        )
    })
}

/// `128G,32 cores` → bytes and cores.
fn machine(text: &str) -> Result<(u64, u32), String> {
    let wrong =
        || format!("invalid --host {text:?}; write memory and cores, as in \"128G,32 cores\"");
    let (memory, cores) = text.split_once(',').unwrap_or((text, "8"));
    let memory =
        facts::units::binary(memory.trim()).filter(|bytes| *bytes >= 1 << 28).ok_or_else(wrong)?;
    let cores = cores.trim().trim_end_matches("cores").trim_end_matches("core").trim();
    let cores = cores.parse().ok().filter(|cores| (1..=4096).contains(cores)).ok_or_else(wrong)?;
    Ok((memory, cores))
}

/// `5s`, `500ms`, `1m` → seconds.
fn time(text: &str) -> Result<f64, String> {
    let wrong = || {
        format!(
            "invalid --allow-loss {text:?}; write a time up to an hour, as in \"5s\" or \"500ms\""
        )
    };
    let seconds = lab::units::duration(text).map_err(|_| wrong())?;
    if seconds <= 3600.0 { Ok(seconds) } else { Err(wrong()) }
}

fn install(directory: &Path, file: &File) -> std::io::Result<()> {
    let path = directory.join(&file.path);
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    std::fs::write(path, &file.text)
}

/// Choices for programs, with sentences in one language.
fn json_choices(choices: &[Choice], language: Language) -> Vec<serde_json::Value> {
    let one = |choice: &Choice| {
        let mut value = json!(choice);
        value["reason"] = json!(choice.reason.in_language(language));
        let others = choice.disagreement.as_ref();
        value["disagreement"] = json!(others.map(|others| others.in_language(language)));
        value
    };
    choices.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_memory_and_cores() {
        assert_eq!(machine("128G,32 cores"), Ok((128 << 30, 32)));
        assert_eq!(machine("64G, 8"), Ok((64 << 30, 8)));
        assert!(machine("many").is_err() && machine("128G,none").is_err());
    }

    #[test]
    fn a_loss_has_a_unit() {
        assert_eq!(time("5s"), Ok(5.0));
        assert_eq!(time("500ms"), Ok(0.5));
        assert!(time("5").is_err() && time("-1s").is_err() && time("NaNs").is_err());
    }
}
