//! Tests that need an engine run where there is one, and say elsewhere that they did not.
#![allow(dead_code, reason = "each test file uses a part of it")]

use bench::programs::Mysql;
use lab::mysql::Server;
use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

/// The engine's directory; none, with a notice, where there is none. Where `CI` is `true`, that fails.
pub fn engine() -> Option<PathBuf> {
    match machine::engine::Engine::find() {
        Ok(engine) => Some(engine.directory),
        Err(why) => {
            skipped(&format!("no engine, run make engine ({why})"));
            None
        }
    }
}

/// Says that a test was skipped. Where `CI` is `true`, that fails: what the test needs is installed there.
pub fn skipped(why: &str) {
    let line = notice(why);
    assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "{line}");
}

/// Says that a test was skipped, past the capture of a test's output; what it said.
fn notice(why: &str) -> String {
    let test = std::thread::current();
    let test = test.name().unwrap_or("a test").to_owned();
    let line = format!("SKIPPED: {test}: {why}\n");
    match File::options().append(true).open("/proc/self/fd/2") {
        Ok(mut stderr) => drop(stderr.write_all(line.as_bytes())),
        Err(_) => eprint!("{line}"),
    }
    line
}

/// Whether a server and what its workloads need are installed; a notice where not. MySQL may be missing in CI, too:
/// Debian's stable releases have none.
pub fn has(server: Server) -> bool {
    let Err(why) = Mysql::find(server, None) else { return true };
    match server {
        Server::Mariadb => skipped(&why.to_string()),
        Server::Mysql => drop(notice(&why.to_string())),
    }
    false
}

/// Whether this process can make mounts that others do not see; a notice where it cannot.
pub fn can_mount() -> bool {
    let own = Command::new("unshare").args(["-m", "true"]).output();
    own.is_ok_and(|output| output.status.success())
}

/// Copies a directory with everything in it.
pub fn copy(from: &std::path::Path, to: &std::path::Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match fs::metadata(entry.path()).unwrap().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}
