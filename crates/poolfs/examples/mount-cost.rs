//! What the mount costs: processor time of this process for an 8 KiB synchronous write, for an 8 KiB
//! read that hits the ARC, and for a read behind the file's end, for which the dataset has next to
//! nothing to do, so that it shows what a request costs at least. Each is called directly on the
//! dataset and asked for through the mount by a client process, in turn, on the same pool of instant
//! drives.
//!
//! `cargo run --release -p poolfs --features engine --example mount-cost [PAIRS] [OPERATIONS]`

/// As the process that this one stands for has it.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [client, file, operation, n] = &args[..]
        && client == "client"
    {
        return engine::client(file, operation, n.parse()?);
    }
    let number = |i: usize, default: u64| args.get(i).map_or(Ok(default), |a| a.parse());
    engine::compare(number(0, 5)?, number(1, 5000)?)
}

mod engine {
    use lab::model::HostLimits;
    use poolfs::clock::Clock;
    use poolfs::engine::Engine;
    use poolfs::fuse::{Mount, Options};
    use poolfs::pool::{Origin, Pool};
    use poolfs::protocol::Build;
    use poolfs::schedule;
    use poolfs::volume::{Create, IoFlags, Kind, Owner, ROOT, Stages, Volume};
    use rustix::time::{ClockId, clock_gettime};
    use std::error::Error;
    use std::ffi::OsStr;
    use std::fs::OpenOptions;
    use std::io::{BufRead, BufReader, Write};
    use std::os::unix::fs::{FileExt, OpenOptionsExt};
    use std::path::Path;
    use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
    use std::sync::Arc;

    const LAB: &str = r#"
title = "mount cost"
openzfs = "2.1"
[host]
memory = "16G"
cores = 2
[drives]
ssd = "6x pm883-3.84t"
[pool]
ashift = 12
vdevs = "mirror ssd[0-1] mirror ssd[2-3] mirror ssd[4-5]"
[dataset]
recordsize = "8K"
[workloads.w]
fio.job = "[w]\nrw=write\nsize=1g\nruntime=1\ntime_based=1\n"
[scale]
size = 8
dirty_data_max = "128M"
"#;
    const BLOCK: usize = 8192;
    const BLOCKS: u64 = 4096;
    const END: u64 = BLOCKS * BLOCK as u64;
    const O_DSYNC: i32 = 0o10_000;
    /// Turns that the two sides of a pair take: what a call costs drifts within seconds on a machine that
    /// others use as well.
    const TURNS: u64 = 10;
    const OPERATIONS: [&str; 3] = ["write", "read", "empty"];
    fn offset(i: u64) -> u64 {
        (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20) % BLOCKS * BLOCK as u64
    }

    /// Does `n` operations through a mount for each line of input, and answers it.
    pub fn client(file: &str, operation: &str, n: u64) -> Result<(), Box<dyn Error>> {
        let flags = if operation == "write" { O_DSYNC } else { 0 };
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(flags)
            .open(file)?;
        let mut block = vec![0x5Au8; BLOCK];
        for line in std::io::stdin().lines() {
            line?;
            for i in 0..n {
                match operation {
                    "write" => file.write_all_at(&block, offset(i))?,
                    "read" => file.read_exact_at(&mut block, offset(i))?,
                    _ => assert_eq!(file.read_at(&mut block, END + offset(i))?, 0),
                }
            }
            println!();
        }
        Ok(())
    }

    /// The client's process, which works while it is waited for.
    struct Client {
        process: Child,
        ask: ChildStdin,
        answers: BufReader<ChildStdout>,
    }

    impl Client {
        fn start(file: &Path, operation: &str, n: u64) -> Result<Client, Box<dyn Error>> {
            // Clients are no threads of the pool and preempt as any program does.
            let mut process = Command::new("chrt")
                .args(["--other", "0"])
                .arg(std::env::current_exe()?)
                .arg("client")
                .arg(file)
                .args([operation, &n.to_string()])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()?;
            let (Some(ask), Some(answers)) = (process.stdin.take(), process.stdout.take()) else {
                return Err("no pipes".into());
            };
            let answers = BufReader::new(answers);
            Ok(Client {
                process,
                ask,
                answers,
            })
        }

        fn work(&mut self) -> Result<(), Box<dyn Error>> {
            writeln!(self.ask)?;
            match self.answers.read_line(&mut String::new())? {
                0 => Err("the client failed".into()),
                _ => Ok(()),
            }
        }

        fn end(mut self) -> Result<(), Box<dyn Error>> {
            drop(self.ask);
            self.process.wait()?;
            Ok(())
        }
    }

