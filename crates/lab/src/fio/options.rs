//! What becomes of each fio option, from the table that docs/fio.md is made from.

use std::collections::HashMap;
use std::sync::LazyLock;

/// What becomes of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Treatment {
    /// It reaches fio as written.
    Passed,
    /// It is a stock and is divided by S.
    Scaled,
    /// Poolwright's own value stands in its place.
    Replaced,
    /// The job file is refused, with the line.
    Refused,
}

/// One row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// The option's first name.
    pub name: &'static str,
    /// Its other name, or nothing.
    pub alias: &'static str,
    /// What becomes of it.
    pub treatment: Treatment,
    /// How or why; may be empty where it is passed.
    pub why: &'static str,
}

const TABLE: &str = include_str!("options.txt");

/// I/O engines that work on the files of a mounted file system, and whether a job submits
/// asynchronously with them (so that `iodepth` counts).
pub const ENGINES: &[(&str, bool)] = &[
    ("sync", false),
    ("psync", false),
    ("vsync", false),
    ("pvsync", false),
    ("pvsync2", false),
    ("libaio", true),
    ("io_uring", true),
    ("posixaio", true),
    ("mmap", false),
    ("ftruncate", false),
];

fn row(line: &'static str) -> Option<Rule> {
    if line.starts_with('#') {
        return None;
    }
    let mut fields = line.splitn(4, '|').map(str::trim);
    let (name, alias, treatment) = (fields.next()?, fields.next()?, fields.next()?);
    let treatment = match treatment {
        "passed" => Treatment::Passed,
        "scaled" => Treatment::Scaled,
        "replaced" => Treatment::Replaced,
        "refused" => Treatment::Refused,
        _ => return None,
    };
    Some(Rule {
        name,
        alias,
        treatment,
        why: fields.next().unwrap_or(""),
    })
}

/// Every rule, by name.
pub fn rules() -> impl Iterator<Item = Rule> {
    TABLE.lines().filter_map(row)
}

/// The rule for an option by any of its names; none when fio 3.33 has no such option.
pub fn rule(name: &str) -> Option<Rule> {
    static BY_NAME: LazyLock<HashMap<&'static str, Rule>> = LazyLock::new(|| {
        rules()
            .flat_map(|rule| [(rule.name, rule), (rule.alias, rule)])
            .filter(|(name, _)| !name.is_empty())
            .collect()
    });
    BY_NAME.get(name).copied()
}

/// docs/fio.md: the whole table, for people.
pub fn document() -> String {
    let mut text = String::from(
        "# fio job files\n\n\
         A workload is an ordinary fio job file. The machine runs the host's own fio on a copy of it whose \
         directory, sizes and clock are those of the machine; the original, the copy and their difference are \
         kept beside the results. This table says what becomes of each option of fio 3.33; an \
         option that is not in it is refused, with its line.\n\n\
         - **passed**: it reaches fio as written. Times and rates are virtual: fio runs in the machine, and \
         the machine's clock is its only one.\n\
         - **scaled**: a stock, divided by the size factor S. Block sizes, rates and times are \
         flows and are kept.\n\
         - **replaced**: Poolwright's own value stands in its place, or none. `check` notes it where a job \
         states a clock, a place on processors or a polling queue.\n\
         - **refused**: the lab is refused, and says why.\n\n\
         `include` and `${VARIABLE}` are refused: a lab must mean the same everywhere. So is what \
         would reach files outside the dataset, such as a `/` in the name of a section, after which its \
         files are named. Sizes are read as fio reads them (`4k` is 4,096 bytes, `4ki` is 4,000). \
         Where the lab states the working set, either all jobs state a size, whose ratios are kept, or \
         none does, and each set of files has the same share; jobs with one `filename` share a set. \
         Buffers are fio's default, \
         random and so incompressible, unless the file says otherwise. Files are laid out before \
         the measurement as fio itself would lay them out, in blocks of 1 MiB where their content does \
         not depend on the block; a job that only writes starts on files \
         of full size without content, unless it says `overwrite=1`.\n\n\
         Mistakes are mistakes of the lab: `check` reports them with the job file's line, together with \
         all others, and asks an installed fio for what only it knows, such as the values that an \
         option takes.\n\n\
         On a rung of an open-loop ladder (`rates` of a workload, docs/lab.md) the copy also has \
         `io_submit_mode=offload`, `rate_process=poisson` and `rate_iops`, the ladder's rate shared \
         out over all jobs in whole operations a second of at least one; what was really offered is \
         what is recorded. fio's total latency then counts from the creation of an operation, which \
         is its intended start, and not, as with rates alone, from when a late thread got to it. At most 256 operations are under way over all jobs (four of each where there are more than 64). `fsync=1` and `fdatasync=1` become \
         `sync=1` and `sync=dsync`, since a flush of its own would not wait for its write; the ramp is a \
         run of fio of its own, since the workers of fio 3.33 do not leave one of fio's; engines \
         that submit asynchronously become `psync`. Options that pace a job themselves, and those \
         that move or add threads (`stonewall`, `verify_async`), are \
         refused there.\n\n\
         Where a job goes through several files in order, the ramp is a run of fio of its own as well: \
         fio 3.33 ends such a job for good when its ramp ends within the last operation of a pass \
         over the files. Where all of them only read, there is no ramp: a run before it would begin at the same \
         file and leave it in the caches.\n\n\
         A job with uniformly random offsets comes to each block once before it comes to any again. A file \
         S times smaller is gone through S times as soon: what was a small part of the real file all window \
         long becomes a whole pass, at whose end caches meet blocks that none of them holds, or all. Where \
         S is above 1 and such a job runs for a time, the copy has `norandommap=1`, unless it states that \
         or `random_generator`, or verifies. A job that ends with its files keeps its map.\n\n\
         I/O engines: ",
    );
    let engines: Vec<String> = ENGINES
        .iter()
        .map(|(name, _)| format!("`{name}`"))
        .collect();
    text.push_str(&engines.join(", "));
    text.push_str(
        ". They run as on a real server, `direct=1` included: what OpenZFS makes of it follows from the dataset's \
         `direct` (with `disabled`, 2.4 does not keep in the ARC what it carries out through it; 2.3 does). OpenZFS carries native asynchronous I/O (`libaio`) out synchronously, so such a job has one \
         operation in flight on a pool, whatever its `iodepth`. Pages that `mmap` maps lie in the machine's page \
         cache, beside the ARC; what is left to that is not divided by S.\n\n\
         | option | | how or why |\n|---|---|---|\n",
    );
    for rule in rules() {
        let treatment = match rule.treatment {
            Treatment::Passed => "passed",
            Treatment::Scaled => "**scaled**",
            Treatment::Replaced => "replaced",
            Treatment::Refused => "refused",
        };
        let alias = if rule.alias.is_empty() {
            String::new()
        } else {
            format!(", `{}`", rule.alias)
        };
        text.push_str(&format!(
            "| `{}`{alias} | {treatment} | {} |\n",
            rule.name, rule.why
        ));
    }
    text
}
