//! The rows of pgbench's accounts, written inside a machine for psql's `\copy`. COPY takes a third of the processor time
//! of an INSERT, and writes each page once, frozen.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

/// The hidden subcommand of the program: `machine-pgbench-accounts ROWS RANDOM`.
pub const VERB: &str = "machine-pgbench-accounts";
/// Accounts of a branch, as pgbench has them.
const OF_A_BRANCH: u64 = 100_000;
/// Base64's digits: random ones compress to three quarters at best.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// Digits that 64 random bits give.
const OF_A_NUMBER: usize = 10;
/// Bytes of a write to psql: what a pipe holds.
const WRITE: usize = 64 << 10;

/// What a trial's key has of the rows, which this program makes.
pub fn version() -> String {
    let hash = blake3::hash(include_str!("accounts.rs").as_bytes());
    format!("accounts {}", &hash.to_hex()[..16])
}

/// Writes the rows to standard output; `arguments` are those after the verb. None where they are no numbers.
pub fn run(arguments: &[OsString]) -> Option<ExitCode> {
    let [rows, random] = arguments else { return None };
    let (rows, random) = (rows.to_str()?.parse().ok()?, random.to_str()?.parse().ok()?);
    let mut out = BufWriter::with_capacity(WRITE, io::stdout().lock());
    match write(&mut out, rows, random).and_then(|()| out.flush()) {
        Ok(()) => Some(ExitCode::SUCCESS),
        Err(why) => {
            eprintln!("cannot write the accounts: {why}");
            Some(ExitCode::FAILURE)
        }
    }
}

/// Writes `rows` lines of COPY's text format, from account 1 on: account, branch, balance, and a filler whose first
/// `random` characters are random and which the server fills with blanks.
fn write(out: &mut impl Write, rows: u64, random: usize) -> io::Result<()> {
    let mut numbers = Xoshiro256PlusPlus::seed_from_u64(0);
    let mut filler = vec![0; random];
    for account in 1..=rows {
        for digits in filler.chunks_mut(OF_A_NUMBER) {
            let mut number = numbers.next_u64();
            for digit in digits {
                *digit = DIGITS[(number % 64) as usize];
                number /= 64;
            }
        }
        write!(out, "{account}\t{}\t0\t", (account - 1) / OF_A_BRANCH + 1)?;
        out.write_all(&filler)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(rows: u64, random: usize) -> Vec<String> {
        let mut out = Vec::new();
        write(&mut out, rows, random).unwrap();
        String::from_utf8(out).unwrap().lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_branch_has_100000_accounts() {
        let all = lines(200_001, 0);
        assert_eq!(all.len(), 200_001);
        assert_eq!((&*all[0], &*all[99_999]), ("1\t1\t0\t", "100000\t1\t0\t"));
        assert_eq!((&*all[100_000], &*all[200_000]), ("100001\t2\t0\t", "200001\t3\t0\t"));
    }

    #[test]
    fn fillers_are_random_and_the_same_in_each_run() {
        let all = lines(100, 42);
        assert_eq!(all, lines(100, 42));
        let fillers: Vec<&str> = all.iter().map(|line| line.rsplit('\t').next().unwrap()).collect();
        assert!(fillers.iter().all(|filler| filler.len() == 42));
        let digits = |digit: &u8| fillers.iter().any(|filler| filler.as_bytes().contains(digit));
        assert!(DIGITS.iter().all(digits));
        assert!(fillers.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
