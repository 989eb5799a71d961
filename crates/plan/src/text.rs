//! A plan in words and figures, for the terminal and the page.

use crate::assess::{Assessment, Note};
use crate::rank::Ranking;
use crate::tolerance::Counted;

/// Column heads of the table.
pub const HEADS: [&str; 10] = [
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
];

/// What the figures rest on.
pub const ASSUMED: &str = "files: room at the recordsize, padding, slop and metadata classes accounted as OpenZFS does, indirect blocks left out. survives: any so many drives at once; k+1 and k+2: the share of sets of one and two more. loss a year: more failed drives than a group survives, or an unreadable sector while nothing is left to repair it from; a Markov chain with correlated failures, for comparing layouts and not a promise. random reads and stream write: what the drives give at most.";

/// One line about the whole ranking.
pub fn summary(ranking: &Ranking) -> String {
    let mut out = format!(
        "{} layouts looked at, {} do what is wanted, {} of them are beaten by none; {} shown.",
        thousands(ranking.considered),
        thousands(ranking.fitting),
        thousands(ranking.front),
        ranking.shown.len()
    );
    if ranking.thinned {
        out.push_str(
            " Layouts that another of the same drives beats in everything were left out before kinds were combined.",
        );
    }
    out
}

/// The cells of a layout's row, in the order of [`HEADS`].
pub fn row(pool: &Assessment) -> [String; 10] {
    let score = &pool.score;
    let share = |extra: u32| {
        let failed = pool.tolerance.guaranteed + extra;
        let found = pool.tolerance.shares.iter().find(|s| s.failed == failed);
        match found {
            Some(share) => percent(share.survived),
            None => "–".to_string(),
        }
    };
    [
        pool.name.clone(),
        terabytes(score.holds),
        tebibytes(score.usable),
        percent(score.holds as f64 / pool.raw.max(1) as f64),
        score.survives.to_string(),
        format!("{} / {}", share(1), share(2)),
        hours(score.rebuild_h),
        chance(1.0 - (1.0 - pool.reliability.loss_year) * (1.0 - pool.reliability.read_error_year)),
        thousands(score.read_iops.round() as u64),
        rate(score.stream_write),
    ]
}

/// A sentence or more about one layout.
pub fn about(pool: &Assessment) -> String {
    let mut out = format!(
        "Holds {} of files, {} in zfs list. Survives any {}",
        terabytes(pool.score.holds),
        tebibytes(pool.score.usable),
        failures(pool.tolerance.guaranteed)
    );
    if pool.tolerance.in_sequence > pool.tolerance.guaranteed {
        out.push_str(&format!(
            " (any {} one after another, with a rebuild onto a spare between)",
            pool.tolerance.in_sequence
        ));
    }
    for share in &pool.tolerance.shares {
        if share.failed > pool.tolerance.guaranteed && share.survived > 0.0 {
            let how = match share.by {
                Counted::Enumeration => "every set looked at",
                Counted::ClosedForm => "counted by group",
            };
            out.push_str(&format!(
                ", {} of sets of {} ({how})",
                percent(share.survived),
                share.failed
            ));
        }
    }
    out.push('.');
    if pool.score.rebuild_h > 0.0 {
        out.push_str(&format!(
            " A failed drive is rebuilt in {}, weak for {} with the wait for a new one.",
            hours(pool.score.rebuild_h),
            hours(pool.exposed_h)
        ));
    }
    out.push_str(&format!(
        " Loss by failed drives: {} a year (MTTDL {} years); an unreadable sector without redundancy: {} a year.",
        chance(pool.reliability.loss_year),
        years(pool.reliability.mttdl_y),
        chance(pool.reliability.read_error_year)
    ));
    if let Some(price) = pool.score.price {
        let each = price / (pool.score.holds.max(1) as f64 / 1e12);
        out.push_str(&format!(
            " Costs {price:.0}, {each:.1} a terabyte of files."
        ));
    }
    for note in &pool.notes {
        out.push(' ');
        out.push_str(&noted(note));
    }
    out
}

