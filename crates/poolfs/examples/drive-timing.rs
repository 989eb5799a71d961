//! Achieved against intended service times of emulated drives, at queue depths 1 and 16.
//!
//! `drive-timing PROFILE.toml K [SECONDS] [SPIN_US]`; prints one line for each depth: times in
//! virtual µs, deviations in percent.

use poolfs::clock::Clock;
use poolfs::emulator::{Emulator, Io, Place, Settings, Spec};
use std::error::Error;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

struct Read {
    offset: u64,
    buf: Vec<u8>,
    done: Sender<Read>,
}

impl Io for Read {
    fn op(&self) -> drives::Op {
        drives::Op::Read
    }
    fn offset(&self) -> u64 {
        self.offset
    }
    fn length(&self) -> u64 {
        self.buf.len() as u64
    }
    fn data(&self) -> &[u8] {
        &self.buf
    }
    fn data_mut(&mut self) -> &mut [u8] {
        &mut self.buf
    }
    fn complete(self, _result: Result<(), i32>) {
        let back = self.done.clone();
        // Fails only once the measurement is over.
        let _ = back.send(self);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [path, k, rest @ ..] = &args[..] else {
        return Err("usage: drive-timing PROFILE.toml K [SECONDS] [SPIN_US]".into());
    };
    let profile = drives::Profile::from_toml(&std::fs::read_to_string(path)?)?;
    let seconds: f64 = rest.first().map_or(Ok(5.0), |s| s.parse())?;
    let spin = rest.get(1).map(|s| s.parse()).transpose()?;
    let settings = Settings {
        spin: spin.map(Duration::from_micros),
    };
    let store = std::env::temp_dir().join(format!("drive-timing-{}", std::process::id()));
    std::fs::create_dir(&store)?;
    for depth in [1, 16] {
        let clock = Clock::start(k.parse()?);
        let emulator = Emulator::new(clock, Place::Files(store.clone()), settings)?;
        let size = 16 << 30;
        let drive = emulator.add(&Spec {
            name: format!("d{depth}"),
            real_capacity: profile.capacity.value as u64,
            profile: profile.clone(),
            scaled_capacity: size,
            seed: 1,
            elevator: None,
        })?;
        let (done, finished) = channel();
        let mut place = 1_u64;
        let mut next = || {
            place = place
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (place >> 20) % (size / 4096) * 4096
        };
        for _ in 0..depth {
            drive.submit(Read {
                offset: next(),
                buf: vec![0; 4096],
                done: done.clone(),
            });
        }
        let before = cpu();
        let started = Instant::now();
        while started.elapsed().as_secs_f64() < seconds {
            let mut io = finished.recv()?;
            io.offset = next();
            drive.submit(io);
        }
        let cpu = (cpu() - before) / started.elapsed().as_secs_f64();
        let services = drive.take_service();
        let service = services.first().ok_or("no service times")?;
        let (i, a) = (&service.intended, &service.achieved);
        let us = |ns: u64| ns as f64 / 1e3;
        let off =
            |q: f64| (a.value_at_quantile(q) as f64 / i.value_at_quantile(q) as f64 - 1.0) * 100.0;
        let late = drive.counters().late_ns as f64 / i.len() as f64 * clock.dilation() / 1e3;
        println!(
            "qd {depth:2}  requests {:6}  intended p50 {:9.1} p99 {:9.1}  off p50 {:+.2} % p99 {:+.2} %  \
             late {late:.1} µs real  cores {cpu:.2}",
            i.len(),
            us(i.value_at_quantile(0.5)),
            us(i.value_at_quantile(0.99)),
            off(0.5),
            off(0.99),
        );
    }
    std::fs::remove_dir_all(&store)?;
    Ok(())
}

/// Processor seconds of this process.
fn cpu() -> f64 {
    let usage = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    usage.tv_sec as f64 + usage.tv_nsec as f64 / 1e9
}
