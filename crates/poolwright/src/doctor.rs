//! `poolwright doctor`: what is missing on this host, and the command that fixes it.

use crate::exit::{ENVIRONMENT, Refusal};
use crate::store_dir::StoreDir;
use crate::{host_resources, output};
use ::machine::confine::has_landlock;
use ::machine::engine::{self, Engine, Missing};
use ::machine::scratch::Scratch;
use advice::format::quoted;
use bench::engine::linux::{Linux, probe};
use bench::programs::{self, Fio, Mysql, Postgresql};
use lab::model::HostLimits;
use lab::mysql::Server;
use serde::Serialize;
use std::env::consts::{ARCH, OS};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Check whether this host can run modelled servers; print what is missing and the command that fixes it
///
/// Exit codes: 0 everything that is needed was found · 3 something is missing.
#[derive(clap::Args)]
pub struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreDir,
}

/// One thing that was checked.
#[derive(Debug, PartialEq, Serialize)]
struct Finding {
    what: String,
    /// Whether it was found and works.
    found: bool,
    /// Whether trials need it.
    needed: bool,
    /// Details: the version found, or what is wrong.
    detail: String,
    /// What to do; empty if it was found.
    fix: String,
}

/// What was found, or what is wrong and what to do.
type Result = std::result::Result<String, (String, String)>;

impl Finding {
    fn new(what: &str, needed: bool, result: Result) -> Finding {
        let found = result.is_ok();
        let (detail, fix) = match result {
            Ok(detail) => (detail, String::new()),
            Err(missing) => missing,
        };
        Finding { what: what.to_owned(), found, needed, detail, fix }
    }
}

impl Args {
    pub fn run(self) -> std::result::Result<u8, Refusal> {
        let findings = findings(&self.store.path());
        let text = if self.json { output::json(&findings)? } else { text(&findings) };
        let printed = output::print(&text);
        if findings.iter().any(|f| f.needed && !f.found) {
            return Ok(ENVIRONMENT);
        }
        Ok(printed)
    }
}

fn findings(store: &Path) -> Vec<Finding> {
    let mut all = Vec::new();
    let mut add = |what: &str, needed, result| all.push(Finding::new(what, needed, result));
    let processor = processor(OS, ARCH);
    let runs_here = processor.is_ok();
    add("processor", true, processor);
    if runs_here {
        let engine = Engine::find();
        let built = engine.as_ref().map(described).map_err(|why: &Missing| {
            let fix = match why {
                Missing::Damaged { path, .. } => rebuild(path),
                _ => "make engine".to_owned(),
            };
            (why.to_string(), fix)
        });
        add("engine", true, built);
        if let Ok(engine) = engine {
            add("kernel", true, kernel(&engine.kernel()));
            for release in engine.manifest.openzfs.keys() {
                add(&format!("machine, OpenZFS {release}"), true, start(&engine, release));
            }
        }
    }
    add("isolation", false, isolation(has_landlock()));
    let fio = Fio::find().map(|fio| fio.version);
    add("fio", true, fio.map_err(|_| ("runs the workloads of labs".to_owned(), install("fio"))));
    let labs = "for labs with pgbench or pg_test_fsync";
    let server = Postgresql::find(None).map(|server| server.version);
    add("PostgreSQL", false, server.map_err(|_| (labs.to_owned(), install("postgresql"))));
    for family in Server::ALL {
        let server = Mysql::find(family, None);
        let server = server.map(|server| format!("{}, {}", server.version, server.client));
        let labs = format!("for labs with sysbench and {}", family.name());
        add(family.name(), false, server.map_err(|why| (labs, why.to_string())));
    }
    for (program, package, labs) in [
        ("mdadm", "mdadm", "stack = \"md\""),
        ("mkfs.xfs", "xfsprogs", "the file system xfs"),
        ("mkfs.ext4", "e2fsprogs", "the file system ext4"),
    ] {
        let found = programs::find(program)
            .or_else(|| Some(Path::new("/sbin").join(program)).filter(|p| p.exists()));
        let found = found.map(|path| path.display().to_string());
        let missing = || (format!("for labs with {labs}"), install(package));
        add(program, false, found.ok_or_else(missing));
    }
    let free = host_resources::free_memory().unwrap_or(0);
    add("memory", false, memory(free, HostLimits::MACHINE.memory, host_resources::cores()));
    add("cache", true, writable(&engine::cache(), OTHER_CACHE));
    let fix = "give a directory that you can write to with --store, or set XDG_DATA_HOME";
    add("store", true, writable(store, fix));
    all
}