fn noted(note: &Note) -> String {
    match note {
        Note::Padding(share) => format!(
            "Of what zfs list shows, files of this recordsize fill {}: padding and parity of small blocks take the rest.",
            percent(*share)
        ),
        Note::Wide(width) => format!(
            "{width} drives in one raidz are many: a resilver keeps all of them busy, and a full-width block is read from all of them."
        ),
        Note::OneParity => "A second drive, or an unreadable sector, during the rebuild loses data.".to_string(),
        Note::NoRedundancy => "One failed drive loses the pool.".to_string(),
        Note::Mixed => "Different drives in one pool: it is as weak as its weakest part, and blocks are spread by free space, fast and slow alike.".to_string(),
        Note::NotZfs => "A block device below some file system, whose own overhead comes on top; nothing checks what the drives return.".to_string(),
    }
}

fn failures(n: u32) -> String {
    match n {
        1 => "1 failure".to_string(),
        n => format!("{n} failures"),
    }
}

/// `172.4 TB`, decimal.
pub fn terabytes(bytes: u64) -> String {
    let bytes = bytes as f64;
    if bytes >= 9.995e11 {
        format!("{:.1} TB", bytes / 1e12)
    } else {
        format!("{:.1} GB", bytes / 1e9)
    }
}

/// `156.8T`, binary and as `zfs list` prints it.
pub fn tebibytes(bytes: u64) -> String {
    let mut value = bytes as f64;
    for unit in ["B", "K", "M", "G", "T"] {
        if value < 1024.0 || unit == "T" {
            return match value < 10.0 {
                true => format!("{value:.2}{unit}"),
                false if value < 1000.0 => format!("{value:.1}{unit}"),
                false => format!("{value:.0}{unit}"),
            };
        }
        value /= 1024.0;
    }
    format!("{bytes}B")
}

fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if share == 0.0 {
        "0 %".to_string()
    } else if percent >= 99.95 {
        "100 %".to_string()
    } else if percent < 0.1 {
        format!("{percent:.0e} %")
    } else {
        format!("{percent:.1} %")
    }
}

/// A chance: percent while that is readable, then a power of ten.
fn chance(p: f64) -> String {
    if p >= 0.001 {
        percent(p)
    } else if p <= 0.0 {
        "0".to_string()
    } else {
        format!("{p:.0e}")
    }
}

fn years(years: f64) -> String {
    if years >= 1e6 {
        format!("{years:.0e}")
    } else {
        thousands(years.round() as u64)
    }
}

fn hours(hours: f64) -> String {
    if hours <= 0.0 {
        "–".to_string()
    } else if hours < 48.0 {
        format!("{hours:.1} h")
    } else {
        format!("{:.1} d", hours / 24.0)
    }
}

/// Bytes a second.
pub fn rate(bytes: f64) -> String {
    if bytes >= 1e9 {
        format!("{:.1} GB/s", bytes / 1e9)
    } else {
        format!("{:.0} MB/s", bytes / 1e6)
    }
}

fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// The ranking as a table of text, columns aligned.
pub fn table(ranking: &Ranking) -> String {
    let mut rows: Vec<Vec<String>> = vec![HEADS.iter().map(|h| h.to_string()).collect()];
    rows.extend(ranking.shown.iter().map(|pool| row(pool).to_vec()));
    let widths: Vec<usize> = (0..HEADS.len())
        .map(|c| rows.iter().map(|r| r[c].chars().count()).max().unwrap_or(0))
        .collect();
    let mut out = String::new();
    for cells in &rows {
        let mut line = String::new();
        for (column, cell) in cells.iter().enumerate() {
            let pad = " ".repeat(widths[column] - cell.chars().count());
            match column {
                0 => line.push_str(&format!("{cell}{pad}")),
                _ => line.push_str(&format!("  {pad}{cell}")),
            }
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}
