//! Samba.

use super::choice::{Bilingual, Choice, Need, settings};
use crate::setting::Target;
use crate::source::Document;

fn set(name: &'static str, value: &str, reason: Bilingual) -> Choice {
    Choice::new(Target::Samba, name, value, reason).source(Document::SmbConf, name)
}

settings! {
    strict_sync(_) => set("strict sync", "yes"),
    why: "A client that requests a flush gets one, which makes a log vdev useful to SMB. It is the default since 4.7.",
    why_zh: "客户端请求刷盘时就执行刷盘，日志 vdev 因此才对 SMB 有用。自 4.7 起是默认值。";

    sync_always(_) => set("sync always", "no").lab("hk-smb-slog"),
    why: "Clients request flushes where they need them; a flush after every write costs a commit each.",
    why_zh: "客户端在需要时会请求刷盘；若每次写后都刷盘，每次写都要多一次提交。";

    store_dos_attributes(_) => set("store dos attributes", "yes"),
    why: "They are stored as an extended attribute, which xattr=sa puts into the dnode.",
    why_zh: "DOS 属性以扩展属性保存，xattr=sa 把它放进 dnode。";
}
