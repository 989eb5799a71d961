//! When this process' threads get a processor.

use rustix::process::{getpriority_process, setpriority_process};
use rustix::thread::set_current_timer_slack;
use std::num::NonZeroU64;
use thread_priority::{
    NormalThreadSchedulePolicy, RealtimeThreadSchedulePolicy, ThreadPriority, ThreadPriorityValue,
    ThreadSchedulePolicy, set_thread_priority_and_policy, thread_native_id,
};

/// The calling thread, and every one that comes of it, takes a processor when it is free and not from a
/// thread that runs.
///
/// OpenZFS hands an operation from thread to thread, and wakes each while it holds the lock that the woken
/// one needs: whoever is woken at once stops at it, and wakes the other a second time. A synchronous
/// write takes half the slices and two thirds of the processor time where they wait their turn
/// (docs/performance.md). Called before the pool's threads are started. Where the kernel has no such
/// policy everything works, at that price.
pub fn patient() {
    follow(NormalThreadSchedulePolicy::Batch);
}

/// The calling thread runs as near to the time it sleeps to as the machine can let it; without the right
/// to, sleeps end 50 µs late. Whoever may goes before every other thread when it wakes: a high priority
/// among the ordinary ones still waits for whoever runs to use up its slice (docs/findings.md).
/// Anybody else keeps time as well as the machine's load lets it.
pub(crate) fn punctual() {
    let _ = set_current_timer_slack(NonZeroU64::new(1));
    let at_once = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
    let first = set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, at_once);
    if first.is_err() {
        follow(NormalThreadSchedulePolicy::Other);
        let _ = setpriority_process(None, -20);
    }
}

/// Changes the calling thread's policy where that is possible, and leaves it as nice as it is.
fn follow(policy: NormalThreadSchedulePolicy) {
    let nice = getpriority_process(None);
    // The library sets niceness with the policy, from a scale on which 48 of 99 is 0.
    let Ok(middle) = ThreadPriorityValue::try_from(48) else {
        return;
    };
    let priority = ThreadPriority::Crossplatform(middle);
    let policy = ThreadSchedulePolicy::Normal(policy);
    let _ = set_thread_priority_and_policy(thread_native_id(), priority, policy);
    if let Ok(nice) = nice {
        let _ = setpriority_process(None, nice);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::spawn;
    use thread_priority::thread_schedule_policy;

    /// Policy and niceness of the calling thread.
    fn own() -> (ThreadSchedulePolicy, i32) {
        let policy = thread_schedule_policy().unwrap();
        (policy, getpriority_process(None).unwrap())
    }

    #[test]
    fn threads_of_a_patient_one_wait_their_turn_and_timers_do_not() {
        let batch = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Batch);
        spawn(move || {
            let before = own().1;
            patient();
            assert_eq!(own(), (batch, before));
            assert_eq!(spawn(own).join().unwrap(), (batch, before));
            let timer = || {
                punctual();
                own().0
            };
            assert_ne!(spawn(timer).join().unwrap(), batch);
            setpriority_process(None, 7).unwrap();
            patient();
            assert_eq!(own(), (batch, 7));
        })
        .join()
        .unwrap();
    }
}
