//! What a workload says of its client that the checks need: block size, pacing, what is synchronous.

use lab::campaign::{Pgbench, Program, Script, Sqlite, SyncMethod, Sysbench, Variant, Workload};
use lab::fio::parse::{self, Job as Section};
use lab::fio::{job_options, sizes};

/// The few facts of a client that laws depend on.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ClientFacts {
    /// The one size of all its reads and writes, bytes; none where there are several.
    pub block: Option<u64>,
    /// Its clients do not issue the next operation at once: a rate, a think time, an arrival process.
    pub paced: bool,
    /// Operations a second that its clients offer, whose latency counts from when they were to begin, so that more may
    /// be in flight than there are clients. None where a latency counts from an operation's own begin.
    pub scheduled_rate: Option<f64>,
    /// Its clients go as fast as they can, but have fewer operations under way than they could: they wait
    /// for each other, submit in batches, or end when they have done so many.
    pub held_back: bool,
    /// It invalidates the page cache before each pass over its files, while that holds pages to be written.
    pub invalidates_written_pages: bool,
    /// Each write is durable before the next (`fsync=1`, `fdatasync=1`, `sync=1`).
    pub each_write_synced: bool,
    /// It flushes with libaio: fio 3.33 counts such a flush not from its own begin, but from when the operation
    /// before it in the same slot was submitted.
    pub flushes_counted_long: bool,
    /// Its data can be made smaller by compression or deduplication.
    pub compressible: bool,
    /// O_DIRECT, all of its jobs.
    pub direct: bool,
    /// Some of its blocks are no whole pages. OpenZFS 2.4 takes them through the ARC also with O_DIRECT or `direct=always`;
    /// 2.3 does so with `direct=always` alone, and refuses them with O_DIRECT (`zfs_setup_direct`).
    pub parts_of_pages: bool,
    /// Any of its jobs reads with O_DIRECT.
    pub reads_directly: bool,
    /// Any of its jobs truncates files where it would write: no such byte reaches a drive.
    pub truncates: bool,
    /// It keeps what it read in memory of its own, so that a read of it need not look anything up.
    pub own_cache: bool,
    /// It tells one rate for its whole run: no course over time, and no latencies but their mean.
    pub tells_one_rate: bool,
    /// Operations of fio that can be under way on ZFS, where libaio blocks in `io_submit`, so that each of its clients
    /// has one. None for other clients.
    pub in_flight_on_zfs: Option<u32>,
    /// Any of its jobs reads.
    pub reads: bool,
    /// Any of its jobs writes.
    pub writes: bool,
}

impl ClientFacts {
    /// Of a workload's program.
    pub fn of(workload: &Workload) -> ClientFacts {
        let database =
            ClientFacts { compressible: true, own_cache: true, ..ClientFacts::default() };
        match &workload.program {
            Program::Fio { .. } => of_sections(&sections(workload)),
            Program::Pgbench(pgbench) => ClientFacts {
                paced: pgbench.rate.is_some(),
                scheduled_rate: pgbench.rate,
                reads: pgbench.scripts.iter().any(|script| !script.writes()),
                writes: pgbench.scripts.iter().any(Script::writes),
                ..database
            },
            Program::Sysbench(sysbench) => ClientFacts {
                paced: sysbench.rate.is_some(),
                scheduled_rate: sysbench.rate,
                reads: !sysbench.writes(),
                writes: sysbench.writes(),
                ..database
            },
            Program::Sqlite(sqlite) => ClientFacts {
                // Its rows are random bytes.
                compressible: false,
                reads: sqlite.writes < 1.0,
                writes: sqlite.writes > 0.0,
                ..database
            },
            Program::PgTestFsync(test) => ClientFacts {
                // All of its writes are at the begin of one file, and what it writes is random.
                each_write_synced: test.method != SyncMethod::Write && test.writes == 1,
                tells_one_rate: true,
                writes: true,
                ..ClientFacts::default()
            },
        }
    }

    /// Whether its clients may have fewer operations under way than they could, on a variant. fio's request to
    /// invalidate pages that are still to be written waits for drives, where files are in the page cache: not on ZFS.
    pub fn may_wait(&self, variant: &Variant) -> bool {
        let between_passes = self.invalidates_written_pages && !variant.is_zfs();
        self.paced || self.held_back || between_passes
    }
}

/// Whether some block of a job is no number of whole pages.
fn in_parts_of_pages(section: &Section) -> bool {
    const PAGE: u64 = 4096;
    job_options::block_sizes(section).is_ok_and(|sizes| sizes.iter().any(|size| size % PAGE != 0))
}

