//! The kernel's NFS server.

use super::choice::{Choice, Need, settings};
use crate::setting::Target;
use crate::source::Document;

settings! {
    export(need) => Choice::new(Target::Exports, &need.mountpoint(), "CLIENTS(rw,sync,no_subtree_check)")
        .source(Document::Exports, "sync, no_subtree_check").lab("hk-sync-slog"),
    why: "With sync, a COMMIT returns when the data is stable; async acknowledges before, whatever the dataset's properties are. Replace CLIENTS.",
    why_zh: "用 sync 时，COMMIT 在数据落盘后才应答；async 则不管数据集怎么设都提前确认。请替换 CLIENTS。";

    threads(need) => Choice::new(Target::Nfs, "threads", need.cores.saturating_mul(8).clamp(16, 256))
        .source(Document::Practice, "nfs.conf(5), section nfsd"),
    why: "A thread waits for each commit: eight threads per core keep the pool's queues full; the default of 8 (16 in new versions) does not.",
    why_zh: "每次提交都有一个线程在等：每核八个线程能使存储池的队列保持充满，默认的 8 个（新版本 16 个）不行。";
}
