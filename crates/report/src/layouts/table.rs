//! Ranked layouts as text: cells of their table, and a paragraph about each.

use plan::assess::Assessment;
use plan::rank::Ranking;
use text::layouts::{Label, Sentences};
use text::line::aligned;
use text::number::{bytes_per_second, percent, tebibytes, terabytes, whole};

/// One line about the whole ranking.
pub fn summary(ranking: &Ranking, says: Sentences) -> String {
    let mut out = says.summary(
        &whole(ranking.considered),
        &whole(ranking.fitting),
        &whole(ranking.front),
        ranking.shown.len(),
    );
    if ranking.thinned {
        out.push_str(Label::Thinned.text(says.0));
    }
    out
}

/// The cells of a layout's row, in the order of [`Sentences::heads`]. A layout that a lab has is
/// marked.
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
    let mark = if pool.own.is_empty() { "" } else { "* " };
    [
        format!("{mark}{}", pool.name),
        terabytes(score.holds),
        tebibytes(score.usable),
        percent(score.holds as f64 / pool.raw.max(1) as f64),
        score.survives.to_string(),
        format!("{} / {}", share(1), share(2)),
        hours(score.rebuild_h),
        chance(1.0 - (1.0 - pool.reliability.loss_year) * (1.0 - pool.reliability.read_error_year)),
        whole(score.read_iops.round() as u64),
        bytes_per_second(score.stream_write),
    ]
}

/// A line for each layout that a lab has: what the mark means.
pub fn marks(ranking: &Ranking, says: Sentences) -> String {
    let own = ranking.shown.iter().filter(|pool| !pool.own.is_empty());
    own.map(|pool| says.lab_layout(&pool.name, &pool.own) + "\n").collect()
}

/// A paragraph about one layout.
pub fn about(pool: &Assessment, says: Sentences) -> String {
    let tolerance = &pool.tolerance;
    let mut out = says.capacity(
        &terabytes(pool.score.holds),
        &tebibytes(pool.score.usable),
        tolerance.guaranteed,
    );
    if tolerance.in_sequence > tolerance.guaranteed {
        out.push_str(&says.in_sequence(tolerance.in_sequence));
    }
    for share in &tolerance.shares {
        if share.failed > tolerance.guaranteed && share.survived > 0.0 {
            out.push_str(&says.share(&percent(share.survived), share.failed, share.by));
        }
    }
    out.push_str(says.0.label(text::Label::FullStop));
    let mut add = |sentence: String| out.push_str(&sentence);
    if pool.score.rebuild_h > 0.0 {
        let waits = pool.exposed_h > pool.score.rebuild_h;
        let exposed = waits.then(|| hours(pool.exposed_h));
        add(says.rebuild(&hours(pool.score.rebuild_h), exposed.as_deref()));
    }
    add(says.loss(
        &chance(pool.reliability.loss_year),
        &years(pool.reliability.mttdl_y),
        &chance(pool.reliability.read_error_year),
    ));
    if let Some(price) = pool.score.price {
        let each = price / (pool.score.holds.max(1) as f64 / 1e12);
        add(says.price(price, each));
    }
    for note in &pool.notes {
        add(says.note(note));
    }
    if let Some(better) = &pool.dominated_by {
        add(says.dominated(better));
    }
    out
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
    if years >= 1e6 { format!("{years:.0e}") } else { whole(years.round() as u64) }
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

/// The ranking as a table of text, columns aligned.
pub fn render(ranking: &Ranking, says: Sentences) -> String {
    let heads = says.heads().map(str::to_owned);
    let rows: Vec<_> = [heads].into_iter().chain(ranking.shown.iter().map(row)).collect();
    aligned(&rows, 1..10)
}
