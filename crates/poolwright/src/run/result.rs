//! What a run leaves and shows.

use super::complain;
use crate::exit::ENVIRONMENT;
use crate::output;
use bench::isolate::Isolation;
use bench::programs::Fio;
use findings::Findings;
use lab::campaign::Variant;
use report::html::Configuration;
use report::lang::Language;
use report::terminal::Style;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufWriter, IsTerminal, Write};
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
    let trials = store.journal().trials().map_err(broken)?;
    let Some(model) = store.model().map_err(broken)? else {
        // The user stopped before k was chosen: nothing was measured.
        return Ok(false);
    };
    let findings = findings::analyse(store.campaign(), &model, &trials);
    write(store, &findings)
        .map_err(|e| complain(ENVIRONMENT, &format!("cannot write the report: {e}")))?;
    if json {
        let mut bytes = Vec::new();
        // Writing to memory does not fail, and what is not printed is missed.
        let _ = report::json::write(&findings, &mut bytes);
        output::print(&String::from_utf8_lossy(&bytes));
    } else {
        let style = Style {
            width: width(),
            color: std::io::stdout().is_terminal()
                && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()),
            language: Language::default(),
        };
        let mut text = report::terminal::render(&findings, style);
        text.push_str(&format!(
            "report   {}\n",
            store.path().join("report.html").display()
        ));
        output::print(&text);
    }
    Ok(findings::complete(&findings))
}

fn write(store: &Store, findings: &Findings) -> std::io::Result<()> {
    let dir = store.path();
    let mut file = BufWriter::new(File::create(dir.join("result.json"))?);
    report::json::write(findings, &mut file)?;
    file.flush()?;
    let campaign = store.campaign();
    let commands = campaign
        .variants
        .iter()
        .map(|v| (v.name.clone(), commands(v)))
        .collect::<BTreeMap<_, _>>();
    let lab_text = store.lab_text().unwrap_or_default();
    let configuration = Configuration {
        campaign,
        commands: &commands,
        lab_text: &lab_text,
    };
    let language = Language::default();
    fs::write(
        dir.join("report.html"),
        report::html::render(findings, Some(configuration), language),
    )?;
    fs::write(
        dir.join("report.md"),
        report::markdown::render(findings, language),
    )?;
    let csv = report::csv::render(findings).map_err(std::io::Error::other)?;
    fs::write(dir.join("report.csv"), csv)
}

/// The lines that build a variant on the real machine.
fn commands(variant: &Variant) -> Vec<String> {
    let commands = lab::command::commands(variant);
    let mut lines = vec![commands.create_pool.to_string()];
    lines.extend(commands.create_datasets.iter().map(ToString::to_string));
    lines.extend(
        commands
            .module
            .iter()
            .map(|line| format!("{line}   # {}", lab::command::MODPROBE)),
    );
    lines
}

/// Columns of the terminal; a hundred where there is none.
fn width() -> usize {
    rustix::termios::tcgetwinsize(std::io::stdout())
        .ok()
        .map(|size| usize::from(size.ws_col))
        .filter(|columns| *columns >= 40)
        .unwrap_or(100)
}
