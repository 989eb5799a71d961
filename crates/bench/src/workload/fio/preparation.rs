//! The runs of fio before the measured one: versions of the job that lay files out, read them once, warm
//! caches, or are a ramp.

use super::rewrite::Rewritten;
use super::times::milliseconds;

/// Block size for laying out files whose content does not depend on it.
pub(super) const LAYOUT_BLOCK: u64 = 1 << 20;

impl Rewritten {
    /// The same files, only laid out. fio writes them in the job's blocks, of 8 KiB say, which takes
    /// minutes and reads and writes each large record a hundred times; in blocks of 1 MiB they come to
    /// the same.
    pub fn layout(&self) -> String {
        // fio 3.33 lays out and then waits for good for the threads that a job hands its operations to. Files that a job
        // makes itself, or does not make, are there when it begins.
        let only = self
            .without(&["io_submit_mode", "allow_file_create", "create_on_open"])
            .replacen("[global]\n", "[global]\ncreate_only=1\n", 1);
        // Every section of a job ends with its own seed; what stands last holds. fio has buffers for all that
        // may be under way.
        let block = match self.large {
            true => format!("bs={LAYOUT_BLOCK}\n"),
            false => String::new(),
        };
        only.replace("\nrandseed=", &format!("\n{block}iodepth=1\nrandseed="))
    }

    /// The same files, read once by fio itself before a job begins; none where no job asks for it.
    pub fn pre_read(&self) -> Option<String> {
        self.pre_reads.iter().any(|reads| *reads).then(|| {
            let mut reads = self.pre_reads.iter();
            let lines = self.layout();
            let read = lines.lines().map(|line| {
                let asked = line.starts_with("randseed=") && reads.next() == Some(&true);
                let before = if asked { "pre_read=1\n" } else { "" };
                format!("{before}{line}\n")
            });
            read.collect()
        })
    }

    /// The same job for warming caches up: `limit_s` virtual seconds, other offsets, nothing logged.
    /// With the same offsets the measured window would find in the caches just what it asks for. Where
    /// reading is enough it only reads: what it would write changes nothing in what caches hold, and takes
    /// room on drives and the drives' own time.
    pub fn warm_up(&self, limit_s: f64) -> String {
        self.before(limit_s, self.reads.as_deref().unwrap_or_default())
    }

    /// The same job for the ramp that fio cannot give it ([`Rewritten::lead_s`]): as warming up, but doing
    /// all that it will do.
    pub fn lead(&self) -> String {
        self.before(self.lead_s, &[])
    }

    /// The same job for so long, on other offsets, nothing logged; with other patterns where some are given.
    fn before(&self, seconds: f64, patterns: &[String]) -> String {
        const OWN: [&str; 4] = ["runtime=", "ramp_time=", "time_based=", "write_iops_log="];
        let own = format!(
            "[global]\nruntime={}\ntime_based=1\nrandseed={}\n",
            milliseconds(seconds),
            (self.seed >> 1) ^ 1
        );
        // Every section ends with its own seed; what stands last holds.
        let mut reads = patterns.iter();
        let warm: String = self
            .without(&OWN)
            .lines()
            .filter_map(|line| match line.starts_with("randseed=") {
                true => reads.next().map(|pattern| format!("rw={pattern}\n")),
                false => Some(format!("{line}\n")),
            })
            .collect();
        warm.replacen("[global]\n", &own, 1)
    }

    /// The text without the lines that begin so.
    fn without(&self, options: &[&str]) -> String {
        let stays = |line: &&str| !options.iter().any(|o| line.trim_start().starts_with(o));
        let rest: Vec<&str> = self.text.lines().filter(stays).collect();
        rest.join("\n") + "\n"
    }
}
