//! Embeds the repository's profiles/, labs/ and workloads/, so that the program needs no files beside it.
// The library is pure; what builds it reads files.
#![allow(clippy::disallowed_macros, clippy::disallowed_methods)]

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../..");
    let mut code = String::new();
    for (table, folder, extension) in [
        ("PROFILES", "profiles", "toml"),
        ("LABS", "labs", "toml"),
        ("WORKLOADS", "workloads", "fio"),
    ] {
        let folder = root.join(folder);
        println!("cargo:rerun-if-changed={}", folder.display());
        let mut files = Vec::new();
        if folder.is_dir() {
            for entry in fs::read_dir(&folder)? {
                let path = entry?.path();
                if path.extension().is_some_and(|e| e == extension) {
                    files.push(path.canonicalize()?);
                }
            }
        }
        files.sort();
        let _ = writeln!(code, "pub(crate) static {table}: &[(&str, &str)] = &[");
        for file in files {
            let stem = file.file_stem().unwrap_or_default().to_string_lossy();
            let _ = writeln!(code, "    ({stem:?}, include_str!({file:?})),");
        }
        code.push_str("];\n");
    }
    let out = Path::new(&env::var("OUT_DIR").unwrap_or_default()).join("embedded.rs");
    fs::write(out, code)
}