const OTHER_CACHE: &str = "set XDG_CACHE_HOME to a directory that you can write to";

fn install(package: &str) -> String {
    format!("apt-get install {package}")
}

fn processor(system: &str, processor: &str) -> Result {
    match probe::unsupported(system, processor) {
        None => Ok(format!("{processor} {system}")),
        Some(why) => Err((why, "use an x86-64 Linux host".to_owned())),
    }
}

fn described(engine: &Engine) -> String {
    let releases = engine.manifest.openzfs.values();
    let releases: Vec<&str> = releases.map(|release| release.version.as_str()).collect();
    format!(
        "Linux {}, OpenZFS {} in {}",
        engine.manifest.linux,
        releases.join(" and "),
        engine.directory.display()
    )
}

/// Whether the kernel is a program that runs here.
fn kernel(path: &Path) -> Result {
    let mut command = Command::new(path);
    let output = command.arg("--version").stdin(Stdio::null()).output();
    let here = path.display();
    let rebuilt = || rebuild(path.parent().unwrap_or(path));
    match output {
        Ok(output) if output.status.success() => {
            let version = String::from_utf8_lossy(&output.stdout);
            Ok(format!("{} starts", version.trim()))
        }
        Ok(output) => Err((format!("{here} --version: {}", output.status), rebuilt())),
        Err(why) if why.kind() == std::io::ErrorKind::PermissionDenied => Err((
            format!("{here} cannot be executed"),
            format!(
                "chmod +x {here}; if its file system is mounted noexec, set XDG_CACHE_HOME to another and run make engine"
            ),
        )),
        Err(why) => Err((format!("{here}: {why}"), rebuilt())),
    }
}

/// Starts a machine and measures it.
fn start(engine: &Engine, release: &str) -> Result {
    let scratch = Scratch::new().map_err(|e| {
        (format!("cannot write to {}: {e}", engine::cache().display()), OTHER_CACHE.to_owned())
    })?;
    let executable = std::env::current_exe().map_err(|e| {
        (format!("cannot find this program: {e}"), "start it by its full path".to_owned())
    })?;
    let took = Linux::probe(engine, release, &executable, scratch.path());
    took.map(|took| format!("starts, loads its modules and ends in {:.1} s", took.as_secs_f64()))
        .map_err(|why| {
            let why = why.to_string();
            let known = advice(&why).map(str::to_owned);
            // Otherwise it is the engine that differs from those that work.
            let fix = known.unwrap_or_else(|| rebuild(&engine.directory));
            (why, fix)
        })
}

/// The command that rebuilds a damaged engine.
fn rebuild(directory: &Path) -> String {
    format!("rm -r {} && make engine", quoted(&directory.display().to_string()))
}

/// What to do about a machine's reason for not starting; none for an unknown reason.
fn advice(why: &str) -> Option<&'static str> {
    let known = [
        (
            &["ptrace", "seccomp", "Operation not permitted"][..],
            "allow seccomp filters or ptrace: sysctl kernel.yama.ptrace_scope=1; in a container: --security-opt seccomp=unconfined or --cap-add SYS_PTRACE",
        ),
        (&["signal 9", "memory"], "free some memory, or raise the container's limit"),
        (&["contains a space"], "move this program to a path without spaces"),
        (&["No space left"], "free space on the file system of the cache directory"),
    ];
    let helps = |(words, _): &&(&[&str], &str)| words.iter().any(|word| why.contains(word));
    known.iter().find(helps).map(|(_, fix)| *fix)
}

fn isolation(landlock: bool) -> Result {
    match landlock {
        true => Ok("Landlock: a machine writes to its own directory only".to_owned()),
        false => Err((
            "no Landlock: root in a machine can change the files that you can change".to_owned(),
            "boot a kernel with CONFIG_SECURITY_LANDLOCK and landlock in lsm=".to_owned(),
        )),
    }
}

