//! Sizes of a job's files on the scale model: stocks, divided by S.

use lab::fio::Mistake;
use lab::fio::job_options::{
    Size, block_sizes, file_sizes, files, laid_out, offsets, real_bytes, sets, size,
};
use lab::fio::parse::{Job, JobFile};
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
pub fn stock(job: &Job, s: f64, ratio: &Ratio) -> Result<Stock, Mistake> {
    let blocks = block_sizes(job).map_err(|mut wrong| wrong.swap_remove(0))?;
    let block = blocks.into_iter().fold(1, u64::max);
    let factor = match ratio {
        Ratio::Times(r) => r / s,
        _ => 1.0 / s,
    };
    let each = file_sizes(job)?;
    let total = match (size(job, "size")?, ratio) {
        (None, Ratio::Give(n)) if each.is_none() => Some(Size::Bytes(*n)),
        (total, _) => total,
    };
    if total.is_none() && each.is_none() {
        return Err(lab::fio::job_options::no_size(job));
    }
    let sizes = Sizes { job, total, each, factor };
    match (files(job), job.get("filename")) {
        (2.., None) => sizes.fewer_files(files(job), block),
        // Those that a job names stay.
        (files, _) => sizes.smaller_files(files, block),
    }
}

/// The sizes that a job states, and by how much they change.
struct Sizes<'a> {
    job: &'a Job,
    total: Option<Size>,
    each: Option<(u64, u64)>,
    factor: f64,
}

impl Sizes<'_> {
    /// Of many files the count shrinks and the size of a file does not: small files are what is measured. What the count
    /// of a few cannot say, since it is whole and one at least, their sizes make up for.
    fn fewer_files(&self, files: u32, block: u64) -> Result<Stock, Mistake> {
        /// Files from which on the rounding of their count is left as it is.
        const MANY: f64 = 10.0;
        let exact = f64::from(files) * self.factor;
        let fewer = (exact.round() as u32).max(1);
        let rest = if exact < MANY { exact / f64::from(fewer) } else { 1.0 };
        let by = f64::from(fewer) / f64::from(files) * rest;
        // In whole blocks, unless a file holds none of the largest.
        let resized = |n: u64| match (n as f64 * rest) as u64 {
            _ if rest == 1.0 => n,
            size => (size - size % block).max(block.min(n)),
        };
        let mut lines = vec![("nrfiles", fewer.to_string())];
        let mut bytes = 0;
        for (name, value) in [("size", self.total), ("io_size", size(self.job, "io_size")?)] {
            match value {
                Some(Size::Bytes(n)) => {
                    let each = if rest == 1.0 { 1 } else { block.min(n / u64::from(files)).max(1) };
                    let n = ((n as f64 * by) as u64).max(each.saturating_mul(u64::from(fewer)));
                    lines.push((name, n.to_string()));
                    if name == "size" {
                        bytes = n;
                    }
                }
                Some(Size::Share) => lines.push((name, self.as_stated(name))),
                None => {}
            }
        }
        if let Some((low, high)) = self.each.map(|(low, high)| (resized(low), resized(high))) {
            lines.push(("filesize", range(low, high)));
            bytes = u64::from(fewer).saturating_mul(high);
        }
        for name in ["offset", "offset_increment"] {
            match size(self.job, name)? {
                Some(Size::Bytes(n)) if rest != 1.0 && n > 0 => {
                    lines.push((name, resized(n).to_string()));
                }
                Some(_) => lines.push((name, self.as_stated(name))),
                None => {}
            }
        }
        Ok(Stock { lines, bytes, offsets: [0; 2] })
    }

    /// Files shrink, and where clones begin in them; in whole blocks, of which each has one.
    fn smaller_files(&self, files: u32, block: u64) -> Result<Stock, Mistake> {
        let whole = |n: u64, least: u64| {
            let n = (n as f64 * self.factor) as u64;
            (n - n % block).max(least)
        };
        let scaled = |n: u64| whole(n, block);
        let mut lines = Vec::new();
        let (mut bytes, mut offsets) = (0, [0; 2]);
        for (name, value) in [
            ("size", self.total),
            ("io_size", size(self.job, "io_size")?),
            ("offset", size(self.job, "offset")?),
            ("offset_increment", size(self.job, "offset_increment")?),
        ] {
            match value {
                Some(Size::Bytes(0)) => {}
                Some(Size::Bytes(n)) => {
                    let blocks = if name == "size" { u64::from(files) } else { 1 };
                    let n = whole(n, block.saturating_mul(blocks));
                    lines.push((name, n.to_string()));
                    match name {
                        "size" => bytes = n,
                        "offset" => offsets[0] = n,
                        "offset_increment" => offsets[1] = n,
                        _ => {}
                    }
                }
                Some(Size::Share) => lines.push((name, self.as_stated(name))),
                None => {}
            }
        }
        if let Some((low, high)) = self.each {
            let (low, high) = (scaled(low), scaled(high));
            lines.push(("filesize", range(low, high)));
            bytes = high.saturating_mul(u64::from(files));
        }
        Ok(Stock { lines, bytes, offsets })
    }

    /// A share of a device, which does not change.
    fn as_stated(&self, name: &str) -> String {
        self.job.get(name).unwrap_or("").to_owned()
    }
}

fn range(low: u64, high: u64) -> String {
    if low == high { low.to_string() } else { format!("{low}-{high}") }
}
