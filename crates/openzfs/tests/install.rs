//! `scripts/install` on systems that are not this one: it says what is needed and changes nothing.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output};

/// A clone that holds nothing but the script.
struct Clone(tempfile::TempDir);

impl Clone {
    fn new() -> Clone {
        let dir = tempfile::tempdir().unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/install");
        fs::create_dir(dir.path().join("scripts")).unwrap();
        fs::copy(script, dir.path().join("scripts/install")).unwrap();
        Clone(dir)
    }

    /// The script, as on a system with this os-release, started by the given words.
    fn run(&self, os_release: &str, before: &[&str]) -> Output {
        let path = self.0.path().join("os-release");
        fs::write(&path, os_release).unwrap();
        let script = self.0.path().join("scripts/install");
        let words: Vec<&str> = [before, &[script.to_str().unwrap(), "--yes"]].concat();
        Command::new(words[0])
            .args(&words[1..])
            .env("POOLWRIGHT_OS_RELEASE", &path)
            .output()
            .unwrap()
    }

    /// What is left beside the script and the os-release.
    fn engines(&self) -> bool {
        let Ok(entries) = fs::read_dir(self.0.path().join(".engines")) else {
            return false;
        };
        entries
            .flatten()
            .any(|e| e.file_name().to_string_lossy().starts_with("tree-"))
    }
}

const BOOKWORM: &str = "ID=debian\nVERSION_CODENAME=bookworm\nPRETTY_NAME=\"Debian 12\"\n";
const TRIXIE: &str = "ID=debian\nVERSION_CODENAME=trixie\nPRETTY_NAME=\"Debian 13\"\n";
const FEDORA: &str = "ID=fedora\nVERSION_CODENAME=\"\"\nPRETTY_NAME=\"Fedora Linux 42\"\n";

/// Every package of the script is installed here, so that it comes to OpenZFS's own.
fn everything_else_is_installed() -> bool {
    let Ok(output) = Command::new("dpkg-query")
        .args(["-W", "-f", "${Package}\n", "libtirpc-dev", "fio", "fuse3"])
        .output()
    else {
        return false;
    };
    output.status.success()
}

/// Past the capture of output: a test that was not run should be seen.
fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED install: {why}");
}

#[test]
fn another_distribution_is_told_which_packages_it_needs() {
    let clone = Clone::new();
    let output = clone.run(FEDORA, &["bash"]);
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8_lossy(&output.stderr);
    for word in [
        "Fedora Linux 42",
        "libtirpc-dev",
        "libzfslinux-dev",
        ".engines/tree-2.1/usr",
        "builds with cargo alone",
    ] {
        assert!(said.contains(word), "{word} is not in: {said}");
    }
    assert!(!clone.engines());
    let unknown = clone.run("", &["bash"]);
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("an unknown system"));
}

#[test]
fn without_a_network_it_says_so_names_the_packages_and_leaves_nothing() {
    let alone = ["unshare", "--user", "--map-root-user", "--net"];
    let works = Command::new(alone[0])
        .args(&alone[1..])
        .arg("true")
        .status()
        .is_ok_and(|s| s.success());
    if !works || !everything_else_is_installed() {
        skipped("no network namespaces here, or this is no Debian with the packages");
        return;
    }
    for system in [BOOKWORM, TRIXIE] {
        let clone = Clone::new();
        let output = clone.run(system, &[&alone[..], &["bash"]].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains("is there a network?"), "{said}");
        assert!(said.contains("libzfslinux-dev"), "{said}");
        assert!(!clone.engines(), "{said}");
    }
}

#[test]
fn debian_13_wants_openzfs_2_3_only_and_a_second_call_does_nothing() {
    if !everything_else_is_installed() {
        skipped("this is no Debian with the packages");
        return;
    }
    let clone = Clone::new();
    let tree = clone.0.path().join(".engines/tree-2.3");
    fs::create_dir_all(&tree).unwrap();
    fs::write(tree.join("complete"), "").unwrap();
    let output = clone.run(TRIXIE, &["bash"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("everything is in place"), "{said}");
    assert!(!clone.0.path().join(".engines/tree-2.1").exists());
}