/// Whether each processor can have a machine, of which the largest takes `most` bytes.
fn memory(free: u64, most: u64, cores: usize) -> Result {
    let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
    let fitting = usize::try_from(free / most.max(1)).unwrap_or(usize::MAX);
    let have = format!("{:.1} GiB free, {cores} processors", gib(free));
    if fitting >= cores {
        return Ok(format!("{have}: one machine each, at most {:.0} GiB", gib(most)));
    }
    Err((
        format!(
            "{have}: memory for {fitting} of the largest machines ({:.0} GiB) at the same time",
            gib(most)
        ),
        "free some memory, run fewer machines with -j, or use smaller labs".to_owned(),
    ))
}

/// Whether a directory, or the nearest above it that exists, can be written to.
fn writable(directory: &Path, fix: &str) -> Result {
    let shown = directory.display();
    // A relative path ends in the working directory.
    let above = directory.ancestors().filter(|path| *path != Path::new(""));
    let existing = above.into_iter().find(|path| path.exists()).unwrap_or(Path::new("."));
    if !existing.is_dir() {
        return Err((format!("{} is not a directory", existing.display()), fix.to_owned()));
    }
    let trial = existing.join(format!(".poolwright-doctor-{}", std::process::id()));
    let written = fs::write(&trial, "x");
    let _ = fs::remove_file(&trial);
    match written {
        Ok(()) => Ok(format!("{shown} can be written to")),
        Err(why) => Err((format!("cannot write to {}: {why}", existing.display()), fix.to_owned())),
    }
}

fn text(findings: &[Finding]) -> String {
    let mut text = String::new();
    for f in findings {
        let mark = match (f.found, f.needed) {
            (true, _) => "ok     ",
            (false, true) => "MISSING",
            (false, false) => "absent ",
        };
        text.push_str(&format!("{mark}  {:<20}  {}\n", f.what, f.detail));
        if !f.found {
            text.push_str(&format!("{:<31}-> {}\n", "", f.fix));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_missing_part_is_printed_with_the_command_that_fixes_it() {
        let missing = Err(("runs the workloads".to_owned(), install("fio")));
        let shown = text(&[Finding::new("fio", true, missing)]);
        assert!(shown.starts_with("MISSING  fio"), "{shown}");
        assert!(shown.ends_with("-> apt-get install fio\n"), "{shown}");
        let there = text(&[Finding::new("fio", true, Ok("fio-3.33".to_owned()))]);
        assert_eq!(there, "ok       fio                   fio-3.33\n");
    }

    #[test]
    fn machines_need_one_kind_of_processor() {
        assert!(processor("linux", "x86_64").is_ok());
        let (why, fix) = processor("linux", "aarch64").unwrap_err();
        assert!(why.contains("aarch64") && fix.contains("x86-64"), "{why}");
    }

    #[test]
    fn each_processor_has_a_machine_where_memory_holds_them() {
        assert!(memory(16 << 30, 8 << 30, 2).is_ok());
        let (why, _) = memory(15 << 30, 8 << 30, 2).unwrap_err();
        assert!(why.contains("memory for 1 of the largest machines"), "{why}");
    }

    #[test]
    fn reasons_of_a_machine_that_cannot_start_have_advice() {
        let ptrace = advice("ptrace test failed: Operation not permitted").unwrap();
        assert!(ptrace.contains("ptrace_scope"), "{ptrace}");
        assert!(advice("was ended by signal 9").unwrap().contains("memory"));
        assert_eq!(advice("Kernel panic - not syncing: no init"), None);
    }

    #[test]
    fn a_directory_that_cannot_be_written_to_is_named() {
        let directory = tempfile::tempdir().unwrap();
        assert!(writable(&directory.path().join("a/b"), "fix").is_ok());
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
        // Where even root cannot write.
        let (why, fix) = writable(Path::new("/proc/sys/none"), "fix").unwrap_err();
        assert!(why.contains("/proc/sys") && fix == "fix", "{why}");
    }
}
