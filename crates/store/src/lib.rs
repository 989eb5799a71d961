//! Content-addressed trials. A trial is stored under the hash of its inputs: a campaign resumes from the
//! stored trials, and two stores merge by union.
//!
//! ```text
//! <store>/
//!   trials/<2 digits>/<key>/
//!     inputs.json    what the trial was computed from; its BLAKE3 hash is the key (`b3sum inputs.json`)
//!     result.json    what came of it, the same bytes on every host
//!     run.json       when, where and how long it ran: no part of the key or of the result
//!     raw/           outputs of the programs
//!   failed/<key>/    the same, of a trial that failed last; it is run again by the next run
//!   planned/<key>.json   inputs of trials that are planned, for `poolwright trial KEY`
//!   states/<2 digits>/<key>/   a pool state: what drives hold when a trial begins, made again when it is gone
//!   running/<key>/       a trial at work, moved to its place when it is done
//!   running/<key>.lock   held by the process that runs it
//!   damaged/             trials whose files did not fit their key, moved out of the way
//!   campaigns/<lab>/<UTC time>-<8 digits>.json   a campaign: the resolved lab and the keys of its trials
//!   crash-states/<key>.jsonl   crash states of `poolwright powercut`, one a line
//!   reports/<lab>/       the newest report of a lab: findings.json, report.html, report.md, report.csv
//! ```
//!
//! A trial appears in `trials/` by one rename, complete. A run can be killed at any moment.

mod campaign;
mod error;
mod files;
mod key;
mod lock;
mod merge;
mod place;
mod states;
mod trials;

pub use campaign::{CampaignRecord, Entry};
pub use error::Error;
pub use key::Key;
pub use merge::Merged;
pub use place::{default_path, is_former};
pub use states::{KEPT, MOST, NewImage, State};
pub use trials::{Found, Run, Running, Store, result_bytes};