/// Reads the jobs of a file, as fio does.
fn of_sections(sections: &[Section]) -> ClientFacts {
    let any = |test: &dyn Fn(&Section) -> bool| sections.iter().any(test);
    let all = |test: &dyn Fn(&Section) -> bool| !sections.is_empty() && sections.iter().all(test);
    let mut blocks: Vec<Option<u64>> = sections.iter().map(block).collect();
    blocks.dedup();
    ClientFacts {
        block: if let [one] = blocks[..] { one } else { None },
        paced: any(&|s| PACING.iter().any(|name| set(s, name))),
        held_back: any(&|s| HOLDING.iter().any(|name| set(s, name))),
        invalidates_written_pages: any(&invalidates_written_pages),
        each_write_synced: all(&each_write_synced),
        flushes_counted_long: any(&job_options::flushes_counted_long),
        compressible: any(&job_options::is_compressible),
        direct: all(&job_options::is_direct),
        parts_of_pages: any(&in_parts_of_pages),
        reads_directly: any(&|s| job_options::is_direct(s) && !job_options::only_writes(s)),
        truncates: any(&|s| job_options::engine(s) == "ftruncate"),
        in_flight_on_zfs: Some(sections.iter().map(in_flight_on_zfs).fold(0, u32::saturating_add)),
        reads: any(&|s| !job_options::only_writes(s)),
        writes: any(&job_options::writes),
        ..ClientFacts::default()
    }
}

/// Whether a workload's clients keep a pace: a rate, a think time, an arrival process.
pub fn is_paced(workload: &Workload) -> bool {
    ClientFacts::of(workload).paced
}

/// Options that say what a job does, in the order in which people name them.
const SHOWN: [&str; 20] = [
    "ioengine", "rw", "rwmixread", "rwmixwrite", "bs", "bssplit", "bsrange", "size", "numjobs",
    "iodepth", "direct", "sync", "fsync", "fdatasync", "overwrite", "random_distribution", "rate",
    "rate_iops", "thinktime", "buffer_compress_percentage",
];

/// What each job of a workload's file does: the options that say so.
pub fn summaries(workload: &Workload) -> Vec<String> {
    let summary = |section: &Section| {
        let option = |name: &&str| Some(format!("{name}={}", section.get(name)?));
        let options: Vec<String> = SHOWN.iter().filter_map(option).collect();
        options.join(" ")
    };
    match &workload.program {
        Program::Fio { .. } => sections(workload).iter().map(summary).collect(),
        Program::Pgbench(pgbench) => vec![of_pgbench(pgbench)],
        Program::Sysbench(sysbench) => vec![of_sysbench(sysbench)],
        Program::Sqlite(sqlite) => vec![of_sqlite(sqlite)],
        Program::PgTestFsync(test) => {
            vec![format!("pg_test_fsync method={} writes={}", test.method.name(), test.writes)]
        }
    }
}

/// pgbench and its server in one line, in the words that a lab has for them; and so are the other clients below.
fn of_pgbench(pgbench: &Pgbench) -> String {
    let scripts = pgbench.scripts.iter().map(|script| script.name.as_str());
    let scripts: Vec<&str> = scripts.collect();
    let mut words = vec![
        format!("pgbench script={}", scripts.join("+")),
        format!("scale={} clients={}", pgbench.scale, pgbench.clients),
        format!("protocol={}", pgbench.protocol.name()),
    ];
    words.extend(pgbench.rate.map(|rate| format!("rate={rate}")));
    words.extend(pgbench.random_filler.map(|share| format!("random_filler={share}")));
    let settings = pgbench.settings.iter();
    words.extend(settings.map(|(name, value)| format!("{name}={value}")));
    words.join(" ")
}

fn of_sysbench(sysbench: &Sysbench) -> String {
    let mut words = vec![
        format!("sysbench script={} tables={}", sysbench.script, sysbench.tables),
        format!("table_size={} threads={}", sysbench.table_size, sysbench.threads),
    ];
    words.extend(sysbench.rate.map(|rate| format!("rate={rate}")));
    let settings = sysbench.options.iter().chain(&sysbench.settings);
    words.extend(settings.map(|(name, value)| format!("{name}={value}")));
    words.join(" ")
}

