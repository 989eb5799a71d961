//! `poolfs`: a pool on emulated drives, driven over a control channel by its parent.
//!
//! libzpool prints on standard output and error, so that neither is used for anything else.

use poolfs::engine::Engine;
use poolfs::schedule;
use poolfs::server::{End, serve};
use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};
use std::io;
use std::os::fd::{OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::sync::Arc;

/// Of libzpool as well, whose buffers are aligned to pages: of those that are freed glibc before 2.38 finds
/// hardly any again, so that a process with an ARC of 3 GB came to 8.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    let channel = match control_fd(std::env::args().skip(1)) {
        Ok(fd) => inherited(fd),
        Err(usage) => {
            eprintln!("{usage}");
            return ExitCode::from(2);
        }
    };
    schedule::patient();
    let served = channel.and_then(|c| serve(UnixStream::from(c), Arc::new(Engine::default())));
    match served {
        Ok(End::Stopped) => ExitCode::SUCCESS,
        // The parent is gone and nothing is worth keeping: the pool ends with the process.
        Ok(End::EndOfFile) => std::process::exit(0),
        Err(e) => {
            eprintln!("poolfs: the control channel: {e}");
            ExitCode::from(3)
        }
    }
}

fn control_fd(mut args: impl Iterator<Item = String>) -> Result<RawFd, String> {
    let usage = "poolfs is started by poolwright: poolfs --control-fd N";
    match (args.next().as_deref(), args.next(), args.next()) {
        (Some("--control-fd"), Some(number), None) => number
            .parse()
            .map_err(|_| format!("--control-fd {number}: not a file descriptor. {usage}")),
        _ => Err(usage.to_owned()),
    }
}

/// The file descriptor that the parent left open for us, as one of our own that children do not
/// inherit.
fn inherited(fd: RawFd) -> io::Result<OwnedFd> {
    let this = pidfd_open(getpid(), PidfdFlags::empty())?;
    Ok(pidfd_getfd(&this, fd, PidfdGetfdFlags::empty())?)
}
