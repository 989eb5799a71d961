//! The blocks of the writers: numbered, with content derived from the number, appended to files.

use super::kept::Damage;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

/// Writers at the same time.
pub const WRITERS: usize = 4;
/// Blocks per file. A writer then creates the next file, so that new names are tested too.
pub const PER_FILE: u64 = 32;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blocks {
    pub directory: PathBuf,
    /// Bytes of a block, a multiple of 8.
    pub size: usize,
    pub seed: u64,
    /// What may be there of a block that was written and not acknowledged.
    pub in_flight: InFlight,
}

/// What a cut may leave of a block that was not acknowledged. In any case it may be complete or missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InFlight {
    /// Its beginning, where the file then ends. A transaction group of ZFS has a write as a whole. But fdatasync puts
    /// it into the intent log, which divides what does not fit into the rest of a log block (`zil_lwb_assign`, OpenZFS
    /// 2.3 and 2.4), and replay ends where the log does. No size of a block rules that out: a log block can be small.
    Beginning,
    /// Any bytes of it, with zeros for the others: file systems without records.
    AnyPart,
}

impl InFlight {
    /// Whether this data may be there of a block with this content.
    fn allows(self, data: &[u8], content: &[u8]) -> bool {
        match self {
            InFlight::Beginning => content.starts_with(data),
            InFlight::AnyPart => {
                data.iter().zip(content).all(|(there, written)| there == written || *there == 0)
            }
        }
    }
}

/// The output function of SplitMix64: neighbouring numbers give unrelated ones.
pub fn mix(n: u64) -> u64 {
    let n = n.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}

impl Blocks {
    /// The file of a writer's block, and its offset there.
    pub fn place(&self, writer: usize, number: u64) -> (PathBuf, u64) {
        let file = number / PER_FILE;
        let name = format!("writer-{writer}-{file}");
        let offset = number % PER_FILE * self.size as u64;
        (self.directory.join(name), offset)
    }

    /// The content of a writer's block: no two are alike, and no compression shortens them.
    pub fn content(&self, writer: usize, number: u64) -> Vec<u8> {
        let mut word = mix(self.seed ^ mix(writer as u64 ^ mix(number)));
        let mut data = Vec::with_capacity(self.size);
        while data.len() < self.size {
            data.extend_from_slice(&word.to_le_bytes());
            word = mix(word);
        }
        data
    }

    /// What is there of a writer's blocks; nothing where the directory cannot be read.
    pub fn read_back(&self, writer: usize) -> WriterBlocks {
        let prefix = format!("writer-{writer}-");
        let number =
            |entry: fs::DirEntry| entry.file_name().to_str()?.strip_prefix(&prefix)?.parse().ok();
        let entries = fs::read_dir(&self.directory).into_iter().flatten().flatten();
        let mut numbers: Vec<u64> = entries.filter_map(number).collect();
        numbers.sort_unstable();
        let files = numbers.into_iter().map(|number| (number, self.read_file_back(writer, number)));
        let mut others: Vec<(u64, Vec<BlockState>)> = files.collect();
        let whole = [BlockState::Intact; PER_FILE as usize];
        let intact =
            (0..).zip(&others).take_while(|(n, (number, file))| n == number && *file == whole);
        let intact_files = intact.count();
        others.drain(..intact_files);
        WriterBlocks { intact_files: intact_files as u64, others }
    }

    /// The blocks of a file; none of one that cannot be opened.
    fn read_file_back(&self, writer: usize, file: u64) -> Vec<BlockState> {
        let first = file * PER_FILE;
        let (path, _) = self.place(writer, first);
        let opened = fs::File::open(path).and_then(|file| Ok((file.metadata()?.len(), file)));
        let Ok((length, file)) = opened else {
            return Vec::new();
        };
        let size = self.size as u64;
        let look = |index| {
            let there = size.min(length - index * size) as usize;
            let mut data = vec![0; there];
            match file.read_exact_at(&mut data, index * size) {
                Ok(()) => self.state(&data, &self.content(writer, first + index)),
                Err(_) => BlockState::Unreadable,
            }
        };
        (0..length.div_ceil(size)).map(look).collect()
    }

    fn state(&self, data: &[u8], content: &[u8]) -> BlockState {
        match data {
            _ if data == content => BlockState::Intact,
            _ if data.iter().all(|byte| *byte == 0) => BlockState::Empty,
            _ if self.in_flight.allows(data, content) => BlockState::Part,
            _ => BlockState::Foreign,
        }
    }
}

/// What is there of one block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlockState {
    Intact,
    /// A part that a cut may leave of a block in flight.
    Part,
    /// Zeros.
    Empty,
    /// Anything else.
    Foreign,
    Unreadable,
}

/// What is there of the blocks of one writer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriterBlocks {
    /// Its first files whose blocks are all intact.
    intact_files: u64,
    /// The numbers of the other files that are there, each with its blocks.
    others: Vec<(u64, Vec<BlockState>)>,
}

