//! Two threads that wait for each other in loops without system calls, twenty times each: in a loop with PAUSE, as
//! InnoDB of MySQL starts its threads, in one that takes a lock each time, as InnoDB of MariaDB waits for its page
//! cleaner, and in one with both. Prints the times that they took. For a test.

use std::hint::spin_loop;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Instant;

static TURN: AtomicU32 = AtomicU32::new(0);
static LOCKED_TURN: Mutex<u32> = Mutex::new(0);

/// Waits for its turn and gives it to the other.
fn take_turns(own: u32) {
    for _ in 0..20 {
        while TURN.load(Ordering::Acquire) != own {
            spin_loop();
        }
        TURN.store(1 - own, Ordering::Release);
    }
}

/// The same under a lock, with this between two looks.
fn take_locked_turns(own: u32, pause: fn()) {
    let is_own = || LOCKED_TURN.lock().is_ok_and(|turn| *turn == own);
    for _ in 0..20 {
        while !is_own() {
            pause();
        }
        if let Ok(mut turn) = LOCKED_TURN.lock() {
            *turn = 1 - own;
        }
    }
}

fn time(kind: &str, turns: fn(u32)) {
    let start = Instant::now();
    thread::scope(|scope| {
        scope.spawn(|| turns(1));
        turns(0);
    });
    println!("{kind} waited {} ns", start.elapsed().as_nanos());
}

fn main() {
    time("pausing", take_turns);
    time("locking", |own| take_locked_turns(own, || ()));
    time("locking and pausing", |own| take_locked_turns(own, spin_loop));
}
