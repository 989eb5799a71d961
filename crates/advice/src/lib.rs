//! Audit and tuning rules, each with its reason and source.
//!
//! [`system::System`] is what is known of a machine or a lab, each value with the place it was
//! read from; [`audit`] finds pitfalls in it, [`tune`] chooses settings for it. Nothing here does
//! I/O: texts come in, findings and files go out.

pub mod audit;
pub mod format;
pub mod raid_card;
pub mod setting;
pub mod source;
pub mod system;
pub mod tune;
