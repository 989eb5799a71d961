//! Sizes of one's own files or blocks, to size a special vdev by: what `zdb -Lbbbs POOL` prints, or
//! a table of sizes and counts.

use crate::sizing::Sizes;
use serde::{Deserialize, Serialize};

/// What was counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Histogram {
    /// Files by size.
    Files(Vec<Sizes>),
    /// Blocks of a pool by size on disk.
    Blocks(Blocks),
}

/// Blocks of a pool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Blocks {
    /// By physical size, data and metadata together; `up_to` is where a bin begins, and the next is
    /// twice as large.
    pub sizes: Vec<Sizes>,
    /// Metadata among them, where the table of types was given.
    pub metadata: Option<Amount>,
}

/// So many, of so many bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Amount {
    /// How many.
    pub count: f64,
    /// Bytes of all of them.
    pub bytes: f64,
}

impl Histogram {
    /// Everything that was counted.
    pub fn total(&self) -> Amount {
        let sizes = match self {
            Histogram::Files(sizes) => sizes,
            Histogram::Blocks(blocks) => &blocks.sizes,
        };
        sizes.iter().fold(Amount::default(), |sum, size| Amount {
            count: sum.count + size.count,
            bytes: sum.bytes + size.bytes,
        })
    }
}

/// A text that holds no histogram.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{what}", of_line(*line))]
pub struct HistogramError {
    /// The line, from 1; 0 for the text as a whole.
    pub line: usize,
    /// What is wrong there, and what to do.
    pub what: String,
}

fn of_line(line: usize) -> String {
    if line == 0 { String::new() } else { format!("line {line}: ") }
}

/// Reads a histogram of blocks (the text of `zdb -Lbbbs POOL`, with or without `-P`, or its part
/// below "Block Size Histogram"), or of files: lines `size,count`, or `size,count,bytes`, in bytes
/// or with a binary suffix, a head and lines that begin with `#` left out.
///
/// # Errors
/// The line that cannot be read, or that nothing was counted.
pub fn parse(text: &str) -> Result<Histogram, HistogramError> {
    let histogram = match text.lines().any(|line| line.contains("Block Size Histogram")) {
        true => Histogram::Blocks(blocks(text)),
        false => Histogram::Files(files(text)?),
    };
    let total = histogram.total();
    if total.count > 0.0 && total.bytes.is_finite() && total.count.is_finite() {
        return Ok(histogram);
    }
    Err(HistogramError {
        line: 0,
        what: "no counts in this text: give the output of `zdb -Lbbbs POOL`, or lines `size,count`"
            .to_string(),
    })
}

/// Bytes, or a count, with the suffixes that zdb prints.
fn number(word: &str) -> Option<f64> {
    let word = word.trim();
    let end = word.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(word.len());
    let (digits, unit) = word.split_at(end);
    let power = match unit.trim().trim_end_matches("iB").trim_end_matches('B') {
        "" => 0,
        "K" | "k" => 1,
        "M" => 2,
        "G" => 3,
        "T" => 4,
        "P" => 5,
        "E" => 6,
        _ => return None,
    };
    let value = digits.parse::<f64>().ok()? * 1024f64.powi(power);
    (value.is_finite() && value < 1.8e19).then_some(value)
}

fn files(text: &str) -> Result<Vec<Sizes>, HistogramError> {
    let mut sizes = Vec::new();
    let sizes_of = |size: f64, count: f64, bytes: f64| Sizes { up_to: size as u64, count, bytes };
    let rows = text.lines().zip(1..).filter(|(row, _)| {
        let row = row.trim();
        !row.is_empty() && !row.starts_with('#')
    });
    for (place, (row, line)) in rows.enumerate() {
        let cells: Vec<&str> = row.split([',', ';', '\t']).map(str::trim).collect();
        let numbers: Option<Vec<f64>> = cells.iter().map(|cell| number(cell)).collect();
        match numbers.as_deref() {
            Some([size, count]) => sizes.push(sizes_of(*size, *count, size * count)),
            Some([size, count, bytes]) if *bytes <= size * count => {
                sizes.push(sizes_of(*size, *count, *bytes))
            }
            Some([..]) if cells.len() == 3 => {
                let what =
                    "more bytes than this many files of this size can hold: write size,count,bytes";
                return Err(HistogramError { line, what: what.to_string() });
            }
            // The first line may name the columns.
            None if place == 0 && cells.len() >= 2 => {}
            _ => {
                let what = format!(
                    "{:?} is not `size,count`; write bytes and count, as in `16K,1200`",
                    row.chars().take(40).collect::<String>()
                );
                return Err(HistogramError { line, what });
            }
        }
    }
    Ok(sizes)
}

fn blocks(text: &str) -> Blocks {
    let mut sizes = Vec::new();
    let mut begun = false;
    for row in text.lines() {
        begun |= row.contains("Block Size Histogram");
        let words: Vec<&str> = row.split_whitespace().collect();
        // Bin, then count, size and running sum of psize, lsize and asize.
        if let (true, [bin, count, bytes, _, _, _, _, _, _, _]) = (begun, words.as_slice())
            && let (Some(bin), Some(count), Some(bytes)) =
                (number(bin.trim_end_matches(':')), number(count), number(bytes))
        {
            sizes.push(Sizes { up_to: bin as u64, count, bytes });
        }
    }
    Blocks { sizes, metadata: metadata(text) }
}

