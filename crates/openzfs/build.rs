//! Links Debian's static libzpool with a leaf vdev, a clock and a few functions of our own.
//!
//! `libzpool.a` is copied and changed with binutils, never patched in source: `vdev_file.o` is left
//! out (the shim's disk.c takes its place), the C library's clock and sleep calls and `sysconf` are
//! renamed to the shim's, three functions of `arc_os.o` are made weak, and a few calls of one function by one
//! member go through the shim ([`CALLS`]): a sync is timed, the L2ARC's feed waits, disks are told of what was
//! freed. Module parameters are found in the library's own symbol table.
//!
//! `POOLWRIGHT_OPENZFS` names the tree that holds `include/libzfs` and `lib/…/libzpool.a`; `/usr` by
//! default, an unpacked Debian package's `usr` for a version beside the system's.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const RENAMED: &[&str] = &[
    "clock_gettime",
    "gettimeofday",
    "nanosleep",
    "poll",
    "pthread_cond_timedwait",
    "sysconf",
];
/// Calls of one function by one member that the shim takes over: (member, function, the shim's).
const CALLS: &[(&str, &str, &str)] = &[
    ("txg.o", "spa_sync", "pw_spa_sync"),
    ("arc.o", "cv_timedwait", "pw_feed_wait"),
    ("vdev.o", "metaslab_sync_done", "pw_metaslab_sync_done"),
];
/// Private variables that the shim reads; a version that has none of the name is left as it is.
const GLOBAL: &[&str] = &["zil_sums_global"];
const WEAK: &[&str] = &["arc_available_memory", "arc_free_memory", "arc_all_memory"];
const SHIM: &[&str] = &[
    "clock", "counters", "disk", "file", "fs", "intent", "library", "names", "pool",
];
const TUNABLE_PREFIXES: &[&str] = &[
    "zfs_",
    "zil_",
    "l2arc_",
    "metaslab_",
    "spa_",
    "dbuf_",
    "dmu_",
    "zio_",
    "vdev_",
    "zap_",
    "zstd_",
    "ddt_",
    "send_",
    "icp_",
];

/// Module parameters that the shim itself defines: (name, bytes).
const OWN: &[(&str, u32)] = &[("zfs_immediate_write_sz", 8)];

fn main() {
    println!("cargo:rerun-if-env-changed=POOLWRIGHT_OPENZFS");
    println!("cargo:rerun-if-changed=shim");
    if env::var_os("CARGO_FEATURE_ENGINE").is_none() {
        return;
    }
    let tree = Tree::find();
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    let library = tree.adapt(&out);
    let symbols = Symbols::of(&library, tree.number());
    let generated = out.join("tunables.c");
    fs::write(&generated, symbols.tunables(&tree.version)).expect("OUT_DIR is writable");
    tree.compile(&generated, symbols.debug);
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-lib=static:-bundle=pw_zpool");
    for name in ["zfs_core", "nvpair"] {
        let archive = tree.lib.join(format!("lib{name}.a"));
        fs::copy(&archive, out.join(format!("libpw_{name}.a")))
            .unwrap_or_else(|e| fail(&format!("{} cannot be copied: {e}", archive.display())));
        println!("cargo:rustc-link-lib=static:-bundle=pw_{name}");
    }
    for name in [
        "tirpc", "uuid", "blkid", "udev", "z", "crypto", "m", "rt", "pthread",
    ] {
        println!("cargo:rustc-link-lib={name}");
    }
}

fn fail(what: &str) -> ! {
    eprintln!(
        "\nopenzfs: {what}\nopenzfs: run `make engine`, which installs what the engine needs"
    );
    std::process::exit(1)
}

fn run(program: &str, args: &[&str]) -> String {
    match Command::new(program).args(args).output() {
        Ok(o) if o.status.success() => String::from_utf8_lossy(&o.stdout).into_owned(),
        Ok(o) => fail(&format!(
            "{program} failed: {}",
            String::from_utf8_lossy(&o.stderr).trim()
        )),
        Err(e) => fail(&format!(
            "{program} cannot be run ({e}); it is in the package binutils"
        )),
    }
}

