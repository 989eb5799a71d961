//! Names of the stages of an operation in English.

use crate::lang::name;

/// What an operation does in a stage, as a thing that takes time.
pub fn what(operation: &str, stage: &str) -> String {
    match (operation, stage) {
        (_, "throttle") => "waiting in the write throttle".into(),
        (_, "range_lock") => "waiting for another writer of the same range".into(),
        ("write", "record_read") => "reading the rest of a record first".into(),
        (_, "record_read") => "reading records".into(),
        (_, "log_write") => "writing the intent log".into(),
        (_, "log_flush") => "flushing the drives that hold the intent log".into(),
        (_, "commit") => "waiting for a commit beyond its own log I/O".into(),
        (_, "work") => "OpenZFS’s own work".into(),
        (_, "reply") => "handing back the reply".into(),
        (_, other) => name(other),
    }
}

/// In which operation: `in an fsync`.
pub fn within(name: &str) -> String {
    let article = if name == "fsync" { "an" } else { "a" };
    format!("in {article} {}", operation(name))
}

/// The operation that a stage belongs to.
pub fn operation(operation: &str) -> String {
    match operation {
        "read" => "read".into(),
        "write" => "write".into(),
        "fsync" => "fsync".into(),
        "setattr" => "change of attributes".into(),
        "name" => "change of names".into(),
        "ask" => "look at names or attributes".into(),
        other => name(other),
    }
}
