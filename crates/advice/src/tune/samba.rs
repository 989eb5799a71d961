//! Samba.

use super::choice::{Choice, Need, Target};
use crate::source::Document;

/// Every setting of Samba here.
pub const SETTINGS: &[fn(&Need) -> Option<Choice>] =
    &[strict_sync, sync_always, store_dos_attributes];

fn set(name: &'static str, value: &str, reason: &str) -> Choice {
    Choice::new(Target::Samba, name, value, reason).from(Document::SmbConf, name)
}

/// Whether a client's flush is obeyed.
pub fn strict_sync(_: &Need) -> Option<Choice> {
    Some(set(
        "strict sync",
        "yes",
        "A client that asks for a flush gets one. It is what makes a log vdev useful to SMB, and the default since 4.7.",
    ))
}

/// Whether every write is flushed.
pub fn sync_always(_: &Need) -> Option<Choice> {
    Some(set("sync always", "no", "Clients ask for flushes where they need them; after every write they would cost a commit each.").lab("hk-smb-slog"))
}

/// DOS attributes in extended attributes.
pub fn store_dos_attributes(_: &Need) -> Option<Choice> {
    Some(set(
        "store dos attributes",
        "yes",
        "Kept as an extended attribute, which xattr=sa puts into the dnode.",
    ))
}
