//! The programs that can be clients, one folder each.

pub mod fio;
