//! Properties of the pool.

use super::choice::{Choice, Need};
use crate::setting::Target;
use crate::source::Document;

/// The sector, for a pool that is still to be made.
pub fn ashift(need: &Need) -> Option<Choice> {
    let known = need.pool().and_then(|pool| pool.get("ashift")).map(|p| p.value.as_str());
    let built = need.pool().is_some_and(|pool| pool.status.is_some());
    if built || known.is_some_and(|value| value != "0") {
        return None;
    }
    let choice = Choice::new(
        Target::Pool(need.pool_name().to_string()),
        "ashift",
        12,
        (
            "It is fixed when a vdev is created. 4K is right for every drive sold today, also for those that report 512 bytes.",
            "创建 vdev 时固定。4K 对今天出售的任何盘都合适，自称 512 字节的也一样。",
        ),
    );
    Some(
        choice
            .source(Document::HongKong, "ashift=12")
            .source(Document::ZpoolProps, "ashift")
            .lab("hk-ashift"),
    )
}

/// TRIM as space becomes free, from 2.2 on: before, each round of it closes transaction groups.
pub fn autotrim(need: &Need) -> Option<Choice> {
    if need.release().is_some_and(|release| release < (2, 2)) {
        return None;
    }
    (need.flash() == Some(true)).then(|| {
        Choice::new(
            Target::Pool(need.pool_name().to_string()),
            "autotrim",
            "on",
            ("SSDs learn which space is free. If it disturbs latency, leave it off and run `zpool trim` at night.", "让 SSD 知道哪些空间已空闲。若影响延迟，就关掉它，夜间运行 `zpool trim`。"),
        )
        .source(Document::HongKong, "databases, autotrim=on")
        .source(Document::ZpoolProps, "autotrim")
    })
}