    /// Processor time that this process takes meanwhile, µs.
    fn processor_us(f: impl FnOnce() -> Result<(), Box<dyn Error>>) -> Result<f64, Box<dyn Error>> {
        let now = || {
            let t = clock_gettime(ClockId::ProcessCPUTime);
            t.tv_sec as f64 * 1e6 + t.tv_nsec as f64 / 1e3
        };
        let before = now();
        f()?;
        Ok(now() - before)
    }

    /// Prints pairs of direct and mounted, and their medians.
    pub fn compare(pairs: u64, n: u64) -> Result<(), Box<dyn Error>> {
        let (campaign, _) = lab::load(
            "mount-cost.toml",
            LAB,
            &lab::NoFiles,
            &lab::Profiles::builtin(),
        )
        .map_err(|mistakes| format!("{mistakes:?}"))?;
        let limits = HostLimits {
            memory: 8 << 30,
            store_bytes: 64 << 30,
            cores: 2,
        };
        let mut model = lab::model::resolve(&campaign, &limits).map_err(|d| format!("{d:?}"))?;
        model.time = Some(1.0);
        let store = tempfile::tempdir_in("/dev/shm")?;
        let dir = tempfile::tempdir()?;
        schedule::patient();
        let pool = Engine::default();
        let build = Build {
            variant: campaign.variants[0].clone(),
            model,
            cores: 2,
            store: store.path().to_owned(),
            arena: None,
            seed: 1,
            instant: true,
        };
        pool.build(&build, Origin::New).map_err(|r| r.message)?;
        let volume = pool.volume("").map_err(|r| r.message)?;
        let create = Create {
            kind: Kind::File,
            perm: 0o644,
            owner: Owner { uid: 0, gid: 0 },
            rdev: 0,
            target: None,
        };
        let ino = volume.create(ROOT, OsStr::new("file"), &create)?.ino;
        let data = vec![0xA5u8; BLOCK];
        for i in 0..BLOCKS {
            volume.write(
                ino,
                i * BLOCK as u64,
                &data,
                IoFlags::default(),
                &mut Stages::default(),
            )?;
        }
        pool.drain().map_err(|r| r.message)?;
        let mount = Mount::new(
            Arc::clone(&volume),
            dir.path(),
            Clock::start(1.0),
            Options::default(),
        )?;
        let file = dir.path().join("file");
        for operation in OPERATIONS {
            let mut ratios = Vec::new();
            let mut extra = Vec::new();
            let turn = n.div_ceil(TURNS);
            let mut client = Client::start(&file, operation, turn)?;
            // What was dirtied is synced within the time that is counted. Else it would fall to
            // whichever side comes next, or to the one that takes longer.
            let drain = || pool.drain().map_err(|r| r.message.into());
            for _ in 0..pairs {
                let [mut direct, mut mounted] = [0.0; 2];
                for _ in 0..TURNS {
                    direct += processor_us(|| {
                        call(&*volume, ino, operation, turn)?;
                        drain()
                    })?;
                    mounted += processor_us(|| {
                        client.work()?;
                        drain()
                    })?;
                }
                let [direct, mounted] = [direct, mounted].map(|us| us / (turn * TURNS) as f64);
                println!("8 KiB {operation:5}  direct {direct:6.1} us  mounted {mounted:6.1} us");
                ratios.push(mounted / direct);
                extra.push(mounted - direct);
            }
            client.end()?;
            ratios.sort_by(f64::total_cmp);
            extra.sort_by(f64::total_cmp);
            println!(
                "8 KiB {operation:5}  median ratio {:.2}, median difference {:+.1} us",
                ratios[ratios.len() / 2],
                extra[extra.len() / 2]
            );
        }
        mount.unmount()?;
        drop(volume);
        pool.stop().map_err(|r| r.message)?;
        Ok(())
    }

    fn call(volume: &dyn Volume, ino: u64, operation: &str, n: u64) -> Result<(), Box<dyn Error>> {
        let mut block = vec![0x5Au8; BLOCK];
        let sync = IoFlags {
            dsync: true,
            ..IoFlags::default()
        };
        for i in 0..n {
            let mut stages = Stages::default();
            let at = match operation {
                "write" => {
                    volume.write(ino, offset(i), &block, sync, &mut stages)?;
                    continue;
                }
                "read" => offset(i),
                _ => END + offset(i),
            };
            volume.read(ino, at, &mut block, IoFlags::default(), &mut stages)?;
        }
        Ok(())
    }
}
