//! Sizes of a job's files on the scale model: stocks, divided by S.

use lab::fio::Mistake;
use lab::fio::parse::{Job, JobFile};
use lab::fio::stock::{
    Size, block_sizes, count, file_sizes, laid_out, offsets, real_bytes, sets, size,
};
use std::collections::BTreeMap;

/// Sizes of one job, after scaling.
pub struct Stock {
    /// Lines for its section.
    pub lines: Vec<(&'static str, String)>,
    /// Bytes that one clone works on.
    pub bytes: u64,
    /// Where the first clone begins, and how much further each other does.
    pub offsets: [u64; 2],
}

/// How the lab's own working set changes the sizes of the file.
pub enum Ratio {
    /// Not at all.
    Keep,
    /// Each by as much.
    Times(f64),
    /// The file states none: bytes for each set of files, of which clones may share one.
    Give(u64),
}

/// The change that makes all files of a job file together `want` bytes.
///
/// # Errors
/// A size that cannot be read, with its line.
pub fn working_set_ratio(file: &JobFile, want: u64) -> Result<Ratio, Mistake> {
    // How many sets of files have a name, and their bytes.
    let mut files: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for job in &file.jobs {
        let (name, sets) = sets(job);
        let bytes = real_bytes(job)?.map_or(0, |size| laid_out(job, size, offsets(job)));
        let known = files.entry(name).or_default();
        *known = (sets.max(known.0), bytes.max(known.1));
    }
    let all = |pick: fn(&(u64, u64)) -> u64| files.values().map(pick).fold(0, u64::saturating_add);
    let (sets, stated) = (all(|f| f.0), all(|f| f.1));
    Ok(if stated == 0 {
        Ratio::Give(want / sets.max(1))
    } else {
        Ratio::Times(want as f64 / stated as f64)
    })
}

/// The sizes of a job, S times smaller, in whole blocks.
///
/// # Errors
/// A size that cannot be read or is missing, with its line.
pub fn stock(job: &Job, s: f64, ratio: &Ratio) -> Result<Stock, Mistake> {
    let files = count(job, "nrfiles");
    let blocks = block_sizes(job).map_err(|mut wrong| wrong.swap_remove(0))?;
    let block = blocks.into_iter().fold(1, u64::max);
    let factor = match ratio {
        Ratio::Times(r) => r / s,
        _ => 1.0 / s,
    };
    let mut lines = Vec::new();
    let each = file_sizes(job)?;
    let total = match (size(job, "size")?, ratio) {
        (None, Ratio::Give(n)) if each.is_none() => Some(Size::Bytes(*n)),
        (total, _) => total,
    };
    if total.is_none() && each.is_none() {
        return Err(lab::fio::stock::none(job));
    }
    let scaled = |n: u64, factor: f64| {
        let n = (n as f64 * factor) as u64;
        (n - n % block).max(block)
    };
    let bytes;
    let mut offsets = [0; 2];
    if files > 1 {
        // The count shrinks and the size of a file does not: small files are what is measured.
        let fewer = ((f64::from(files) * factor).round() as u32).max(1);
        let by = f64::from(fewer) / f64::from(files);
        lines.push(("nrfiles", fewer.to_string()));
        let mut sum = 0;
        for (name, value) in [("size", total), ("io_size", size(job, "io_size")?)] {
            match value {
                Some(Size::Bytes(n)) => {
                    let n = ((n as f64 * by) as u64).max(u64::from(fewer));
                    lines.push((name, n.to_string()));
                    if name == "size" {
                        sum = n;
                    }
                }
                Some(Size::Share) => lines.push((name, job.get(name).unwrap_or("").to_owned())),
                None => {}
            }
        }
        if let Some((low, high)) = each {
            lines.push(("filesize", range(low, high)));
            sum = u64::from(fewer).saturating_mul(high);
        }
        for name in ["offset", "offset_increment"] {
            if let Some(value) = job.get(name) {
                lines.push((name, value.to_owned()));
            }
        }
        bytes = sum;
    } else {
        let mut sum = 0;
        for (name, value) in [
            ("size", total),
            ("io_size", size(job, "io_size")?),
            ("offset", size(job, "offset")?),
            ("offset_increment", size(job, "offset_increment")?),
        ] {
            match value {
                Some(Size::Bytes(0)) => {}
                Some(Size::Bytes(n)) => {
                    let n = scaled(n, factor);
                    lines.push((name, n.to_string()));
                    match name {
                        "size" => sum = n,
                        "offset" => offsets[0] = n,
                        "offset_increment" => offsets[1] = n,
                        _ => {}
                    }
                }
                Some(Size::Share) => lines.push((name, job.get(name).unwrap_or("").to_owned())),
                None => {}
            }
        }
        if let Some((low, high)) = each {
            let (low, high) = (scaled(low, factor), scaled(high, factor));
            lines.push(("filesize", range(low, high)));
            sum = high;
        }
        bytes = sum;
    }
    Ok(Stock { lines, bytes, offsets })
}

fn range(low: u64, high: u64) -> String {
    if low == high { low.to_string() } else { format!("{low}-{high}") }
}
