//! What a run leaves and shows.

use super::complain;
use crate::exit::ENVIRONMENT;
use crate::output;
use crate::report::{self, Format};
use bench::isolate::Isolation;
use bench::programs::Fio;
use serde_json::json;
use std::fs;
use std::io::IsTerminal;
use store::Store;

/// Keeps where the campaign ran, and with what.
///
/// # Errors
/// When it cannot be written.
pub fn keep_machine(store: &Store, fio: &Fio, isolation: Isolation) -> Result<(), store::Error> {
    let line = |path: &str| {
        fs::read_to_string(path)
            .map(|text| text.trim().to_owned())
            .unwrap_or_default()
    };
    let processor = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|l| l.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    store.write(
        "machine.json",
        &json!({
            "poolwright": env!("CARGO_PKG_VERSION"),
            "kernel": line("/proc/sys/kernel/osrelease"),
            "processor": processor,
            "cores": bench::machine::cores(),
            "load": line("/proc/loadavg"),
            "fio": fio.version,
            "fio_program": fio.program,
            "faketime": fio.faketime,
            "isolation": format!("{isolation:?}"),
        }),
    )
}

/// Analyses what was measured, writes the report in every format into the store, and prints it.
/// Says whether every cell has a trial that counts.
///
/// # Errors
/// The exit code.
pub fn show(store: &Store, json: bool) -> Result<bool, u8> {
    let broken = |e: store::Error| complain(ENVIRONMENT, &e.to_string());
    if store.model().map_err(broken)?.is_none() {
        // The user stopped before k was chosen: nothing was measured.
        return Ok(false);
    }
    let made = report::from_store(store).map_err(|e| complain(ENVIRONMENT, &e))?;
    let language = report::locale();
    let to_terminal = std::io::stdout().is_terminal();
    let render = |format, to_terminal| {
        report::render(&made, format, language, to_terminal)
            .map_err(|e| complain(ENVIRONMENT, &e))
    };
    // What was found is shown also where there is no room left for it.
    if json {
        output::print(&render(Format::Json, false)?);
    } else {
        output::print(&render(Format::Text, to_terminal)?);
    }
    for (name, format) in [
        ("result.json", Format::Json),
        ("report.html", Format::Html),
        ("report.md", Format::Md),
        ("report.csv", Format::Csv),
    ] {
        let written = store.write_text(name, &render(format, false)?);
        written.map_err(broken)?;
    }
    if !json {
        let page = store.path().join("report.html");
        output::print(&format!("report   {}\n", page.display()));
    }
    Ok(findings::complete(&made.findings))
}
