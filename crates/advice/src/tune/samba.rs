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
            "A client that requests a flush gets one, which makes a log vdev useful to SMB. It is the default since 4.7.",
            "客户端请求刷盘时就执行刷盘，日志 vdev 因此才对 SMB 有用。自 4.7 起是默认值。",
        ),
    ))
}

/// Whether every write is flushed.
pub fn sync_always(_: &Need) -> Option<Choice> {
    Some(set("sync always", "no", ("Clients request flushes where they need them; a flush after every write costs a commit each.", "客户端在需要时会请求刷盘；每次写后都刷盘，每次都要一次提交。")).lab("hk-smb-slog"))
}

/// DOS attributes in extended attributes.
pub fn store_dos_attributes(_: &Need) -> Option<Choice> {
    Some(set(
        "store dos attributes",
        "yes",
        (
            "They are stored as an extended attribute, which xattr=sa puts into the dnode.",
            "以扩展属性保存，xattr=sa 把它放进 dnode。",
        ),
    ))
}
