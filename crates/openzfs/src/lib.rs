//! libzpool: a C shim and a safe Rust interface over a trait for disks.
