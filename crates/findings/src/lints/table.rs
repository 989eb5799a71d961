//! Tables of results: rows of numbers with the set-ups they were measured on.

use crate::schema::Findings;
use lab::campaign::Campaign;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A table of results with where it comes from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Table {
    /// Where the numbers come from.
    pub provenance: Provenance,
    /// What rows were measured on, by the key that rows name.
    pub setups: BTreeMap<String, Setup>,
    /// The results.
    pub rows: Vec<Row>,
}

/// Where a table comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Provenance {
    /// Short key: `hk-2025`.
    pub key: String,
    /// Title of the article, in its language.
    pub title: String,
    /// Who wrote it.
    pub author: String,
    /// When, as far as known: `2025-09-29`.
    pub date: String,
    /// How the numbers were read off.
    pub note: String,
}

/// What rows were measured on. Everything is optional; a lint that lacks a number is silent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Setup {
    /// What it is, for people.
    pub description: String,
    /// Data drives in all.
    pub drives: Option<u32>,
    /// Top-level data vdevs.
    pub vdevs: Option<u32>,
    /// Data drives of a vdev, as stated.
    pub data: Option<u32>,
    /// Parity drives of a vdev, as stated.
    pub parity: Option<u32>,
    /// Distributed or hot spares.
    pub spares: Option<u32>,
    /// Drives that may fail, as stated.
    pub survives: Option<u32>,
    /// Among how many drives; none for all of them.
    pub survives_of: Option<u32>,
    /// Redundancy groups are permuted over all drives (dRAID).
    pub permuted: bool,
    /// Bytes of a drive.
    pub drive_bytes: Option<f64>,
    /// Capacity as stated, bytes.
    pub capacity: Option<f64>,
    /// RAID level where it is no ZFS pool: `raid0`, `raid10`.
    pub level: Option<String>,
    /// Revolutions a minute of the medium that synchronous writes must reach; none for flash, a
    /// separate log, or a controller known to answer from protected memory.
    pub sync_rpm: Option<f64>,
    /// ARC, bytes.
    pub arc: Option<f64>,
    /// L2ARC, bytes.
    pub l2arc: Option<f64>,
    /// The most the L2ARC is fed, bytes a second.
    pub l2arc_feed: Option<f64>,
    /// Bytes of the data set.
    pub dataset: Option<f64>,
    /// Bytes of a record.
    pub recordsize: Option<f64>,
    /// Every part of the data set is read as often as any other.
    pub uniform: bool,
    /// Bits a second of the link between client and storage, or of the bus.
    pub link: Option<f64>,
}

/// One result.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Row {
    /// Its name, unique in the table.
    pub name: String,
    /// Key of its set-up.
    pub setup: Option<String>,
    /// What ran: rows of one workload are compared with one another.
    pub workload: String,
    /// Settings that differ between rows of a set-up: rows with other words are not comparable.
    pub settings: Option<String>,
    /// Name of the row without L2ARC that this one adds it to.
    pub without_l2arc: Option<String>,
    /// Name of the row that does the same without synchronising.
    pub unsynced: Option<String>,
    /// Operations a second.
    pub throughput: Option<f64>,
    /// Bytes a second.
    pub bandwidth: Option<f64>,
    /// Bytes of an operation.
    pub size: Option<f64>,
    /// Operations in flight, of a closed loop.
    pub concurrency: Option<f64>,
    /// Mean latency, ms.
    pub mean_ms: Option<f64>,
    /// Median, ms.
    pub p50_ms: Option<f64>,
    /// 95th percentile, ms.
    pub p95_ms: Option<f64>,
    /// 99th percentile, ms.
    pub p99_ms: Option<f64>,
    /// 99.9th percentile, ms.
    pub p999_ms: Option<f64>,
    /// Synchronous commits an operation; 0 or none where nothing waits for stable storage.
    pub syncs: Option<f64>,
    /// It writes and commits beside background work (checkpoints, transaction groups).
    pub commits_beside_checkpoints: bool,
    /// ZFS's `sync` property.
    pub sync: Option<String>,
    /// ZFS's `primarycache` property.
    pub primarycache: Option<String>,
    /// It reads file data, and not only metadata.
    pub reads_data: bool,
    /// ARC hit ratio, 0 to 1.
    pub arc_hit: Option<f64>,
    /// L2ARC hits as a share of reads, 0 to 1.
    pub l2arc_hit: Option<f64>,
    /// Seconds measured, warm-up included.
    pub runtime_s: Option<f64>,
    /// Bits a second of a link that the text says it fills.
    pub said_to_fill: Option<f64>,
}

impl Row {
    /// Bytes a second, as stated or else computed.
    pub(super) fn moved(&self) -> Option<f64> {
        self.bandwidth.or_else(|| Some(self.throughput? * self.size?))
    }
}

/// Why a file could not be read as a table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", .line.map_or_else(String::new, |line| format!("line {line}: ")))]
pub struct ReadError {
    /// What is wrong, where and what to do.
    pub message: String,
    /// Line of the file, from 1, where known.
    pub line: Option<usize>,
}

impl Table {
    /// Reads a table: TOML of this type, the JSON that `poolwright` writes, or CSV with this type's
    /// row fields as its header.
    ///
    /// # Errors
    /// When the text is none of these, with the line where known.
    pub fn read(text: &str) -> Result<Table, ReadError> {
        let text = text.trim_start_matches('\u{feff}');
        let table = if text.trim_start().starts_with('{') {
            Self::from_json(text)?
        } else if text.lines().any(|l| l.trim_start().starts_with('[')) {
            Self::from_toml(text)?
        } else {
            csv(text)?
        };
        table.validate()?;
        Ok(table)
    }

