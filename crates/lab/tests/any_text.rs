//! No text makes the reader panic, and every place that a diagnostic names is in its text.

use lab::builtin::{BuiltinFiles, labs};
use lab::model::{HostLimits, estimate, parameters, resolve, variant_model};
use lab::{Profiles, load};
use proptest::prelude::*;

/// Pieces that mean something, so that a mutation often gets past the parser.
const PIECES: &[&str] = &[
    "[factors]\n",
    "[ablate]\n",
    "[variants.x]\n",
    "[variants]\n",
    "[module]\n",
    "[drives]\n",
    "{",
    "}",
    "\"\"\"",
    "\"",
    "\n",
    "=",
    ".",
    "0",
    "-1",
    "9999999999999999999",
    "1e400",
    "nan",
    "inf",
    "true",
    "[]",
    "[[]]",
    "{ a = 1 }",
    "mirror ",
    "draid3:0d:0c:0s ",
    "raidz ",
    "log ",
    "hdd[0-4000000000]",
    "hdd[5-2]",
    "hdd0 ",
    "hdd",
    "é",
    "\u{0}",
    "16E",
    "99999P",
    "vdevs = \"\"\n",
    "remove = \"log\"\n",
    "add = [\"log hdd0\", 3]\n",
    "dataset.recordsize = [\"1M\", 5]\n",
    "size = 1\n",
    "time = 1\n",
    "stack = \"md\"\n",
    "md = \"raid10 hdd[0-1] chunk=4K\"\n",
    "filesystem = \"ext4\"\n",
    "stack = \"ext4\"\n",
    "drive = \"hdd0\"\n",
    "openzfs = \"2.3\"\n",
    "count = 0\n",
    "[workloads.\"\"]\n",
    "fio.job = \"\"\n",
    "capacity = 1\n",
    "memory = \"1E\"\n",
];

fn read(text: &str) -> Result<(), TestCaseError> {
    match load("any.toml", text, &BuiltinFiles, &Profiles::builtin()) {
        Ok((campaign, _)) => {
            if let Ok(model) = resolve(&campaign, &HostLimits::MACHINE) {
                prop_assert!(model.size >= 1.0 && model.size.is_finite());
                let _ = estimate(&campaign, &model);
                for variant in &campaign.variants {
                    let own = variant_model(&model, &campaign.host, variant);
                    prop_assert!(own.guest_memory > own.arc_max);
                    let _ = parameters(&own, &campaign.host, variant);
                }
            }
            for variant in &campaign.variants {
                let _ = lab::build_commands::commands(variant);
            }
        }
        Err(diagnostics) => {
            prop_assert!(diagnostics.iter().any(lab::Diagnostic::is_error));
            for place in diagnostics
                .iter()
                .filter_map(|d| d.place.as_ref())
                .filter(|place| place.file == "any.toml")
            {
                prop_assert!(place.span.end <= text.len(), "{place:?}");
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_lab_changed_anywhere_is_read_or_refused(
        which in 0..labs().len(),
        edits in proptest::collection::vec((any::<prop::sample::Index>(), 0..24usize, 0..PIECES.len()), 1..5),
    ) {
        let mut text: Vec<char> = labs()[which].1.chars().collect();
        for (at, cut, piece) in edits {
            let at = at.index(text.len() + 1);
            let end = (at + cut).min(text.len());
            text.splice(at..end, PIECES[piece].chars());
        }
        read(&text.into_iter().collect::<String>())?;
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
        read(&text)?;
    }
}