impl WriterBlocks {
    /// Checks it against the writer's number of acknowledged blocks: the damage, and the number of its first blocks that
    /// are intact. One more block may have been in flight.
    pub fn check(&self, in_flight: InFlight, acknowledged: u64) -> (Damage, u64) {
        let mut damage = Damage::default();
        // A file after the last was never written.
        let files = acknowledged / PER_FILE + 1;
        damage.corrupt += self.intact_files.saturating_sub(files);
        damage.corrupt += self.others.iter().filter(|(number, _)| *number >= files).count() as u64;
        // Neither was a block after a file's last.
        let beyond =
            |blocks: &Vec<BlockState>| blocks.len().saturating_sub(PER_FILE as usize) as u64;
        let those = self.others.iter().filter(|(number, _)| *number < files);
        damage.corrupt += those.map(|(_, blocks)| beyond(blocks)).sum::<u64>();
        let mut kept = None;
        for number in 0..files * PER_FILE {
            let state = self.block(number);
            let promised = number < acknowledged;
            if promised && state != Some(BlockState::Intact) {
                kept = kept.or(Some(number));
            }
            match state {
                None | Some(BlockState::Unreadable) => damage.lost += u64::from(promised),
                Some(_) if number > acknowledged => damage.corrupt += 1,
                Some(BlockState::Intact) => {}
                Some(BlockState::Part) if !promised => {}
                Some(BlockState::Empty) if promised => damage.lost += 1,
                Some(BlockState::Empty) if in_flight == InFlight::AnyPart => {}
                Some(_) => damage.corrupt += 1,
            }
        }
        (damage, kept.unwrap_or(acknowledged))
    }

    /// The state of a block; none where there is none.
    fn block(&self, number: u64) -> Option<BlockState> {
        let file = number / PER_FILE;
        if file < self.intact_files {
            return Some(BlockState::Intact);
        }
        let place = self.others.binary_search_by_key(&file, |(other, _)| *other).ok()?;
        self.others[place].1.get((number % PER_FILE) as usize).copied()
    }
}

