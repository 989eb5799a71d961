//! `poolwright doctor`: what is missing on this machine, and the line that installs it.

use crate::exit::ENVIRONMENT;
use crate::{machine, output};
use bench::programs::{self, Fio};
use lab::campaign::OpenZfs;
use serde::Serialize;
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// Say what is missing on this machine for scale models, and the line that installs it
///
/// Exit codes: 0 nothing that is needed is missing · 3 something is.
#[derive(clap::Args)]
pub struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Where the emulated drives would lie, instead of in memory
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
}

/// One thing that was looked for.
#[derive(Debug, Serialize)]
struct Finding {
    /// What it is.
    what: &'static str,
    /// Whether it is there.
    found: bool,
    /// Whether a scale model cannot do without it.
    needed: bool,
    /// What was found, or what follows from its absence.
    detail: String,
    /// The Debian package that has it.
    package: Option<&'static str>,
    /// What to do when it is no package.
    remedy: Option<&'static str>,
}

/// Below this a model's drives and caches do not fit in any useful size, bytes.
const LEAST_MEMORY: u64 = 2 << 30;

impl Args {
    /// Looks.
    pub fn run(self) -> ExitCode {
        let findings = findings(self.store.as_deref());
        let text = if self.json {
            serde_json::to_string_pretty(&findings).unwrap_or_default() + "\n"
        } else {
            text(&findings)
        };
        let printed = output::print(&text);
        if findings.iter().any(|f| f.needed && !f.found) {
            return ExitCode::from(ENVIRONMENT);
        }
        printed
    }
}

fn findings(store: Option<&Path>) -> Vec<Finding> {
    let mut all = vec![fio(), faketime(), fuse(), mounting(), unshare()];
    all.extend([
        engine("engine for OpenZFS 2.1", OpenZfs::V2_1),
        engine("engine for OpenZFS 2.3", OpenZfs::V2_3),
    ]);
    // Either release serves labs that name it; none serves none.
    let any = all.iter().any(|f| f.what.starts_with("engine") && f.found);
    for finding in &mut all {
        if finding.what.starts_with("engine") {
            finding.needed = !any;
        }
    }
    all.push(room(store));
    all
}

fn package(
    what: &'static str,
    needed: bool,
    package: &'static str,
    found: Result<String, &'static str>,
) -> Finding {
    Finding {
        what,
        found: found.is_ok(),
        needed,
        detail: found.unwrap_or_else(str::to_owned),
        package: Some(package),
        remedy: None,
    }
}

fn fio() -> Finding {
    let found = Fio::find().map(|fio| fio.version);
    package(
        "fio",
        true,
        "fio",
        found.map_err(|_| "runs the workloads of labs"),
    )
}

fn faketime() -> Finding {
    let found = Fio::find().ok().and_then(|fio| fio.faketime);
    package(
        "libfaketime",
        true,
        "libfaketime",
        found
            .map(|path| path.display().to_string())
            .ok_or("slows the workloads' clock"),
    )
}

fn fuse() -> Finding {
    let opened = OpenOptions::new().read(true).write(true).open("/dev/fuse");
    Finding {
        what: "/dev/fuse",
        found: opened.is_ok(),
        needed: true,
        detail: match opened {
            Ok(_) => poolfs::fuse::kernel_features().join(", "),
            Err(e) => e.to_string(),
        },
        package: None,
        remedy: Some(
            "load it with `modprobe fuse` as root; in a container, start that with --device /dev/fuse --cap-add SYS_ADMIN",
        ),
    }
}

/// Root mounts by itself, others in a namespace of their own or with fusermount3's help.
fn mounting() -> Finding {
    let helper = programs::find("fusermount3");
    let root = rustix::process::geteuid().is_root();
    let alone = root || namespaces();
    Finding {
        what: "a way to mount",
        found: alone || helper.is_some(),
        needed: true,
        detail: match (root, alone, helper) {
            (true, _, _) => "as root".to_owned(),
            (_, true, _) => "in a user namespace".to_owned(),
            (_, _, Some(path)) => path.display().to_string(),
            _ => "user namespaces are refused and fusermount3 is missing".to_owned(),
        },
        package: Some("fuse3"),
        remedy: None,
    }
}

fn namespaces() -> bool {
    Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "--", "true"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn unshare() -> Finding {
    let found = programs::find("unshare").map(|path| path.display().to_string());
    package(
        "unshare",
        false,
        "util-linux",
        found.ok_or("without it, a run that is killed can leave a mount behind"),
    )
}

fn engine(what: &'static str, release: OpenZfs) -> Finding {
    let found = programs::engine(&programs::engine_directories(), release);
    Finding {
        what,
        found: found.is_ok(),
        needed: false,
        detail: match found {
            Ok(path) => path.display().to_string(),
            Err(_) => "labs that name this release cannot run".to_owned(),
        },
        package: None,
        remedy: Some("build it with `make engine` in Poolwright's source directory"),
    }
}

fn room(store: Option<&Path>) -> Finding {
    let place = store.unwrap_or(Path::new("/dev/shm"));
    let limits = machine::limits(place);
    let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
    Finding {
        what: "room for a model",
        found: limits.memory.min(limits.store_bytes) >= LEAST_MEMORY / 2,
        needed: true,
        detail: format!(
            "{:.1} GiB of memory and {:.1} GiB for drives in {}, {} cores",
            gib(limits.memory),
            gib(limits.store_bytes),
            place.display(),
            limits.cores
        ),
        package: None,
        remedy: Some("free some memory, or name a directory on a disk with --store"),
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
        text.push_str(&format!("{mark}  {:<23} {}\n", f.what, f.detail));
    }
    let missing = || findings.iter().filter(|f| !f.found);
    let mut packages: Vec<&str> = missing().filter_map(|f| f.package).collect();
    packages.dedup();
    if !packages.is_empty() {
        text.push_str(&format!("\napt-get install {}\n", packages.join(" ")));
    }
    let mut remedies: Vec<&str> = missing().filter_map(|f| f.remedy).collect();
    remedies.dedup();
    for remedy in remedies {
        text.push_str(&format!("\n{remedy}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_comes_with_the_line_that_installs_it() {
        let all = [
            package("fio", true, "fio", Err("runs the workloads of labs")),
            package("unshare", false, "util-linux", Ok("/usr/bin/unshare".into())),
        ];
        let text = text(&all);
        assert!(text.contains("MISSING  fio"), "{text}");
        assert!(text.contains("apt-get install fio\n"), "{text}");
        assert!(!text.contains("util-linux"), "{text}");
    }
}