fn of_sqlite(sqlite: &Sqlite) -> String {
    let mut words = vec![
        format!("sqlite {} page_size={}", sqlite.settings(), sqlite.page_size),
        format!("rows={} clients={} writes={}", sqlite.rows, sqlite.clients, sqlite.writes),
    ];
    words.extend(sqlite.cache_size.map(|bytes| format!("cache_size={bytes}")));
    words.join(" ")
}

const PACING: [&str; 4] = ["rate", "rate_iops", "thinktime", "latency_target"];

/// Not among [`PACING`]: how much such jobs do in a second is still their result.
const HOLDING: [&str; 10] = [
    // Time for it counts to the run and to no operation.
    "end_fsync", "fsync_on_close",
    // Files are opened and closed between operations.
    "openfiles", "flow", "lockfile", "number_ios", "iodepth_low", "iodepth_batch",
    "iodepth_batch_complete_min", "iodepth_batch_complete_max",
];

fn each_write_synced(section: &Section) -> bool {
    let is = |name: &str, values: &[&str]| section.get(name).is_some_and(|v| values.contains(&v));
    is("fsync", &["1"]) || is("fdatasync", &["1"]) || is("sync", &["1", "sync", "dsync"])
}

fn in_flight_on_zfs(section: &Section) -> u32 {
    let count = |name| job_options::count(section, name).max(1);
    // libaio's submission of an operation lasts until it ends; another thread can submit the next.
    let asynchronous = job_options::is_asynchronous(section) == Some(true);
    let queues = asynchronous && job_options::engine(section) != "libaio";
    let depth = if queues || job_options::offloads(section) { count("iodepth") } else { 1 };
    count("numjobs").saturating_mul(depth)
}

fn invalidates_written_pages(section: &Section) -> bool {
    let invalidates = section.get("invalidate").is_none_or(|value| value != "0");
    let written = job_options::writes(section) && !each_write_synced(section);
    written && !job_options::is_direct(section) && invalidates
}

/// Whether an option is there and does something.
fn set(section: &Section, name: &str) -> bool {
    let value = section.get(name);
    value.is_some_and(|value| !["0", "none"].contains(&value))
}

fn block(section: &Section) -> Option<u64> {
    let mixtures = ["bssplit", "bsrange", "bs_unaligned"];
    if mixtures.iter().any(|name| section.get(name).is_some()) {
        return None;
    }
    // Reads' and writes', of which one that is left out is fio's default.
    let text = section.get("bs").unwrap_or("4k");
    let mut both = text.split(',').take(2).map(|part| match part.trim() {
        "" => Some(4096),
        part => sizes::bytes(part),
    });
    let first = both.next()?;
    if both.all(|size| size == first) { first } else { None }
}