fn text(path: &Path) -> &str {
    path.to_str()
        .unwrap_or_else(|| fail(&format!("{} is not UTF-8", path.display())))
}

/// An installed or unpacked development package of OpenZFS.
struct Tree {
    root: PathBuf,
    lib: PathBuf,
    version: String,
}

impl Tree {
    fn find() -> Tree {
        let root =
            PathBuf::from(env::var("POOLWRIGHT_OPENZFS").unwrap_or_else(|_| "/usr".to_owned()));
        let lib = [
            "lib/x86_64-linux-gnu",
            "lib/aarch64-linux-gnu",
            "lib64",
            "lib",
        ]
        .iter()
        .map(|d| root.join(d))
        .find(|d| d.join("libzpool.a").exists())
        .unwrap_or_else(|| fail(&format!("no libzpool.a below {}", root.display())));
        println!(
            "cargo:rerun-if-changed={}",
            lib.join("libzpool.a").display()
        );
        let pc = lib.join("pkgconfig/libzfs.pc");
        let version = fs::read_to_string(&pc)
            .ok()
            .and_then(|t| {
                t.lines()
                    .find_map(|l| l.strip_prefix("Version:").map(|v| v.trim().to_owned()))
            })
            .unwrap_or_else(|| fail(&format!("{} does not tell the version", pc.display())));
        Tree { root, lib, version }
    }

    /// The version as the shim tests it: 201 for 2.1, 203 for 2.3.
    fn number(&self) -> u32 {
        let mut parts = self
            .version
            .split('.')
            .map(|p| p.parse::<u32>().unwrap_or(0));
        let number = parts.next().unwrap_or(0) * 100 + parts.next().unwrap_or(0);
        if ![201, 203].contains(&number) {
            fail(&format!(
                "OpenZFS {} is not supported; 2.1 and 2.3 are",
                self.version
            ));
        }
        number
    }

    fn adapt(&self, out: &Path) -> PathBuf {
        let library = out.join("libpw_zpool.a");
        fs::copy(self.lib.join("libzpool.a"), &library)
            .unwrap_or_else(|e| fail(&format!("libzpool.a cannot be copied: {e}")));
        let members = run("ar", &["t", text(&library)]);
        let member = |name: &str| {
            members
                .lines()
                .find(|m| *m == name || m.ends_with(&format!("-{name}")))
                .unwrap_or_else(|| fail(&format!("libzpool.a has no member {name}")))
                .to_owned()
        };
        run("ar", &["d", text(&library), &member("vdev_file.o")]);
        for (name, from, to) in CALLS {
            let member = member(name);
            let object = out.join(&member);
            fs::write(&object, archived(&library, &member)).expect("OUT_DIR is writable");
            let both = format!("{from}={to}");
            run("objcopy", &["--redefine-sym", &both, text(&object)]);
            run("ar", &["r", text(&library), text(&object)]);
        }
        let mut args: Vec<String> = Vec::new();
        for name in RENAMED {
            args.extend(["--redefine-sym".into(), format!("{name}=pw_{name}")]);
        }
        for name in WEAK {
            args.push(format!("--weaken-symbol={name}"));
        }
        for name in GLOBAL {
            args.push(format!("--globalize-symbol={name}"));
        }
        args.push(text(&library).to_owned());
        run(
            "objcopy",
            &args.iter().map(String::as_str).collect::<Vec<_>>(),
        );
        library
    }

    fn compile(&self, generated: &Path, debug: bool) {
        let mut build = cc::Build::new();
        for define in [
            "_GNU_SOURCE",
            "_REENTRANT",
            "_LARGEFILE64_SOURCE",
            "HAVE_MAKEDEV_IN_SYSMACROS",
        ] {
            build.define(define, None);
        }
        build.define("_FILE_OFFSET_BITS", "64");
        build.define("PW_ZFS", self.number().to_string().as_str());
        if debug {
            // Structures differ with DEBUG: the shim must agree with the library.
            build.define("DEBUG", None).define("ZFS_DEBUG", None);
        } else {
            build.define("NDEBUG", None);
        }
        build.include("shim").include("shim/compat");
        if self.number() >= 203 {
            build.include("shim/compat-2.3");
        }
        for dir in ["include/libspl", "include/libzfs", "include/libzpool"] {
            build.include(self.root.join(dir));
        }
        for name in SHIM {
            build.file(format!("shim/{name}.c"));
        }
        build
            .file(generated)
            .std("gnu99")
            .flag("-fno-strict-aliasing")
            .flag_if_supported("-Wno-unused-function")
            .flag_if_supported("-Wno-unused-parameter")
            .flag_if_supported("-Wno-sign-compare")
            .flag_if_supported("-Wno-type-limits")
            .flag_if_supported("-Wno-missing-field-initializers")
            .flag_if_supported("-Wno-override-init")
            .opt_level(2)
            .debug(true);
        // Linked whole: the library calls back into it.
        build.compile("pw_shim");
    }
}

