//! The difference of two texts, as `diff -u` prints it.

use similar::TextDiff;

/// A unified difference from `old` to `new`; empty when they are equal.
pub(crate) fn unified(old_name: &str, old: &str, new_name: &str, new: &str) -> String {
    TextDiff::from_lines(old, new).unified_diff().header(old_name, new_name).to_string()
}

#[cfg(test)]
mod tests {
    use super::unified;
    use proptest::prelude::*;
    use std::fs;
    use std::process::Command;

    #[test]
    fn equal_texts_have_no_difference() {
        assert_eq!(unified("a", "x\ny\n", "b", "x\ny\n"), "");
    }

    #[test]
    fn a_changed_line_is_shown_with_its_context() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let new = old.replace("5", "five");
        assert_eq!(
            unified("a", old, "b", &new),
            "--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn patch_turns_the_old_text_into_the_new(
            old in proptest::collection::vec("[abc]", 1..30),
            new in proptest::collection::vec("[abc]", 1..30),
        ) {
            let text = |lines: &[String]| lines.iter().map(|l| format!("{l}\n")).collect::<String>();
            let (old, new) = (text(&old), text(&new));
            let dir = tempfile::tempdir().unwrap();
            fs::write(dir.path().join("file"), &old).unwrap();
            fs::write(dir.path().join("diff"), unified("file", &old, "file", &new)).unwrap();
            if old != new {
                let status = Command::new("patch")
                    .args(["-s", "file", "diff"])
                    .current_dir(dir.path())
                    .status()
                    .unwrap();
                prop_assert!(status.success());
            }
            prop_assert_eq!(fs::read_to_string(dir.path().join("file")).unwrap(), new);
        }
    }
}
