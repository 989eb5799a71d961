//! Links of the README and of docs/ lead to files and headings that are there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn pages(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let (directories, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let own = files.into_iter().filter(|path| path.extension().is_some_and(|e| e == "md"));
    own.chain(directories.iter().flat_map(|path| pages(path))).collect()
}

/// The targets of a page's links: `](TARGET)`. Reports of labs escape brackets, and their texts hold none.
fn links(page: &str) -> impl Iterator<Item = &str> {
    let targets = page.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://") && !target.contains(char::is_whitespace))
}

/// The anchors of a page's headings, as GitHub makes them.
fn anchors(page: &str) -> BTreeSet<String> {
    let headings = page.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let text = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = text.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

/// What is wrong with a link of a page; none where it leads somewhere.
fn broken(page: &Path, target: &str) -> Option<String> {
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let path = if file.is_empty() { page.to_owned() } else { page.parent()?.join(file) };
    if !path.exists() {
        return Some(format!("{}: there is no {target}", page.display()));
    }
    let missing = !anchor.is_empty() && !anchors(&fs::read_to_string(&path).ok()?).contains(anchor);
    missing.then(|| format!("{}: {file} has no heading {anchor}", page.display()))
}

#[test]
fn every_link_leads_to_a_file_and_a_heading_that_are_there() {
    let others = ["README.md", "linux/README.md", "published/README.md"].map(|p| root().join(p));
    let files = [others.to_vec(), pages(&root().join("docs"))].concat();
    let (mut all, mut wrong) = (0, Vec::new());
    for file in &files {
        let page = fs::read_to_string(file).unwrap();
        for target in links(&page) {
            all += 1;
            wrong.extend(broken(file, target));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(all > 150, "{all} links");
}

#[test]
fn a_link_to_nowhere_is_found() {
    let page = root().join("README.md");
    assert_eq!(broken(&page, "docs/README.md#guide"), None);
    assert!(broken(&page, "docs/missing.md").unwrap().contains("there is no docs/missing.md"));
    assert!(broken(&page, "docs/README.md#missing").unwrap().contains("no heading missing"));
    assert!(broken(&page, "#two-commands").is_none());
}