/// Appends a block to the file that it belongs in, which is made with its first block.
pub fn append(blocks: &Blocks, writer: usize, number: u64, durable: bool) -> io::Result<()> {
    let (path, offset) = blocks.place(writer, number);
    let new = offset == 0;
    let file = fs::OpenOptions::new().write(true).create_new(new).open(&path)?;
    if new && durable {
        fs::File::open(&blocks.directory)?.sync_all()?;
    }
    file.write_all_at(&blocks.content(writer, number), offset)?;
    if durable {
        file.sync_data()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACKNOWLEDGED: u64 = PER_FILE + 3;

    /// Blocks of writer 2, as many as were acknowledged, and then changed.
    fn damage(change: impl Fn(&Blocks)) -> Damage {
        let directory = tempfile::tempdir().unwrap();
        let blocks = of(&directory);
        for number in 0..ACKNOWLEDGED {
            append(&blocks, 2, number, true).unwrap();
        }
        change(&blocks);
        blocks.read_back(2).check(blocks.in_flight, ACKNOWLEDGED).0
    }

    fn of(directory: &tempfile::TempDir) -> Blocks {
        Blocks {
            directory: directory.path().to_owned(),
            size: 512,
            seed: 7,
            in_flight: InFlight::Beginning,
        }
    }

    /// Damage to two blocks of which so many were acknowledged, after a change to the file of the second.
    fn in_flight(
        in_flight: InFlight,
        acknowledged: u64,
        change: impl Fn(&fs::File, &[u8]),
    ) -> Damage {
        let directory = tempfile::tempdir().unwrap();
        let blocks = Blocks { in_flight, ..of(&directory) };
        append(&blocks, 0, 0, true).unwrap();
        append(&blocks, 0, 1, true).unwrap();
        let file = fs::OpenOptions::new().write(true).open(blocks.place(0, 0).0).unwrap();
        change(&file, &blocks.content(0, 1));
        blocks.read_back(0).check(in_flight, acknowledged).0
    }

    #[test]
    fn the_intent_log_may_have_the_beginning_of_a_block_in_flight() {
        let divided = |file: &fs::File, _: &[u8]| file.set_len(700).unwrap();
        assert_eq!(in_flight(InFlight::Beginning, 1, divided), found(0, 0));
        assert_eq!(in_flight(InFlight::Beginning, 2, divided), found(0, 1), "acknowledged");
        let gone = |file: &fs::File, _: &[u8]| file.set_len(512).unwrap();
        assert_eq!(in_flight(InFlight::Beginning, 1, gone), found(0, 0));
        assert_eq!(in_flight(InFlight::Beginning, 2, gone), found(1, 0), "acknowledged");
        let end = |file: &fs::File, content: &[u8]| {
            file.set_len(512).unwrap();
            file.write_all_at(&content[256..], 512).unwrap();
        };
        assert_eq!(in_flight(InFlight::Beginning, 1, end), found(0, 1));
        let hole = |file: &fs::File, _: &[u8]| file.write_all_at(&[0; 256], 512 + 256).unwrap();
        assert_eq!(in_flight(InFlight::Beginning, 1, hole), found(0, 1));
    }

    #[test]
    fn other_file_systems_may_have_any_part_of_a_block_in_flight_and_nothing_else() {
        let part = |file: &fs::File, _: &[u8]| file.write_all_at(&[0; 256], 512).unwrap();
        assert_eq!(in_flight(InFlight::AnyPart, 1, part), found(0, 0));
        assert_eq!(in_flight(InFlight::AnyPart, 2, part), found(0, 1), "acknowledged");
        let length = |file: &fs::File, _: &[u8]| file.write_all_at(&[0; 512], 512).unwrap();
        assert_eq!(in_flight(InFlight::AnyPart, 1, length), found(0, 0));
        assert_eq!(in_flight(InFlight::AnyPart, 2, length), found(1, 0), "acknowledged");
        let foreign = |file: &fs::File, _: &[u8]| file.write_all_at(&[1; 256], 512).unwrap();
        assert_eq!(in_flight(InFlight::AnyPart, 1, foreign), found(0, 1));
    }

    fn file(blocks: &Blocks, number: u64) -> fs::File {
        let path = blocks.place(2, number).0;
        fs::OpenOptions::new().write(true).open(path).unwrap()
    }

    fn found(lost: u64, corrupt: u64) -> Damage {
        Damage { lost, corrupt }
    }

    #[test]
    fn one_block_beyond_the_acknowledged_ones_is_not_damage() {
        assert_eq!(damage(|_| ()), found(0, 0));
        let more = |blocks: &Blocks| append(blocks, 2, ACKNOWLEDGED, false).unwrap();
        assert_eq!(damage(more), found(0, 0));
    }

    #[test]
    fn missing_and_empty_blocks_are_lost() {
        let short = |blocks: &Blocks| file(blocks, PER_FILE).set_len(512).unwrap();
        assert_eq!(damage(short), found(2, 0));
        let gone = |blocks: &Blocks| fs::remove_file(blocks.place(2, 0).0).unwrap();
        assert_eq!(damage(gone), found(PER_FILE, 0));
        let empty = |blocks: &Blocks| file(blocks, 0).write_all_at(&[0; 512], 1024).unwrap();
        assert_eq!(damage(empty), found(1, 0));
    }

    #[test]
    fn partial_and_foreign_blocks_are_corrupt() {
        let half = |blocks: &Blocks| file(blocks, 0).write_all_at(&[0; 256], 0).unwrap();
        assert_eq!(damage(half), found(0, 1));
        let cut = |blocks: &Blocks| file(blocks, PER_FILE).set_len(512 * 2 + 100).unwrap();
        assert_eq!(damage(cut), found(0, 1));
        let foreign = |blocks: &Blocks| {
            let at = blocks.place(2, ACKNOWLEDGED).1;
            file(blocks, ACKNOWLEDGED).write_all_at(&blocks.content(1, 0)[..100], at).unwrap();
        };
        assert_eq!(damage(foreign), found(0, 1));
        let never_sent = |blocks: &Blocks| {
            append(blocks, 2, ACKNOWLEDGED, false).unwrap();
            append(blocks, 2, ACKNOWLEDGED + 1, false).unwrap();
        };
        assert_eq!(damage(never_sent), found(0, 1));
        let after_a_files_last = |blocks: &Blocks| {
            file(blocks, 0).write_all_at(&blocks.content(2, PER_FILE), PER_FILE * 512).unwrap();
        };
        assert_eq!(damage(after_a_files_last), found(0, 1));
        let file_never_begun = |blocks: &Blocks| append(blocks, 2, 2 * PER_FILE, false).unwrap();
        assert_eq!(damage(file_never_begun), found(0, 1));
    }

    #[test]
    fn the_blocks_before_the_first_lost_one_are_kept() {
        let directory = tempfile::tempdir().unwrap();
        let blocks = of(&directory);
        for (writer, number) in [(0, 0), (0, 1), (0, 2), (1, 0)] {
            append(&blocks, writer, number, true).unwrap();
        }
        let check = || {
            [(0, 3), (1, 1)].map(|(writer, acknowledged)| {
                blocks.read_back(writer).check(blocks.in_flight, acknowledged)
            })
        };
        assert_eq!(check(), [(Damage::default(), 3), (Damage::default(), 1)]);
        let path = blocks.place(0, 0).0;
        let file = fs::OpenOptions::new().write(true).open(path).unwrap();
        file.write_all_at(&[0; 512], 512).unwrap();
        assert_eq!(check(), [(Damage { lost: 1, corrupt: 0 }, 1), (Damage::default(), 1)]);
    }
}
