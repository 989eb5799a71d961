//! Samba.

use super::choice::{Bilingual, Choice, Need};
use crate::setting::Target;
use crate::source::Document;

/// Every setting of Samba here.
pub const SETTINGS: &[fn(&Need) -> Option<Choice>] =
    &[strict_sync, sync_always, store_dos_attributes];

fn set(name: &'static str, value: &str, reason: Bilingual) -> Choice {
    Choice::new(Target::Samba, name, value, reason).source(Document::SmbConf, name)
}

/// Whether a client's flush is obeyed.
pub fn strict_sync(_: &Need) -> Option<Choice> {
    Some(set(
        "strict sync",
        "yes",
        (
            "A client that asks for a flush gets one. It is what makes a log vdev useful to SMB, and the default since 4.7.",
            "客户端要求刷写就真的刷写。正因如此日志 vdev 才对 SMB 有用；自 4.7 起是默认值。",
        ),
    ))
}

/// Whether every write is flushed.
pub fn sync_always(_: &Need) -> Option<Choice> {
    Some(set("sync always", "no", ("Clients ask for flushes where they need them; after every write they would cost a commit each.", "客户端在需要时要求刷写；每次写后都刷，就每次付出一次提交。")).lab("hk-smb-slog"))
}

/// DOS attributes in extended attributes.
pub fn store_dos_attributes(_: &Need) -> Option<Choice> {
    Some(set(
        "store dos attributes",
        "yes",
        (
            "Kept as an extended attribute, which xattr=sa puts into the dnode.",
            "以扩展属性保存，xattr=sa 把它放进 dnode。",
        ),
    ))
}
