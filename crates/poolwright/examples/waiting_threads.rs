//! Two threads that wait for each other in loops without system calls, twenty times, as InnoDB of MySQL starts its
//! threads. Prints the time that it took. For a test.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Instant;

static TURN: AtomicU32 = AtomicU32::new(0);

/// Waits for its turn and gives it to the other.
fn take_turns(own: u32) {
    for _ in 0..20 {
        while TURN.load(Ordering::Acquire) != own {
            spin_loop();
        }
        TURN.store(1 - own, Ordering::Release);
    }
}

fn main() {
    let start = Instant::now();
    thread::scope(|scope| {
        scope.spawn(|| take_turns(1));
        take_turns(0);
    });
    println!("waited {} ns", start.elapsed().as_nanos());
}