fn archived(library: &Path, member: &str) -> Vec<u8> {
    match Command::new("ar")
        .args(["p", text(library), member])
        .output()
    {
        Ok(o) if o.status.success() => o.stdout,
        _ => fail(&format!(
            "{member} cannot be read from {}",
            library.display()
        )),
    }
}

/// What the library's symbol table says.
struct Symbols {
    /// Exported variables of the size of an integer: (name, bytes).
    variables: Vec<(String, u32)>,
    /// Built with ZFS_DEBUG.
    debug: bool,
}

impl Symbols {
    fn of(library: &Path, number: u32) -> Symbols {
        let mut variables = Vec::new();
        let mut debug = false;
        for line in run("nm", &["-S", "--defined-only", text(library)]).lines() {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let [_, size, kind, name] = fields[..] else {
                continue;
            };
            // Reference counts are functions only where they are tracked, that is, with DEBUG.
            debug |= name == "zfs_refcount_create_tracked";
            let size = u32::from_str_radix(size, 16).unwrap_or(0);
            if matches!(kind, "D" | "B")
                && matches!(size, 4 | 8)
                && TUNABLE_PREFIXES.iter().any(|p| name.starts_with(p))
            {
                variables.push((name.to_owned(), size));
            }
        }
        variables.extend(OWN.iter().map(|(name, size)| ((*name).to_owned(), *size)));
        if number >= 203 {
            variables.push(("zfs_dio_enabled".to_owned(), 4));
        }
        variables.sort();
        variables.dedup();
        Symbols { variables, debug }
    }

    fn tunables(&self, version: &str) -> String {
        let mut c = String::from(
            "#include <errno.h>\n#include <stdint.h>\n#include <string.h>\n#include \"shim.h\"\n",
        );
        let _ = writeln!(c, "const char *const pw_library_version = \"{version}\";");
        for (name, _) in &self.variables {
            let _ = writeln!(c, "extern char {name}[];");
        }
        c.push_str(
            "static const struct { const char *name; void *at; unsigned size; } table[] = {\n",
        );
        for (name, size) in &self.variables {
            let _ = writeln!(c, "\t{{ \"{name}\", {name}, {size} }},");
        }
        c.push_str(TUNABLE_ACCESS);
        c
    }
}

const TUNABLE_ACCESS: &str = r#"};
int
pw_tunable_set(const char *name, int64_t value)
{
	for (size_t i = 0; i < sizeof (table) / sizeof (table[0]); i++) {
		if (strcmp(table[i].name, name) != 0)
			continue;
		if (table[i].size == 8) {
			memcpy(table[i].at, &value, 8);
			return (0);
		}
		if (value < INT32_MIN || value > UINT32_MAX)
			return (ERANGE);
		uint32_t narrow = (uint32_t)value;
		memcpy(table[i].at, &narrow, 4);
		return (0);
	}
	return (ENOENT);
}
int
pw_tunable_get(const char *name, int64_t *value)
{
	for (size_t i = 0; i < sizeof (table) / sizeof (table[0]); i++) {
		if (strcmp(table[i].name, name) != 0)
			continue;
		int32_t narrow;
		if (table[i].size == 8) {
			memcpy(value, table[i].at, 8);
		} else {
			memcpy(&narrow, table[i].at, 4);
			*value = narrow;
		}
		return (0);
	}
	return (ENOENT);
}
"#;
