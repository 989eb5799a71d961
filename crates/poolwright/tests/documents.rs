//! Every command of the README and of docs/: its verb, options and values are those of the program, the labs that it
//! names are built in or files of the repository, and it runs where it needs neither the machine nor a store. Every link
//! leads to a file and a heading that are there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// Stand-ins for what a document leaves open.
const PLACEHOLDERS: [(&str, &str); 3] =
    [("LAB", "demo"), ("VARIANT", "mirror"), ("NAME", "hdd-7200-8t")];
/// Verbs that run on files alone.
const RUNS: [&str; 8] =
    ["audit", "check", "compare", "completions", "plan", "profiles", "report", "tune"];
/// Verbs whose first argument is a lab.
const LABS: [&str; 5] = ["check", "powercut", "run", "shell", "plan"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn pages(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let (directories, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let own = files.into_iter().filter(|path| path.extension().is_some_and(|e| e == "md"));
    own.chain(directories.iter().flat_map(|path| pages(path))).collect()
}

/// The words of a command, as a shell divides them; what is piped, redirected or a comment is left out.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in command.chars() {
        match quote {
            Some(end) if c == end => quote = None,
            None if matches!(c, '\'' | '"') => quote = Some(c),
            None if matches!(c, '|' | '<' | '>' | '#') => break,
            None if c == ' ' => words.push(String::new()),
            _ => words.last_mut().unwrap().push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The commands of a page, without those that show a syntax: `[--option]`, `KEY…`.
fn commands(page: &str) -> BTreeSet<Vec<String>> {
    let lines = page.lines().map(str::trim).filter(|line| line.starts_with("poolwright "));
    let spans = page.split('`').skip(1).step_by(2).filter(|span| span.starts_with("poolwright "));
    let syntax = |text: &&str| !text.contains(['[', '…', '\n']) && !text.contains("|mysql|");
    lines.chain(spans).filter(syntax).map(words).collect()
}

fn run(directory: &Path, arguments: &[String]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_poolwright"))
        .args(arguments)
        .current_dir(directory)
        .output()
        .unwrap()
}

/// A directory with the repository's labs and with the texts that documents name.
fn directory() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for name in ["docs", "labs", "profiles", "published", "workloads"] {
        std::os::unix::fs::symlink(root().join(name), directory.path().join(name)).unwrap();
    }
    let cases = root().join("crates/poolwright/tests/cmd");
    for (name, file) in [
        ("status.txt", "audit.in/status.txt"),
        ("zfs-get.txt", "audit.in/zfsget.txt"),
        ("my.cnf", "audit.in/my.cnf"),
        ("postgresql.conf", "audit.in/pg.conf"),
        ("findings.json", "report.in/before.json"),
        ("BEFORE.json", "report.in/before.json"),
        ("AFTER.json", "report.in/other.json"),
    ] {
        fs::copy(cases.join(file), directory.path().join(name)).unwrap();
    }
    for new in ["new mine.toml", "new --from-status status.txt server.toml"] {
        let output = run(directory.path(), &words(new));
        assert!(output.status.success(), "{new}: {output:?}");
    }
    directory
}

#[test]
fn every_command_of_the_documents_is_one_of_the_program() {
    let directory = directory();
    let files = [vec![root().join("README.md")], pages(&root().join("docs"))].concat();
    let (mut all, mut ran) = (BTreeSet::new(), 0);
    for file in files {
        for mut command in commands(&fs::read_to_string(&file).unwrap()) {
            for (open, instead) in PLACEHOLDERS {
                command
                    .iter_mut()
                    .filter(|word| *word == open)
                    .for_each(|word| *word = instead.into());
            }
            // A verb that is only named.
            if command.len() > 2 || command.get(1).is_some_and(|verb| verb == "profiles") {
                all.insert((command[1..].to_vec(), file.clone()));
            }
        }
    }
    for (command, file) in &all {
        let shown = format!("{}: poolwright {}", file.display(), command.join(" "));
        // Arguments are read in order: one that is wrong is refused before the help is printed.
        let output = run(directory.path(), &[command.as_slice(), &["--help".into()]].concat());
        assert!(output.status.success(), "{shown}: {output:?}");
        let verb = command[0].as_str();
        if LABS.contains(&verb) && !command[1].starts_with('-') {
            let check = run(directory.path(), &["check".into(), command[1].clone()]);
            assert_eq!(check.status.code(), Some(0), "{shown}: {check:?}");
        }
        let of_a_store = |campaign: &String| !campaign.ends_with(".json");
        let needs_a_store = ["compare", "report"].contains(&verb) && of_a_store(&command[1]);
        for pair in command.windows(2).filter(|pair| pair[0] == "--row") {
            assert_row(&command[1], &command[2], &pair[1]);
        }
        let looks_at_the_host = verb == "audit" && command.contains(&"--host".into());
        if RUNS.contains(&verb) && !needs_a_store && !looks_at_the_host {
            let output = run(directory.path(), command);
            assert!(matches!(output.status.code(), Some(0 | 1)), "{shown}: {output:?}");
            ran += 1;
        }
    }
    assert!(all.len() >= 60 && ran >= 15, "{} commands, {ran} ran", all.len());
}

/// `ROW=VARIANT` names a row of a published table and a variant of a lab.
fn assert_row(lab: &str, table: &str, pair: &str) {
    // Names of rows have such signs, too.
    let (row, variant) = pair.rsplit_once('=').unwrap();
    let table: toml::Table = fs::read_to_string(root().join(table)).unwrap().parse().unwrap();
    let rows = table["rows"].as_array().unwrap();
    assert!(rows.iter().any(|found| found["name"].as_str() == Some(row)), "{row:?}");
    let check = run(&root(), &["check".into(), lab.into()]);
    let check = String::from_utf8(check.stdout).unwrap();
    let mut variants = check.lines().filter_map(|line| line.strip_prefix("variant "));
    assert!(variants.any(|rest| rest.trim_start().starts_with(variant)), "{variant}");
}

/// The table of docs/validation/powercut.md, whose commands begin behind `poolwright powercut`.
#[test]
fn the_power_cuts_of_the_table_name_labs_variants_and_workloads() {
    let text = fs::read_to_string(root().join("docs/validation/powercut.toml")).unwrap();
    let table: toml::Table = text.parse().unwrap();
    let page = fs::read_to_string(root().join("docs/validation/powercut.md")).unwrap();
    let words = |value: &toml::Value| value.as_str().unwrap().to_owned();
    let cases = table["case"].as_array().unwrap();
    for case in cases {
        let lab = words(&case["lab"]);
        let given = case.get("arguments").and_then(toml::Value::as_array);
        let arguments: Vec<String> = given.into_iter().flatten().map(words).collect();
        let command = [vec!["powercut".into(), lab.clone()], arguments.clone()].concat();
        let shown = command.join(" ");
        assert!(page.contains(&format!("| `{}` |", &shown["powercut ".len()..])), "{shown}");
        let output = run(&root(), &[command, vec!["--help".into()]].concat());
        assert!(output.status.success(), "{shown}: {output:?}");
        let check = run(&root(), &["check".into(), lab]);
        let check = String::from_utf8(check.stdout).unwrap();
        for pair in arguments.windows(2) {
            let [option, name] = pair else { unreachable!("windows of two") };
            let has = |begin: &str| {
                let mut lines = check.lines().filter_map(|line| line.strip_prefix(begin));
                lines.any(|rest| rest.trim_start().split([' ', ':']).next() == Some(name))
            };
            match option.as_str() {
                "--variant" => assert!(has("variant "), "{shown}"),
                "--workload" => assert!(has("workload "), "{shown}"),
                _ => (),
            }
        }
    }
    assert!(cases.len() > 50, "{} cases", cases.len());
}

#[test]
fn a_command_that_the_program_does_not_have_is_found() {
    let page = "Run `poolwright run demo --twice` or\n\n    poolwright plan --drives \"2x 8T\"  # mirrors\n";
    let found: Vec<Vec<String>> = commands(page).into_iter().collect();
    assert_eq!(found[0], ["poolwright", "plan", "--drives", "2x 8T"]);
    assert_eq!(found[1], ["poolwright", "run", "demo", "--twice"]);
    let output = run(Path::new("/"), &["run", "demo", "--twice", "--help"].map(String::from));
    assert_eq!(output.status.code(), Some(2));
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
