//! The assembly, the mount and the check of a file system on an md array or on one drive.

use super::{Opened, output, run_to_end, text};
use crate::powercut::writer::timed;
use lab::campaign::Filesystem as Kind;
use std::process::Command;

#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Filesystem {
    /// Its kind, which determines what checks it.
    pub kind: Kind,
    /// The device that it is on: an array's, or a drive's.
    pub device: String,
    /// The devices of the array that have not failed; none for a file system on one drive.
    pub members: Option<Vec<String>>,
    pub mount: Vec<String>,
}

impl Filesystem {
    /// Mounts the file system, whose array is assembled. Returns the virtual seconds of that.
    pub fn mount(&self) -> Result<f64, String> {
        let [program, arguments @ ..] = &self.mount[..] else {
            return Err("no command that mounts the file system".to_owned());
        };
        timed(|| output(Command::new(program).args(arguments))).map(|(_, seconds)| seconds)
    }

    /// Assembles the array, with `--force` where it does not start otherwise: md refuses an array that lacks a drive
    /// and was in use, because its parity may be wrong. Returns how, and the virtual seconds of what succeeded.
    ///
    /// # Errors
    /// Why the first attempt failed.
    pub fn assemble(&self) -> Result<(Opened, f64), String> {
        let Some(members) = &self.members else {
            return Ok((Opened::Plain, 0.0));
        };
        let assemble = |options: &[&str]| {
            let mut command = Command::new("mdadm");
            command.arg("--assemble").args(options).arg(&self.device).args(members);
            timed(|| output(&mut command))
        };
        let first = match assemble(&["--run"]) {
            Ok((_, seconds)) => return Ok((Opened::Plain, seconds)),
            Err(why) => why,
        };
        // It may be there, not started.
        let _ = output(Command::new("mdadm").args(["--stop", &self.device]));
        match assemble(&["--run", "--force"]) {
            Ok((_, seconds)) => Ok((Opened::Forced, seconds)),
            Err(_) => Err(first),
        }
    }

    /// Unmounts the file system and checks its structure; what is wrong with it.
    pub fn check(&self) -> Result<Option<String>, String> {
        output(Command::new("umount").arg(&self.device))?;
        let [program, options] = match self.kind {
            Kind::Ext4 => ["fsck.ext4", "-fn"],
            Kind::Xfs => ["xfs_repair", "-n"],
        };
        let ended = run_to_end(Command::new(program).args([options, &self.device]))?;
        if ended.status.success() {
            return Ok(None);
        }
        let all = text(&ended.stdout) + &text(&ended.stderr);
        Ok(Some(format!("{program} {options}: {}", complaint(&all))))
    }
}

/// The first line of a check's output that is not about its progress.
fn complaint(output: &str) -> &str {
    let is_progress = |line: &&str| {
        ["Pass ", "Phase ", "- ", "e2fsck "].iter().any(|start| line.starts_with(start))
    };
    let mut lines = output.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.find(|line| !is_progress(line)).unwrap_or("the check failed without a description")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_s_complaint_is_its_first_line_that_is_not_progress() {
        let ext4 = "e2fsck 1.47.0 (5-Feb-2023)\nPass 1: Checking inodes, blocks, and sizes\n\
                    Inode 12, i_blocks is 16, should be 8.  Fix? no\n\ntank: 12/65536 files\n";
        assert_eq!(complaint(ext4), "Inode 12, i_blocks is 16, should be 8.  Fix? no");
        let xfs = "Phase 1 - find and verify superblock...\n        - zero log...\n\
                   bad CRC in inode 131\n";
        assert_eq!(complaint(xfs), "bad CRC in inode 131");
        assert_eq!(complaint("Phase 1 - find\n"), "the check failed without a description");
    }
}