    fn from_toml(text: &str) -> Result<Table, ReadError> {
        toml::from_str(text).map_err(|error| ReadError {
            message: error.message().to_owned(),
            line: error.span().map(|span| line(text, span.start)),
        })
    }

    fn from_json(text: &str) -> Result<Table, ReadError> {
        let findings: Result<Findings, _> = serde_json::from_str(text);
        match findings {
            Ok(findings) => Ok(Self::of_findings(&findings)),
            Err(not_findings) => serde_json::from_str(text).map_err(|not_table| ReadError {
                message: format!(
                    "neither the findings of a campaign ({not_findings}) nor a table of results \
                     ({not_table}): give the output of `poolwright report LAB --format json`, or a table like \
                     those in published/"
                ),
                line: Some(not_table.line()),
            }),
        }
    }

    fn validate(&self) -> Result<(), ReadError> {
        let refuse = |message: String| ReadError { message, line: None };
        let names: Vec<&str> = self.rows.iter().map(|r| r.name.as_str()).collect();
        for (i, row) in self.rows.iter().enumerate() {
            if names[..i].contains(&row.name.as_str()) {
                return Err(refuse(format!("two rows are named `{}`: rename one", row.name)));
            }
            if let Some(setup) = &row.setup
                && !self.setups.contains_key(setup)
            {
                return Err(refuse(format!(
                    "row `{}` names the set-up `{setup}`, which is not there: add [setups.{setup}]",
                    row.name
                )));
            }
            for other in [&row.without_l2arc, &row.unsynced].into_iter().flatten() {
                if !names.contains(&other.as_str()) {
                    return Err(refuse(format!(
                        "row `{}` names the row `{other}`, which is not there: correct the name",
                        row.name
                    )));
                }
            }
        }
        Ok(())
    }

    /// The set-up of a row.
    pub fn setup(&self, row: &Row) -> Option<&Setup> {
        self.setups.get(row.setup.as_ref()?)
    }

    /// The row of a name.
    pub fn row(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.name == name)
    }

    /// The table of a campaign, with what its variants say of `sync` and `primarycache`.
    pub fn from_findings(campaign: &Campaign, findings: &Findings) -> Table {
        let mut table = Self::of_findings(findings);
        for (row, cell) in table.rows.iter_mut().zip(&findings.cells) {
            let variant = campaign.variants.iter().find(|v| v.name == cell.variant);
            let workload = campaign.workloads.iter().find(|w| w.name == cell.workload);
            if let Some((variant, workload)) = variant.zip(workload) {
                let get = |name| variant.property(&workload.dataset, name).map(str::to_owned);
                row.sync = get("sync");
                row.primarycache = get("primarycache");
                let client = crate::cells::client::ClientFacts::of(workload);
                row.concurrency = row.concurrency.filter(|_| !client.may_wait(variant));
                row.size = client.block.map(|b| b as f64);
                if client.each_write_synced {
                    row.syncs = Some(1.0);
                }
            }
        }
        table
    }

    /// The table of findings: a row for each cell that is shown.
    fn of_findings(findings: &Findings) -> Table {
        let rows = findings.cells.iter().map(|cell| {
            let ms = |us: f64| Some(us / 1e3);
            let latency = cell.latency;
            // Little's law holds for the time of an operation with its syncs, which no column states.
            let alone = cell.sync_latency.is_none();
            Row {
                name: format!("{} {}", cell.variant, cell.workload),
                workload: cell.workload.clone(),
                settings: Some(cell.variant.clone()),
                throughput: cell.throughput.map(|x| x.value),
                bandwidth: cell.bandwidth.map(|x| x.value),
                concurrency: Some(cell.concurrency).filter(|n| alone && *n > 0.0),
                mean_ms: latency.and_then(|l| ms(l.mean_us)),
                p50_ms: latency.and_then(|l| ms(l.p50_us)),
                p95_ms: latency.and_then(|l| ms(l.p95_us)),
                p99_ms: latency.and_then(|l| ms(l.p99_us)),
                p999_ms: latency.and_then(|l| ms(l.p999_us?)),
                arc_hit: cell.hits.arc_data,
                l2arc_hit: cell.hits.l2_of_reads,
                ..Row::default()
            }
        });
        Table {
            provenance: Provenance {
                key: findings.lab.name.clone(),
                title: findings.lab.title.clone(),
                ..Provenance::default()
            },
            setups: BTreeMap::new(),
            rows: rows.collect(),
        }
    }
}

fn line(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|b| *b == b'\n').count() + 1
}

/// CSV with row fields as its header; empty fields are left out. Numbers only, no thousands marks.
fn csv(text: &str) -> Result<Table, ReadError> {
    let mut reader =
        ::csv::ReaderBuilder::new().trim(::csv::Trim::All).from_reader(text.as_bytes());
    let mut rows = Vec::new();
    for record in reader.deserialize() {
        let row: Row = record.map_err(|error| ReadError {
            message: format!(
                "{error}: a header of row fields (name, throughput, mean_ms, …) is needed"
            ),
            line: error.position().map(|p| p.line() as usize),
        })?;
        rows.push(row);
    }
    if rows.is_empty() {
        return Err(ReadError {
            message:
                "no rows: expected TOML with [[rows]], a campaign's JSON, or CSV with a header"
                    .to_owned(),
            line: None,
        });
    }
    Ok(Table { rows, ..Table::default() })
}
