//! The import and the scrub of a pool.

use super::{Opened, output};
use crate::powercut::writer::timed;
use std::process::Command;

#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Pool {
    pub name: String,
    /// Devices that it may be on.
    pub devices: Vec<String>,
    /// Whether one of them has failed, so that it may be imported without its log.
    pub dead: bool,
}

impl Pool {
    /// Imports it, trying the options that lose the most last. Returns how, and the virtual seconds of the import
    /// that succeeded.
    ///
    /// # Errors
    /// Why the first attempt failed.
    pub fn import(&self) -> Result<(Opened, f64), String> {
        let mut first = None;
        for (opened, options) in [
            (Opened::Plain, &[][..]),
            (Opened::WithoutLog, &["-m"]),
            (Opened::Rewound, &["-m", "-F"]),
        ] {
            if opened == Opened::WithoutLog && !self.dead {
                continue;
            }
            let mut command = Command::new("zpool");
            command.args(["import", "-f", "-o", "cachefile=none"]).args(options);
            for device in &self.devices {
                command.args(["-d", device]);
            }
            command.arg(&self.name);
            match timed(|| output(&mut command)) {
                Ok((_, seconds)) => return Ok((opened, seconds)),
                Err(why) => first = first.or(Some(why)),
            }
            // It may be there with a file system that cannot be mounted.
            let _ = output(Command::new("zpool").args(["export", "-f", &self.name]));
        }
        Err(first.unwrap_or_default())
    }

    /// Scrubs it; the errors that were found.
    pub fn scrub(&self) -> Result<Option<String>, String> {
        output(Command::new("zpool").args(["scrub", "-w", &self.name]))?;
        Ok(errors(&output(Command::new("zpool").args(["status", "-p", &self.name]))?))
    }
}

/// The errors of a `zpool status` of one pool. It has no line about them where ZFS cannot count them, which is not to
/// pass for a pool without errors.
fn errors(status: &str) -> Option<String> {
    let pool = facts::zpool_status::parse(status).facts.into_iter().next();
    match pool.as_ref().and_then(facts::zpool_status::Pool::undamaged) {
        Some(true) => None,
        Some(false) => pool.and_then(|pool| pool.errors).map(|errors| errors.value),
        None => Some("zpool status does not say whether data are damaged".to_owned()),
    }
}

/// An assertion of OpenZFS that failed, from the kernel's log: what waits for that thread waits for ever.
pub fn assertion(log: &str) -> Option<String> {
    let text = |line: &str| line.split_once("] ").map_or(line, |(_, text)| text).trim().to_owned();
    let mut lines = log.lines().map(text);
    let failed = lines.find(|line| line.starts_with("VERIFY") || line.starts_with("PANIC at"))?;
    let place = lines.next().filter(|line| line.starts_with("PANIC at"));
    Some(place.map_or(failed.clone(), |place| format!("{failed}, {place}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_assertion_is_told_with_its_place() {
        let log = "[    1.836000] zio pool=tank vdev=/dev/pw-optane0 error=5\n\
                   [    2.520000] VERIFY0(dmu_object_free(os, obj, tx)) failed (2)\n\
                   [    2.520000] PANIC at spa_errlog.c:1249:delete_errlog()\n\
                   [    2.520000] Showing stack for process 213\n";
        let told = "VERIFY0(dmu_object_free(os, obj, tx)) failed (2), PANIC at spa_errlog.c:1249:delete_errlog()";
        assert_eq!(assertion(log).as_deref(), Some(told));
        assert_eq!(assertion("[    1.0] ZFS: Loaded module\n"), None);
    }

    #[test]
    fn errors_are_those_of_the_status() {
        let status = |errors: &str| {
            format!(
                "  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME STATE READ WRITE CKSUM\n\ttank ONLINE 0 0 0\n\nerrors: {errors}\n"
            )
        };
        assert_eq!(errors(&status("No known data errors")), None);
        let found = errors(&status("3 data errors, use '-v' for a list")).unwrap();
        assert!(found.contains("3 data errors"), "{found}");
    }

    #[test]
    fn a_status_that_does_not_tell_of_errors_is_no_sound_pool() {
        for status in
            ["", "  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME STATE READ WRITE CKSUM\n"]
        {
            let found = errors(status).unwrap();
            assert!(found.contains("does not say"), "{found}");
        }
    }
}
