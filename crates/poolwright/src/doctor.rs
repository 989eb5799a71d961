//! `poolwright doctor`: what is missing on this machine, and the line that installs it.

use crate::exit::ENVIRONMENT;
use crate::{engine, machine, output};
use bench::programs::Fio;
use lab::campaign::OpenZfs;
use lab::model::HostLimits;
use serde::Serialize;
use std::process::ExitCode;

/// Say what is missing on this machine for scale models, and the line that installs it
///
/// Exit codes: 0 nothing that is needed is missing · 3 something is.
#[derive(clap::Args)]
pub struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// One thing that was looked for.
#[derive(Debug, Serialize)]
struct Finding {
    /// What it is.
    what: String,
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

impl Args {
    /// Looks.
    pub fn run(self) -> ExitCode {
        let findings = findings();
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

fn findings() -> Vec<Finding> {
    let mut all = vec![fio()];
    let engines: Vec<Finding> = OpenZfs::ALL.into_iter().map(engine).collect();
    // Either release runs the labs that name it; none runs none.
    let any = engines.iter().any(|f| f.found);
    all.extend(engines.into_iter().map(|f| Finding { needed: !any, ..f }));
    all.push(memory());
    all
}

fn package(
    what: &'static str,
    needed: bool,
    package: &'static str,
    found: Result<String, &'static str>,
) -> Finding {
    Finding {
        what: what.to_owned(),
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

fn engine(release: OpenZfs) -> Finding {
    let found = engine::open().and_then(|engine| engine.version(release));
    Finding {
        what: format!("engine for OpenZFS {release}"),
        found: found.is_ok(),
        needed: false,
        detail: match found {
            Ok(version) => version,
            Err(why) => why.to_string(),
        },
        package: None,
        remedy: Some("build it with `make engine` in Poolwright's source directory"),
    }
}

fn memory() -> Finding {
    let free = machine::free_memory().unwrap_or(0);
    let most = HostLimits::MACHINE.memory;
    let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
    Finding {
        what: "memory for a model".to_owned(),
        found: free >= most,
        needed: false,
        detail: format!(
            "{:.1} GiB free; a modelled machine may take {:.0} GiB; {} processors",
            gib(free),
            gib(most),
            machine::cores()
        ),
        package: None,
        remedy: Some("free some memory"),
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
        let of = |found: Result<String, &'static str>| text(&[package("fio", true, "fio", found)]);
        let missing = of(Err("runs the workloads of labs"));
        assert!(missing.contains("MISSING  fio"), "{missing}");
        assert!(missing.contains("apt-get install fio\n"), "{missing}");
        assert!(!of(Ok("fio-3.33".into())).contains("apt-get"));
    }
}
