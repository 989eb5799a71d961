//! A million layouts of mixed drives, up to 120 bays, are ranked in seconds.

use plan::assess::Options;
use plan::drive::parse;
use plan::enumerate::Scope;
use plan::rank::{Wanted, rank};
use std::time::{Duration, Instant};

#[test]
fn a_million_layouts_are_ranked_in_under_ten_seconds() {
    for text in
        ["60x16T hdd-7200 + 60x8T hdd-7200", "48x16T hdd-7200 + 48x8T hdd-7200 + 24x3.84T nvme"]
    {
        let drives = parse(text, &|_| None).expect("drives");
        let begin = Instant::now();
        let ranking = rank(&drives, &Scope::default(), &Options::default(), &Wanted::default());
        assert!(begin.elapsed() < Duration::from_secs(10), "{text}: {:?}", begin.elapsed());
        assert!(ranking.considered >= 1_000_000, "{text}: {}", ranking.considered);
        assert_eq!(ranking.shown.len(), 12);
    }
}
