//! Several campaigns: two compared, one beside a published table, many in a row.

mod compare;
mod history;

pub use compare::{Change, Comparison, Named, Published, Unmeasured, against_published, compare};
pub use history::{History, Step, history};
