//! The difference of two texts, as `diff -u` prints it.

use std::fmt::Write;

/// Lines of context around a change.
const CONTEXT: usize = 3;

#[derive(Clone, Copy, PartialEq)]
enum Edit<'a> {
    Same(&'a str),
    Gone(&'a str),
    New(&'a str),
}

/// A unified difference from `old` to `new`; empty when they are equal.
pub(crate) fn unified(old_name: &str, old: &str, new_name: &str, new: &str) -> String {
    let edits = edits(&old.lines().collect::<Vec<_>>(), &new.lines().collect::<Vec<_>>());
    let changed: Vec<usize> =
        (0..edits.len()).filter(|i| !matches!(edits[*i], Edit::Same(_))).collect();
    let Some(first) = changed.first() else {
        return String::new();
    };
    let mut text = format!("--- {old_name}\n+++ {new_name}\n");
    let mut start = first.saturating_sub(CONTEXT);
    let mut end = start;
    for i in changed {
        if i > end + CONTEXT && end > start {
            hunk(&mut text, &edits, start, end);
            start = i.saturating_sub(CONTEXT).max(end);
        }
        end = (i + 1 + CONTEXT).min(edits.len());
    }
    hunk(&mut text, &edits, start, end);
    text
}

fn hunk(text: &mut String, edits: &[Edit], start: usize, end: usize) {
    // Lines of the old text and of the new one.
    let count = |edits: &[Edit]| {
        let old = edits.iter().filter(|edit| !matches!(edit, Edit::New(_))).count();
        (old, edits.iter().filter(|edit| !matches!(edit, Edit::Gone(_))).count())
    };
    let line = |before: usize, length: usize| if length == 0 { before } else { before + 1 };
    let (old_before, new_before) = count(&edits[..start]);
    let (old_length, new_length) = count(&edits[start..end]);
    let (old, new) = (line(old_before, old_length), line(new_before, new_length));
    let _ = writeln!(text, "@@ -{old},{old_length} +{new},{new_length} @@");
    for edit in &edits[start..end] {
        let (mark, content) = match edit {
            Edit::Same(l) => (' ', l),
            Edit::Gone(l) => ('-', l),
            Edit::New(l) => ('+', l),
        };
        let _ = writeln!(text, "{mark}{content}");
    }
}

/// The edits of a longest common subsequence. Job files are short, so the table is small.
fn edits<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Edit<'a>> {
    let width = new.len() + 1;
    let mut common = vec![0u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i * width + j] = if old[i] == new[j] {
                common[(i + 1) * width + j + 1] + 1
            } else {
                common[(i + 1) * width + j].max(common[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut edits = Vec::new();
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            edits.push(Edit::Same(old[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == new.len()
            || (i < old.len() && common[(i + 1) * width + j] >= common[i * width + j + 1])
        {
            edits.push(Edit::Gone(old[i]));
            i += 1;
        } else {
            edits.push(Edit::New(new[j]));
            j += 1;
        }
    }
    edits
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
