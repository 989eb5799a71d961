//! Properties of the pool.

use super::choice::{Bilingual, Choice, Need, settings};
use crate::setting::Target;
use crate::source::Document;

fn on(need: &Need, name: &str, value: impl ToString, reason: Bilingual) -> Choice {
    Choice::new(Target::Pool(need.pool_name().to_string()), name, value, reason)
}

/// Whether the pool is still to be made, and nobody states its sector.
fn lacks_ashift(need: &Need) -> bool {
    need.pool().is_none_or(|pool| {
        pool.status.is_none() && pool.get("ashift").is_none_or(|stated| stated.value == "0")
    })
}

settings! {
    ashift(need) if lacks_ashift(need) => on(need, "ashift", 12)
        .source(Document::HongKong, "ashift=12").source(Document::ZpoolProps, "ashift").lab("hk-ashift"),
    why: "It is fixed when a vdev is created. 4K is right for every drive sold today, also for those that report 512 bytes.",
    why_zh: "创建 vdev 时固定。4K 对今天出售的任何盘都合适，自称 512 字节的也一样。";

    /// From 2.2 on: before, each round of TRIM closes transaction groups.
    autotrim(need) if need.release().is_none_or(|release| release >= (2, 2)) && need.flash() == Some(true)
        => on(need, "autotrim", "on")
            .source(Document::HongKong, "databases, autotrim=on").source(Document::ZpoolProps, "autotrim"),
    why: "SSDs learn which space is free. If automatic TRIM raises latency, leave autotrim off and run `zpool trim` at night.",
    why_zh: "让 SSD 知道哪些空间已空闲。若影响延迟，就关掉它，夜间运行 `zpool trim`。";
}
