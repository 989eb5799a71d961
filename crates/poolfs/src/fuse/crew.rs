//! Which of the threads that serve requests wait for the next one.
//!
//! The kernel hands requests to the threads that wait for them in the order in which they came. With 128
//! of them each request meets a thread whose stack and free lists the processor last saw 128 requests
//! ago, which makes a read from the ARC cost half as much again (docs/performance.md). So threads that
//! have not been needed for a while sleep elsewhere, and are woken before the last one is taken.

use parking_lot::{Condvar, Mutex};
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering::SeqCst};

/// Requests after which it is looked at how many threads were not needed.
const WINDOW: usize = 1024;
/// Threads that stay beyond those that were needed.
const SPARE: isize = 4;
/// With fewer than these waiting for a request a sleeping thread is woken.
const LEAST: isize = 2;

/// The threads of a mount.
#[derive(Debug)]
pub struct Crew {
    /// Threads that wait for a request, or are about to.
    waiting: AtomicIsize,
    /// The fewest that waited since the last look.
    fewest: AtomicIsize,
    requests: AtomicUsize,
    /// Threads that may still go to sleep since the last look.
    surplus: AtomicIsize,
    asleep: Mutex<Asleep>,
    wake: Condvar,
}

#[derive(Debug, Default)]
struct Asleep {
    threads: usize,
    /// Those of them that have been called and have not noticed yet.
    called: usize,
    dismissed: bool,
}

/// A thread at work on a request. When it is dropped, the thread may be put to sleep: the request must
/// have been answered.
#[derive(Debug)]
pub struct Shift<'a>(&'a Crew);

impl Crew {
    /// Of so many threads, all of which wait for requests.
    pub fn new(threads: usize) -> Self {
        let threads = threads as isize;
        Self {
            waiting: AtomicIsize::new(threads),
            fewest: AtomicIsize::new(threads),
            requests: AtomicUsize::new(0),
            surplus: AtomicIsize::new(0),
            asleep: Mutex::default(),
            wake: Condvar::new(),
        }
    }

    /// The calling thread has been given a request.
    pub fn start(&self) -> Shift<'_> {
        let left = self.waiting.fetch_sub(1, SeqCst) - 1;
        self.fewest.fetch_min(left, SeqCst);
        if left < LEAST {
            self.call();
        }
        Shift(self)
    }

    /// Nobody sleeps any more, so that every thread sees the end of the mount.
    pub fn dismiss(&self) {
        self.asleep.lock().dismissed = true;
        self.wake.notify_all();
    }

    /// Threads asleep.
    #[cfg(test)]
    fn asleep(&self) -> usize {
        self.asleep.lock().threads
    }

    fn call(&self) {
        let mut asleep = self.asleep.lock();
        if asleep.threads > asleep.called {
            asleep.called += 1;
            self.waiting.fetch_add(1, SeqCst);
            self.wake.notify_one();
        }
    }

    fn end(&self) {
        if (self.requests.fetch_add(1, SeqCst) + 1).is_multiple_of(WINDOW) {
            let fewest = self.fewest.swap(self.waiting.load(SeqCst), SeqCst);
            self.surplus.store(fewest - SPARE, SeqCst);
        }
        let surplus = |n: isize| (n > 0).then_some(n - 1);
        let sleeps = self.surplus.fetch_update(SeqCst, SeqCst, surplus).is_ok();
        if !(sleeps && self.sleep()) {
            self.waiting.fetch_add(1, SeqCst);
        }
    }

    /// Sleeps until called, when the thread has been counted among those that wait; `false` at once
    /// where it is needed.
    fn sleep(&self) -> bool {
        let mut asleep = self.asleep.lock();
        // Whoever takes the last thread that waits either did so before this, or finds the one asleep.
        if asleep.dismissed || self.waiting.load(SeqCst) < SPARE {
            return false;
        }
        asleep.threads += 1;
        self.wake
            .wait_while(&mut asleep, |a| a.called == 0 && !a.dismissed);
        asleep.threads -= 1;
        let called = asleep.called > 0;
        if called {
            asleep.called -= 1;
        }
        called
    }
}

impl Drop for Shift<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    use std::sync::mpsc::{Receiver, channel};
    use std::sync::{Arc, Barrier};
    use std::time::Duration;

    /// Threads that take requests off a queue, as those of a mount do; a request is what to do.
    fn serve(crew: &Arc<Crew>, threads: usize, queue: Receiver<Box<dyn FnOnce() + Send>>) {
        let queue = Arc::new(Mutex::new(queue));
        for _ in 0..threads {
            let (crew, queue) = (Arc::clone(crew), Arc::clone(&queue));
            std::thread::spawn(move || {
                loop {
                    let request = queue.lock().recv();
                    let Ok(request) = request else { return };
                    let shift = crew.start();
                    request();
                    drop(shift);
                }
            });
        }
    }

    #[test]
    fn threads_that_are_not_needed_sleep_and_wake_when_they_are() {
        let crew = Arc::new(Crew::new(32));
        let (requests, queue) = channel();
        serve(&crew, 32, queue);
        let (answer, answers) = channel();
        for _ in 0..4 * WINDOW {
            let answer = answer.clone();
            requests
                .send(Box::new(move || answer.send(()).unwrap()) as Box<dyn FnOnce() + Send>)
                .unwrap();
            answers.recv().unwrap();
        }
        // One request at a time needs one thread, and four are spared; on a busy machine a thread or two
        // more, since some have answered and are not back when the next request comes.
        assert!((16..=27).contains(&crew.asleep()), "{}", crew.asleep());
        // Thirty at once wait for one another, so that thirty threads must serve them.
        let together = Arc::new(Barrier::new(30));
        for _ in 0..30 {
            let (answer, together) = (answer.clone(), Arc::clone(&together));
            requests
                .send(Box::new(move || {
                    together.wait();
                    answer.send(()).unwrap();
                }))
                .unwrap();
        }
        for _ in 0..30 {
            answers.recv_timeout(Duration::from_secs(20)).unwrap();
        }
        crew.dismiss();
    }

    #[test]
    fn requests_of_any_number_at_once_are_all_served() {
        let crew = Arc::new(Crew::new(64));
        let (requests, queue) = channel();
        serve(&crew, 64, queue);
        let stop = Arc::new(AtomicBool::new(false));
        let clients: Vec<_> = (1..=40usize)
            .map(|client| {
                let (requests, stop) = (requests.clone(), Arc::clone(&stop));
                std::thread::spawn(move || {
                    let (answer, answers) = channel();
                    let mut served = 0;
                    while !stop.load(Relaxed) {
                        let answer = answer.clone();
                        requests
                            .send(Box::new(move || answer.send(()).unwrap())
                                as Box<dyn FnOnce() + Send>)
                            .unwrap();
                        answers
                            .recv_timeout(Duration::from_secs(20))
                            .expect("every request is served");
                        served += 1;
                        // Clients come and go, so that the crew shrinks and grows.
                        if served % (100 * client) == 0 {
                            std::thread::sleep(Duration::from_millis(client as u64));
                        }
                    }
                    served
                })
            })
            .collect();
        std::thread::sleep(Duration::from_secs(1));
        stop.store(true, Relaxed);
        let served: usize = clients.into_iter().map(|c| c.join().unwrap()).sum();
        assert!(served > 10 * WINDOW, "{served}");
        crew.dismiss();
        let all = |_: &u32| crew.waiting.load(SeqCst) == 64;
        let wait = |_: &u32| std::thread::sleep(Duration::from_millis(10));
        assert!((0..1000).inspect(wait).any(|n| all(&n)), "none is lost");
    }
}
