//! No text makes a parser panic, and a text that is not understood is never taken for a whole one.

use facts::{Format, formats, read};
use proptest::prelude::*;

const FORMATS: [Format; 12] = [
    Format::ZpoolStatus,
    Format::Properties,
    Format::Lsblk,
    Format::Smartctl,
    Format::NvmeList,
    Format::Storcli,
    Format::Arcconf,
    Format::Ssacli,
    Format::Postgresql,
    Format::MyCnf,
    Format::Modprobe,
    Format::Queue,
];

fn fixtures() -> Vec<(String, String)> {
    let directory = format!("{}/tests/fixtures", env!("CARGO_MANIFEST_DIR"));
    let mut found: Vec<(String, String)> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .filter(|(name, _)| name != "README.md")
        .collect();
    found.sort();
    found
}

fn all(text: &str) {
    let _ = formats("", text);
    for format in FORMATS {
        let parsed = read(format, text);
        let lines = text.lines().count().max(1);
        for problem in parsed.problems {
            assert!(problem.line >= 1 && problem.line as usize <= lines + 1);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn arbitrary_text_never_panics(text in any::<String>()) {
        all(&text);
    }

    #[test]
    fn arbitrary_lines_of_the_formats_own_words_never_panic(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "pool:", "config:", "errors:", "scan:", "NAME", "STATE", "READ", "PROPERTY",
                "VALUE", "SOURCE", "raidz2-0", "draid2:4d:9c:1s-0", "mirror-0", "logs", "spares",
                "0", "1.2K", "-", "{", "}", "[", "]", "\"Devices\"", "\"Controllers\"", ":", ",",
                "\"smartctl\"", "null", "\\u12", "\"", "'", "#", "[mysqld]", "options zfs", "=",
                "in Slot ", "physicaldrive ", "Controllers found:", "Device #", "\t", "    ",
                "\n", "\n", "\r\n", "==>", "<==", "/queue/", "é", "inherited from ", "(", ")",
            ]),
            0..60,
        )
    ) {
        all(&words.concat());
        all(&words.join(" "));
    }

    #[test]
    fn a_fixture_cut_anywhere_or_with_a_byte_changed_never_panics(
        which in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        change in any::<char>(),
    ) {
        let fixtures = fixtures();
        let (_, text) = which.get(&fixtures);
        let mut at = at.index(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        all(&text[..at]);
        all(&text[at..]);
        let mut changed = text[..at].to_string();
        changed.push(change);
        changed.push_str(&text[at..]);
        all(&changed);
    }
}

#[test]
fn a_json_fixture_cut_anywhere_is_never_taken_for_a_whole_one() {
    for (name, text) in fixtures().iter().filter(|(name, _)| name.ends_with(".json")) {
        let end = text.trim_end().len();
        for at in (1..end).step_by(37) {
            let cut = &text[..at];
            for format in [Format::Lsblk, Format::Smartctl, Format::NvmeList, Format::Storcli] {
                assert!(!read(format, cut).problems.is_empty(), "{name} cut at {at}");
            }
        }
    }
}
