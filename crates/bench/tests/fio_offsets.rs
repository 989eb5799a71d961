//! Which offsets fio itself comes to under the job files that are written for it.

use bench::workload::fio::rewrite::{Target, rewrite};
use lab::fio::parse;

/// Blocks that fio itself comes to in a run of one job, in their order.
fn blocks(text: &str) -> Vec<u64> {
    let dir = tempfile::tempdir().unwrap();
    let timed = |line: &&str| !["runtime=", "time_based"].iter().any(|t| line.starts_with(t));
    let lines: Vec<&str> = text.lines().filter(timed).collect();
    let text = lines.join("\n").replace("ioengine=psync", "ioengine=null");
    let own = "number_ios=4000\nwrite_iolog=offsets\n";
    std::fs::write(dir.path().join("job.fio"), format!("{text}\n{own}")).unwrap();
    let mut fio = std::process::Command::new("fio");
    let ended = fio.arg("job.fio").current_dir(dir.path()).output().expect("fio is installed");
    assert!(ended.status.success(), "{text}\n{}", String::from_utf8_lossy(&ended.stderr));
    let log = std::fs::read_to_string(dir.path().join("offsets")).unwrap();
    let reads = log.lines().filter_map(|line| line.split(" read ").nth(1)?.split(' ').next());
    reads.map(|offset| offset.parse::<u64>().unwrap() / 4096).collect()
}

/// With fio itself, which by default comes to the same offsets whatever its seed.
#[test]
fn repeats_and_warm_ups_come_to_other_offsets_and_to_the_same_hot_blocks() {
    let hottest = |blocks: &[u64]| {
        let mut counts = std::collections::BTreeMap::new();
        blocks.iter().for_each(|block| *counts.entry(*block).or_insert(0) += 1);
        counts.into_iter().max_by_key(|(_, count)| *count).map(|(block, _)| block)
    };
    for distribution in ["random", "zipf:0.9", "pareto:0.3", "zipf"] {
        let text = format!(
            "[a]\nioengine=psync\nrw=randread\nbs=4k\nsize=40M\nruntime=60\nrandrepeat=1\n\
             random_distribution={distribution}\n"
        );
        let dir = tempfile::tempdir().unwrap();
        let of_seed = |seed| {
            let target = Target {
                dir: dir.path(),
                size: 1.0,
                working_set: None,
                runtime_s: None,
                ramp_s: 0.0,
                ramp_most_s: None,
                warmed: false,
                seed,
                rate: None,
            };
            rewrite(&parse::parse(&text).unwrap(), &target).unwrap()
        };
        let (one, two) = (of_seed(2222), of_seed(4444));
        let runs = [blocks(&one.text), blocks(&two.text), blocks(&one.warm_up(60.0))];
        assert_eq!(runs[0], blocks(&one.text), "{distribution}: the same seed");
        for run in &runs {
            assert_eq!(run.len(), 4000, "{distribution}");
        }
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            assert_ne!(runs[a][..8], runs[b][..8], "{distribution}: runs {a} and {b}");
        }
        if distribution != "random" {
            let hot: Vec<_> = runs.iter().map(|run| hottest(run)).collect();
            assert!(hot.iter().all(|block| *block == hot[0]), "{distribution}: {hot:?}");
        }
    }
}
