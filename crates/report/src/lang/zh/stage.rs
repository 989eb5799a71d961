//! Names of the stages of an operation in simplified Chinese.

use crate::lang::name;

/// What an operation does in a stage.
pub fn what(operation: &str, stage: &str) -> String {
    match (operation, stage) {
        (_, "throttle") => "在写节流中等待".into(),
        (_, "range_lock") => "等待同一区间的另一个写入者".into(),
        ("write", "record_read") => "先读出记录的其余部分".into(),
        (_, "record_read") => "读取记录".into(),
        (_, "log_write") => "写意图日志".into(),
        (_, "log_flush") => "对存放意图日志的盘执行缓存刷写（flush）".into(),
        (_, "commit") => "在日志 I/O 之外等待提交".into(),
        (_, "work") => "OpenZFS 自身的处理".into(),
        (_, "reply") => "交还应答".into(),
        (_, other) => name(other),
    }
}

/// The operation that a stage belongs to.
pub fn operation(operation: &str) -> String {
    match operation {
        "read" => "读".into(),
        "write" => "写".into(),
        "fsync" => "fsync".into(),
        "setattr" => "改属性".into(),
        "name" => "改目录项".into(),
        "ask" => "查询目录项或属性".into(),
        other => name(other),
    }
}