/// Metadata of the table of types: everything but the lowest level of files and volumes.
///
/// Its rows are added up, since the difference of two totals that are rounded to three digits may be as large as the
/// metadata itself.
fn metadata(text: &str) -> Option<Amount> {
    let mut total = false;
    let mut sum = Amount::default();
    for row in text.lines() {
        let words: Vec<&str> = row.split_whitespace().collect();
        // Blocks LSIZE PSIZE ASIZE avg comp %Total Type
        let [count, _, psize, _, _, _, _, kind @ ..] = words.as_slice() else {
            continue;
        };
        let (Some(count), Some(bytes)) = (number(count), number(psize)) else {
            continue;
        };
        let is_level = |word: &str| {
            word.strip_prefix('L')
                .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
        };
        let (level, kind) = match kind {
            [level, kind @ ..] if is_level(level) => (Some(*level), kind),
            kind => (None, kind),
        };
        let data = matches!(kind, ["ZFS", "plain", "file"] | ["zvol", "object"]);
        let counts = match (kind, level) {
            // `Total`, and `Metadata Total`, which newer releases print.
            ([.., "Total"], _) => {
                total |= kind.len() == 1;
                false
            }
            // Of data each level above the lowest; the rows of other types have all their levels.
            (_, Some(level)) => data && level != "L0",
            (_, None) => !data,
        };
        if counts {
            sum.count += count;
            sum.bytes += bytes;
        }
    }
    total.then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `zdb -Lbbbs` of OpenZFS 2.1.11 on a pool that ztest made in files.
    const ZTEST: &str = include_str!("../tests/fixtures/zdb-2.1-ztest.txt");

    #[test]
    fn zdbs_text_is_read_with_its_metadata() {
        let Histogram::Blocks(blocks) = parse(ZTEST).unwrap() else {
            panic!("no blocks");
        };
        assert_eq!(blocks.sizes.len(), 16);
        assert_eq!((blocks.sizes[0].up_to, blocks.sizes[0].count), (512, 867.0));
        // ztest has no files and no volumes: all is metadata, 1.17M in 1165 blocks, of which 30 are in their pointers.
        let metadata = blocks.metadata.unwrap();
        assert_eq!(metadata.count.round(), 1135.0);
        let all: f64 = blocks.sizes.iter().map(|s| s.bytes).sum();
        assert!((all / metadata.bytes - 1.0).abs() < 0.01, "{all} {}", metadata.bytes);
    }

    #[test]
    fn files_and_volumes_are_not_metadata() {
        let text = "Blocks\tLSIZE\tPSIZE\tASIZE\t  avg\t comp\t%Total\tType\n 100\t 1M\t 1M\t 1M\t 1K\t 1.0\t 1.0\t    L1 ZFS plain file\n 900\t 9M\t 8M\t 9M\t 1K\t 1.0\t 9.0\t    L0 ZFS plain file\n1000\t10M\t 9M\t10M\t 1K\t 1.0\t10.0\tZFS plain file\n   5\t40K\t40K\t40K\t 8K\t 1.0\t 1.0\tzvol object\n  45\t 2M\t984K\t 2M\t 1K\t 1.0\t 1.0\tDMU dnode\n1050\t11M\t10M\t11M\t 1K\t 1.0\t100.00\tTotal\n";
        let found = metadata(text).unwrap();
        assert_eq!(found.count, 145.0);
        assert_eq!(found.bytes, f64::from(2 << 20) - 40960.0);
    }

    #[test]
    fn metadata_is_no_difference_of_two_rounded_numbers() {
        let text = "2.41M 38.6G 8.10G 24.3G 10.1K 4.77 0.04 DMU dnode\n2.50M 320G 26.1G 78.3G 31.3K 12.26 0.14 L1 ZFS plain file\n326M 40.5T 40.0T 54.9T 172K 1.01 99.80 L0 ZFS plain file\n328M 40.8T 40.1T 55.0T 172K 1.02 99.94 ZFS plain file\n331M 40.9T 40.2T 55.0T 170K 1.02 100.00 Total\n5M 400G 35G 102G 20K 11.0 0.18 Metadata Total\n";
        let found = metadata(text).unwrap();
        assert!((found.bytes / (34.2 * f64::from(1 << 30)) - 1.0).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn a_table_of_files_may_have_a_head_suffixes_and_bytes() {
        let text = "size,count,bytes\n# counted by find\n4K,10,20000\n1M,2,2M\n";
        let Histogram::Files(sizes) = parse(text).unwrap() else {
            panic!("no files");
        };
        assert_eq!((sizes[0].up_to, sizes[0].count, sizes[0].bytes), (4096, 10.0, 20_000.0));
        assert_eq!(parse("4096,3\n").unwrap().total().bytes, 12_288.0);
    }

    #[test]
    fn what_cannot_be_read_is_named_by_its_line() {
        assert_eq!(parse("4K,10\nfour,10\n").unwrap_err().line, 2);
        assert_eq!(parse("4K,10,1G\n").unwrap_err().line, 1);
        for text in ["", "size,count\n", "Block Size Histogram\n", "1,0\n", "\u{0}\u{1}"] {
            assert!(parse(text).is_err(), "{text:?}");
        }
    }
}
