//! Namespaces of its own for a run, so that whatever ends it ends every process, mount and memory
//! file of it as well.
//!
//! The run starts itself again as the first process of new namespaces, by util-linux's `unshare`,
//! and stays outside as its keeper: it hands the user's wish to stop in through a socket, by which
//! the run says farewell when it ends. When the keeper dies, the kernel kills the first process and
//! with it everything inside.

use crate::programs::{find, mortal};
use crate::stop::{Stop, heeded};
use std::env;
use std::ffi::OsString;
use std::io::{BufRead, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::Stdio;

/// Set in the process inside; its value names what it is inside of.
const INSIDE: &str = "POOLWRIGHT_INSIDE";

/// What a run is kept apart by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    /// Mounts and processes of its own.
    Whole,
    /// Mounts of its own.
    Mounts,
    /// Nothing: mounts are taken down one by one, by fusermount3.
    None,
}

impl Isolation {
    fn name(self) -> &'static str {
        match self {
            Isolation::Whole => "whole",
            Isolation::Mounts => "mounts",
            Isolation::None => "none",
        }
    }

    /// The flags of `unshare` for it.
    fn flags(self, root: bool) -> Vec<&'static str> {
        let mut flags = Vec::new();
        if !root {
            flags.extend(["--user", "--map-root-user"]);
        }
        flags.extend(["--mount", "--fork", "--kill-child"]);
        if self == Isolation::Whole {
            flags.extend(["--pid", "--mount-proc"]);
        }
        flags
    }

    /// What this process is inside of; none when it is not inside of anything yet.
    pub fn inside() -> Option<Isolation> {
        let name = env::var(INSIDE).ok()?;
        [Isolation::Whole, Isolation::Mounts, Isolation::None]
            .into_iter()
            .find(|i| i.name() == name)
    }
}

/// The strongest isolation that this machine grants, and how to have it.
fn granted() -> (Isolation, Vec<&'static str>) {
    let works = |flags: &[&str]| {
        mortal("unshare")
            .args(flags)
            .args(["--", "true"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    if find("unshare").is_some() {
        // Root needs no user namespace, and some systems refuse them.
        let roots: &[bool] = if rustix::process::geteuid().is_root() {
            &[true, false]
        } else {
            &[false]
        };
        for isolation in [Isolation::Whole, Isolation::Mounts] {
            for root in roots {
                let flags = isolation.flags(*root);
                if works(&flags) {
                    return (isolation, flags);
                }
            }
        }
    }
    (Isolation::None, Vec::new())
}

/// Starts this program again, with the same arguments, as the first process of namespaces of its
/// own, and waits for it.
///
/// # Errors
/// When it cannot be started.
pub fn keep(arguments: impl Iterator<Item = OsString>) -> std::io::Result<Ended> {
    let (isolation, flags) = granted();
    let itself = env::current_exe()?;
    let mut command = match isolation {
        Isolation::None => mortal(&itself),
        _ => {
            let mut command = mortal("unshare");
            command.args(flags).arg("--").arg(&itself);
            command
        }
    };
    let (mut ours, theirs) = UnixStream::pair()?;
    let mut hand = ours.try_clone()?;
    let mut child = command
        .args(arguments)
        .env(INSIDE, isolation.name())
        .stdin(OwnedFd::from(theirs))
        // Ctrl-C in the terminal reaches the keeper alone, which hands it in.
        .process_group(0)
        .spawn()?;
    // It holds the other end of the socket.
    drop(command);
    let mut signals = signal_hook::iterator::Signals::new(heeded())?;
    let handle = signals.handle();
    let pid = rustix::process::Pid::from_raw(child.id() as i32);
    let asked = std::thread::spawn(move || {
        let mut asked = 0;
        for _ in signals.forever() {
            asked += 1;
            let handed = hand.write_all(b"stop\n").is_ok();
            if (asked > 1 || !handed)
                && let Some(pid) = pid
            {
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        }
        asked
    });
    let status = child.wait()?;
    handle.close();
    let asked = asked.join().unwrap_or(0);
    // All that were inside are gone, and with them the other end.
    let farewell = ours.read(&mut [0]).is_ok_and(|bytes| bytes > 0);
    Ok(match (status.code(), status.signal()) {
        // Of a child that a signal ended, unshare makes an exit code that says as much as a verdict's.
        (Some(1), _) if !farewell && asked > 0 => Ended::Stopped,
        (Some(1), _) if !farewell => Ended::Killed(9),
        (Some(code), _) => Ended::Exit(code as u8),
        (None, _) if asked > 0 => Ended::Stopped,
        (None, signal) => Ended::Killed(signal.unwrap_or(0)),
    })
}

/// How what was kept has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this exit code.
    Exit(u8),
    /// By the user, who asked twice to stop.
    Stopped,
    /// By this signal from elsewhere.
    Killed(i32),
}

/// Inside: lets `stop` follow the keeper and signals, and dies with the keeper.
pub fn follow(stop: Stop) {
    // A system that refuses handlers still has the keeper's word.
    let _ = stop.follow_signals();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            match line {
                Ok(_) => stop.request(),
                Err(_) => break,
            }
        }
        // The keeper is gone. As the first process of its namespace, this ends all others in it.
        std::process::exit(137);
    });
}

/// Inside, at the end of an orderly run: tells the keeper, who takes an end without it for a killed one.
pub fn farewell() {
    // A keeper that is gone needs none.
    let _ = rustix::io::write(std::io::stdin(), b".");
}

/// Inside, with mounts of its own: a /dev/shm of its own of so many bytes, which holds the drives
/// and whatever the clients' libraries leave there. False when that is not granted.
pub fn own_memory(bytes: u64) -> bool {
    use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_change};
    let Ok(options) = std::ffi::CString::new(format!("size={bytes},mode=1777")) else {
        return false;
    };
    // Nothing mounted here may show outside; unshare has seen to it, but only by default.
    let _ = mount_change(
        "/",
        MountPropagationFlags::PRIVATE | MountPropagationFlags::REC,
    );
    mount(
        "poolwright",
        "/dev/shm",
        "tmpfs",
        MountFlags::NOSUID | MountFlags::NODEV,
        Some(options.as_c_str()),
    )
    .is_ok()
}