/// The jobs of a workload; what `lab` refuses in them is not looked at here.
fn sections(workload: &Workload) -> Vec<Section> {
    let Program::Fio { job, .. } = &workload.program else {
        return Vec::new();
    };
    parse::read(job, &mut Vec::new()).jobs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(text: &str) -> ClientFacts {
        ClientFacts::of(&Workload {
            name: "w".into(),
            dataset: String::new(),
            program: Program::Fio { origin: "<lab>".into(), job: text.into() },
            size: None,
            rates: None,
        })
    }

    #[test]
    fn on_zfs_a_client_of_libaio_has_one_operation_under_way_and_one_of_io_uring_its_depth() {
        let queued = job(
            "[global]\nrw=randread\n[a]\nioengine=libaio\niodepth=32\nnumjobs=2\n[b]\nioengine=io_uring\niodepth=8\n[c]\n\
             [d]\nioengine=libaio\niodepth=4\nio_submit_mode=offload\n",
        );
        assert_eq!(queued.in_flight_on_zfs, Some(2 + 8 + 1 + 4));
    }

    #[test]
    fn a_synchronous_writer_is_read() {
        let read =
            job("[global]\nbs=8k\n\n[a]\nrw=randwrite\nfsync=1\n[b]\nrw=randwrite\nsync=dsync\n");
        assert_eq!(read.block, Some(8192));
        assert!(read.each_write_synced && !read.paced && !read.compressible);
    }

    #[test]
    fn a_comment_is_no_part_of_an_option_or_a_section() {
        let read = job("[w] ; the logger\nrate=10m\nfsync=1 # each\nbs=8k # page\n");
        assert!(read.paced && read.each_write_synced);
        assert_eq!(read.block, Some(8192));
        assert!(!job("[w]\nrw=randwrite ;fsync=1\n").each_write_synced);
        assert!(job("[w]\nbuffer_pattern=0 # zeros\n").compressible);
    }

    #[test]
    fn options_are_known_by_their_other_names_and_sizes_as_fio_reads_them() {
        assert_eq!(job("[w]\nblocksize=16kib\n").block, Some(16_000));
        assert_eq!(job("[w]\nbs=,8k\n").block, None);
        assert!(job("[w]\niodepth_batch_submit=4\n").held_back);
    }

    #[test]
    fn flushes_of_libaio_are_known_to_be_counted_too_long() {
        let long = |options: &str| job(&format!("[w]\nrw=write\n{options}")).flushes_counted_long;
        assert!(long("ioengine=libaio\nfsync=1\n") && long("ioengine=libaio\nfdatasync=8\n"));
        assert!(!long("ioengine=libaio\nfsync=0\n") && !long("ioengine=libaio\nsync=1\n"));
        assert!(!long("ioengine=io_uring\nfsync=1\n") && !long("fsync=1\n"));
    }

    #[test]
    fn jobs_that_hold_each_other_back_offer_no_rate() {
        let read = job("[w]\nflow=8\nlockfile=exclusive\n");
        assert!(read.held_back && !read.paced);
        assert!(!job("[w]\nlockfile=none\nflow=0\n").held_back);
        assert!(job("[w]\nrw=write\nend_fsync=1\n").held_back);
    }

    #[test]
    fn passes_over_pages_that_are_not_yet_on_drives_are_known() {
        let waits = |options: &str| job(&format!("[w]\n{options}")).invalidates_written_pages;
        assert!(waits("rw=write\n") && waits("rw=randrw\ninvalidate=1\n"));
        assert!(!waits("rw=read\n") && !waits("rw=write\ndirect=1\n"));
        assert!(!waits("rw=write\nbuffered=0\n"));
        assert!(!waits("rw=write\nfsync=1\n") && !waits("rw=write\ninvalidate=0\n"));
    }

    #[test]
    fn a_mixture_has_no_one_block_and_one_unsynced_job_is_enough() {
        let read = job("[a]\nbs=8k\nfsync=1\n[b]\nbs=1M\nrate=100M\n");
        assert_eq!(read.block, None);
        assert!(!read.each_write_synced && read.paced);
        assert_eq!(job("[a]\nbs=4k,8k\n").block, None);
        assert_eq!(job("[a]\nbssplit=4k/50:8k/50\n").block, None);
        assert_eq!(job("[a]\nrw=read\n").block, Some(4096));
    }

    #[test]
    fn a_global_section_between_jobs_applies_to_those_after_it() {
        assert_eq!(job("[a]\nbs=8k\n[global]\nbs=16k\n[b]\n").block, None);
    }

    #[test]
    fn a_job_is_told_by_its_own_options() {
        let workload = Workload {
            name: "w".into(),
            dataset: String::new(),
            program: Program::Fio {
                origin: "<lab>".into(),
                job:
                    "[global]\nbs=8k\ntime_based\n[a]\nrw=randwrite\nfsync=1\n[b]\nrw=read\nbs=1M\n"
                        .into(),
            },
            size: None,
            rates: None,
        };
        assert_eq!(summaries(&workload), ["rw=randwrite bs=8k fsync=1", "rw=read bs=1M"]);
    }

    #[test]
    fn a_block_that_is_no_whole_page_is_known() {
        assert!(job("[a]\nrw=read\nbs=1m\n[b]\nrw=randread\nbs=5k\n").parts_of_pages);
        assert!(job("[a]\nrw=randread\nbssplit=4k/50:6k/50\n").parts_of_pages);
        assert!(!job("[a]\nrw=randread\nbs=8k\n").parts_of_pages);
        assert!(!job("[a]\nrw=randread\n").parts_of_pages);
    }

    #[test]
    fn one_job_of_several_that_reads_directly_or_truncates_is_known() {
        let mixed = job("[a]\nrw=randread\ndirect=1\n[b]\nrw=randread\n");
        assert!(mixed.reads_directly && !mixed.direct);
        let reads = job("[a]\nrw=randwrite\ndirect=1\n[b]\nrw=randread\n");
        assert!(!reads.reads_directly, "its direct job only writes");
        assert!(job("[a]\nrw=write\n[b]\nrw=write\nioengine=ftruncate\n").truncates);
        assert!(!job("[a]\nrw=write\n").truncates);
    }

    #[test]
    fn nonsense_is_no_panic() {
        for text in ["", "[", "]", "bs=", "[a]\nbs=99999999999999999999k", "[a]\nbs=k"] {
            job(text);
        }
    }
}
