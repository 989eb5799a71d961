//! English.

use super::Words;
use crate::assess::Note;
use crate::tolerance::Counted;

pub(super) struct English;

fn failures(n: u32) -> String {
    match n {
        1 => "1 failure".to_string(),
        n => format!("{n} failures"),
    }
}

impl Words for English {
    fn heads(&self) -> [&'static str; 10] {
        [
            "layout",
            "files",
            "zfs list",
            "of raw",
            "survives",
            "k+1 / k+2",
            "rebuild",
            "loss a year",
            "random reads",
            "stream write",
        ]
    }

    fn assumed(&self) -> &'static str {
        "files: room at the recordsize, padding, slop and metadata classes accounted as OpenZFS does, indirect blocks left out. survives: any so many drives at once; k+1 and k+2: the share of sets of one and two more. loss a year: more failed drives than a group survives, or an unreadable sector while nothing is left to repair it from; a Markov chain with correlated failures, for comparing layouts and not a promise. random reads and stream write: what the drives give at most."
    }

    fn title(&self, drives: &str) -> String {
        format!("Layouts of {drives}")
    }

    fn summary(&self, considered: &str, fitting: &str, front: &str, shown: usize) -> String {
        format!(
            "{considered} layouts looked at, {fitting} do what is wanted, {front} of them are beaten by none; {shown} shown."
        )
    }

    fn thinned(&self) -> &'static str {
        "Layouts that another of the same drives beats in everything were left out before kinds were combined."
    }

    fn own(&self, name: &str, variants: &str) -> String {
        format!("* {name}: as in this lab ({variants})")
    }

    fn beaten(&self, by: &str) -> String {
        format!("{by} is at least as good in every figure.")
    }

    fn none(&self) -> &'static str {
        "No layout does what is wanted: ask for less room (--need), fewer failures (--survive) or more spares (--spares)."
    }

    fn holds(&self, files: &str, listed: &str, survived: u32) -> String {
        format!(
            "Holds {files} of files, {listed} in zfs list. Survives any {}",
            failures(survived)
        )
    }

    fn in_sequence(&self, failures: u32) -> String {
        format!(" (any {failures} one after another, with a rebuild onto a spare between)")
    }

    fn share(&self, share: &str, failed: u32, by: Counted) -> String {
        let how = match by {
            Counted::Enumeration => "every set looked at",
            Counted::ClosedForm => "counted by group",
        };
        format!(", {share} of sets of {failed} ({how})")
    }

    fn stop(&self) -> &'static str {
        "."
    }

    fn rebuild(&self, time: &str, exposed: &str) -> String {
        format!(
            "A failed drive is rebuilt in {time}, weak for {exposed} with the wait for a new one."
        )
    }

    fn loss(&self, year: &str, mttdl: &str, sector: &str) -> String {
        format!(
            "Loss by failed drives: {year} a year (MTTDL {mttdl} years); an unreadable sector without redundancy: {sector} a year."
        )
    }

    fn price(&self, price: f64, each: f64) -> String {
        format!("Costs {price:.0}, {each:.1} a terabyte of files.")
    }

    fn note(&self, note: &Note) -> String {
        match note {
            Note::Padding(share) => format!(
                "Of what zfs list shows, files of this recordsize fill {}: padding and parity of small blocks take the rest.",
                crate::text::percent(*share)
            ),
            Note::Wide(width) => format!(
                "{width} drives in one raidz are many: a resilver keeps all of them busy, and a full-width block is read from all of them."
            ),
            Note::OneParity => "A second drive, or an unreadable sector, during the rebuild loses data.".to_string(),
            Note::NoRedundancy => "One failed drive loses the pool.".to_string(),
            Note::Mixed => "Different drives in one pool: it is as weak as its weakest part, and blocks are spread by free space, fast and slow alike.".to_string(),
            Note::Forced => "Its vdevs differ in width: `zpool create` wants -f.".to_string(),
            Note::NotZfs => "A block device below some file system, whose own overhead comes on top; nothing checks what the drives return.".to_string(),
        }
    }

    fn blank(&self) -> &'static str {
        " "
    }

    fn log(&self, needed: &str, waits: &str, dirty: &str, txg_s: f64, arrives: &str) -> String {
        format!(
            "log      {needed} is enough: at most {waits} of synchronous writes wait for their txg (dirty data limit {dirty}, a txg every {txg_s} s, {arrives} arriving)"
        )
    }

    fn cache(&self, sensible: &str, arc: &str) -> String {
        format!(
            "cache    up to {sensible} at this recordsize: its headers then take a tenth of an ARC of {arc}"
        )
    }

    fn cache_own(&self, size: &str, headers: &str, share: &str) -> String {
        format!("         the lab's {size} takes up to {headers} of headers, {share} of that ARC")
    }

    fn mirror_site(&self) -> &'static str {
        "a mirror site's file sizes (estimate; count your own: --histogram)"
    }

    fn files(&self, count: &str, bytes: &str) -> String {
        format!("these {count} files of {bytes}")
    }

    fn blocks(&self, count: &str, bytes: &str) -> String {
        format!("these {count} blocks of {bytes}")
    }

    fn special(&self, needed: &str, small_blocks: Option<&str>, of: &str) -> String {
        match small_blocks {
            None => format!("special  {needed} for {of}: metadata only"),
            Some(small) => format!("special  {needed} for {of}: metadata and blocks up to {small}"),
        }
    }

    fn no_metadata(&self) -> &'static str {
        "special  metadata alone is not told apart in this histogram: give all of the text of `zdb -Lbbbs POOL`"
    }

    fn beside_disks(&self, kind: &str, vdevs: &str, room: &str) -> String {
        format!(
            "{kind:8} beside disks: {vdevs} ({room} each); as data vdevs they would be as slow as the disks"
        )
    }

    fn chart(&self) -> &'static str {
        "Room for files against the chance of loss within a year"
    }

    fn axis_room(&self) -> &'static str {
        "room for files, TB"
    }

    fn axis_losses(&self) -> &'static str {
        "losses a year"
    }
}
