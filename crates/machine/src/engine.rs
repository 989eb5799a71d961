//! The engine: a kernel, OpenZFS modules and their tools, built by `make engine` and kept in the user's
//! cache directory.

use measurement::{Counter, DriveCounter};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Version of what the first process inside does with a script, and of what it samples. It is part of every trial's key:
/// raise the number when the same script would give other results. A new counter raises it by itself.
pub const GUEST: u32 = 10 + (Counter::NAMED.len() + DriveCounter::NAMED.len() - COUNTERS) as u32;
/// The counters that there were at that number: whoever raises it writes the present ones here.
const COUNTERS: usize = 65;
/// Name of the file that describes an engine.
const MANIFEST: &str = "manifest.json";
/// The permission of all users to write.
const WRITABLE_BY_ALL: u32 = 0o002;
/// Environment variable that names an engine's directory.
pub const VARIABLE: &str = "POOLWRIGHT_ENGINE";

/// What is in an engine's directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the kernel.
    pub linux: String,
    /// Hash of everything that kernel and driver were built from, drive models included.
    pub key: String,
    /// Release line (`2.4`) → the build.
    pub openzfs: BTreeMap<String, OpenZfs>,
}

/// One release of OpenZFS.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenZfs {
    /// Full version: `2.4.4`.
    pub version: String,
    /// Hash of its sources, patches and tools.
    pub key: String,
}

/// An engine that is built.
#[derive(Debug, Clone)]
pub struct Engine {
    /// Its directory.
    pub directory: PathBuf,
    /// What is in it.
    pub manifest: Manifest,
}

/// Why there is no engine.
#[derive(Debug, thiserror::Error)]
pub enum Missing {
    /// None was built.
    #[error(
        "no engine in {0}: run `make engine` in a checkout of Poolwright, or set POOLWRIGHT_ENGINE to the directory of one"
    )]
    NotBuilt(PathBuf),
    /// It cannot be read.
    #[error(
        "the engine in {path} cannot be used: {why}: remove that directory and run `make engine`"
    )]
    Damaged {
        /// Its directory.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// It has no such release.
    #[error("the engine in {path} has OpenZFS {have}, not {wanted}: run `make engine` again")]
    Release {
        /// Its directory.
        path: PathBuf,
        /// The releases it has.
        have: String,
        /// The one asked for.
        wanted: String,
    },
    /// Somebody else can change it.
    #[error(
        "the engine in {0} belongs to another user or can be written to by all: if it is yours, run `chmod o-w {0}`; else run `make engine` for one of your own, or set POOLWRIGHT_ENGINE={0} to use it"
    )]
    Untrusted(PathBuf),
    /// Its path ends a word of the kernel's command line.
    #[error(
        "the path of the engine in {0} contains a space, which the command line of a kernel cannot hold: set XDG_CACHE_HOME to a path without one and run `make engine`"
    )]
    Blank(PathBuf),
}

/// The directory of engines: `$XDG_CACHE_HOME/poolwright/engine`, `~/.cache/poolwright/engine`, or one of
/// this user below the directory for temporary files.
pub fn cache() -> PathBuf {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    match (variable("XDG_CACHE_HOME"), variable("HOME")) {
        (Some(cache), _) => PathBuf::from(cache).join("poolwright/engine"),
        (None, Some(home)) => PathBuf::from(home).join(".cache/poolwright/engine"),
        (None, None) => {
            let user = rustix::process::getuid().as_raw();
            std::env::temp_dir().join(format!("poolwright-{user}/engine"))
        }
    }
}

/// Whether a path would end a word of a kernel's command line.
pub(crate) fn has_space(path: &Path) -> bool {
    path.as_os_str().as_bytes().iter().any(u8::is_ascii_whitespace)
}

/// Whether only this user, root and the owner of the running program can change what is in a directory.
fn is_trusted(directory: &Path, program: &Path) -> bool {
    let owner = |path: &Path| fs::metadata(path).map(|of| of.uid()).ok();
    let users = [Some(rustix::process::geteuid().as_raw()), Some(0), owner(program)];
    fs::metadata(directory)
        .is_ok_and(|of| of.mode() & WRITABLE_BY_ALL == 0 && users.contains(&Some(of.uid())))
}

/// The engine of the checkout that a program was built in. An installed program has none, whatever is beside it:
/// `/usr/local/bin/poolwright` takes no `/usr/local/engine`.
fn of_checkout(program: &Path) -> Option<PathBuf> {
    // target/release/poolwright and target/release/deps/test-0123.
    let mut near = program.ancestors().skip(2).take(2);
    let target = near.find(|directory| directory.ends_with("target"))?;
    Some(target.join("engine")).filter(|engine| engine.join(MANIFEST).exists())
}

impl Engine {
    /// The engine that `POOLWRIGHT_ENGINE` names, the one of the checkout that this program was built in
    /// (`target/engine`), or the one that was built last.
    ///
    /// # Errors
    /// That there is none, or what is wrong with it.
    pub fn find() -> Result<Engine, Missing> {
        if let Some(directory) = std::env::var_os(VARIABLE).filter(|value| !value.is_empty()) {
            return Engine::open(Path::new(&directory));
        }
        let program = std::env::current_exe().unwrap_or_default();
        let found = of_checkout(&program).unwrap_or_else(|| cache().join("current"));
        let engine = Engine::open(&found)?;
        match is_trusted(&engine.directory, &program) {
            true => Ok(engine),
            false => Err(Missing::Untrusted(engine.directory)),
        }
    }

    /// The engine in a directory.
    ///
    /// # Errors
    /// That there is none, or what is wrong with it.
    pub fn open(directory: &Path) -> Result<Engine, Missing> {
        let Ok(directory) = fs::canonicalize(directory) else {
            return Err(Missing::NotBuilt(directory.to_owned()));
        };
        if has_space(&directory) {
            return Err(Missing::Blank(directory));
        }
        let damaged = |why: String| Missing::Damaged { path: directory.clone(), why };
        let text =
            fs::read(directory.join(MANIFEST)).map_err(|e| damaged(format!("{MANIFEST}: {e}")))?;
        let manifest: Manifest =
            serde_json::from_slice(&text).map_err(|e| damaged(format!("{MANIFEST}: {e}")))?;
        let engine = Engine { manifest, directory: directory.clone() };
        let needed = |path: PathBuf| match path.exists() {
            true => Ok(()),
            false => Err(damaged(format!("{} is missing", path.display()))),
        };
        needed(engine.kernel())?;
        for release in engine.manifest.openzfs.keys() {
            needed(engine.module(release, "spl"))?;
            needed(engine.module(release, "zfs"))?;
            needed(engine.tools(release).join("sbin/zpool"))?;
        }
        Ok(engine)
    }

    /// The same engine as a machine sees it: its paths are those inside.
    pub fn inside(&self) -> Engine {
        Engine { directory: PathBuf::from(crate::ENGINE), manifest: self.manifest.clone() }
    }

    /// The kernel, an ordinary program.
    pub fn kernel(&self) -> PathBuf {
        self.directory.join("linux")
    }

    /// A release's build.
    ///
    /// # Errors
    /// That the engine does not have it.
    pub fn openzfs(&self, release: &str) -> Result<&OpenZfs, Missing> {
        self.manifest.openzfs.get(release).ok_or_else(|| Missing::Release {
            path: self.directory.clone(),
            have: self.manifest.openzfs.keys().cloned().collect::<Vec<_>>().join(", "),
            wanted: release.to_owned(),
        })
    }

    /// The file of a release's kernel module: `spl` or `zfs`.
    pub fn module(&self, release: &str, name: &str) -> PathBuf {
        self.release(release).join(format!("{name}.ko"))
    }

    /// The directory of a release's tools: `sbin` with the programs, `lib` with all their libraries.
    pub fn tools(&self, release: &str) -> PathBuf {
        self.release(release).join("tools")
    }

    fn release(&self, release: &str) -> PathBuf {
        // Another build of the release has a directory of its own, so that a running campaign keeps the one that it began
        // with.
        let key = self.manifest.openzfs.get(release).map_or("", |of| of.key.as_str());
        self.directory.join(format!("openzfs-{release}-{key}"))
    }

    /// How each tool of a release is started: by its own loader, with its own libraries.
    pub fn programs(&self, release: &str) -> BTreeMap<String, Vec<String>> {
        let tools = self.tools(release);
        let text = |path: PathBuf| path.to_string_lossy().into_owned();
        ["zpool", "zfs", "zdb"]
            .into_iter()
            .map(|name| {
                let argv = vec![
                    text(tools.join("lib/ld-linux-x86-64.so.2")),
                    "--library-path".to_owned(),
                    text(tools.join("lib")),
                    text(tools.join("sbin").join(name)),
                ];
                (name.to_owned(), argv)
            })
            .collect()
    }

    /// What tells this engine's results with a release from those of others: all that can change a result,
    /// without paths or times.
    ///
    /// # Errors
    /// That the engine does not have the release.
    pub fn identity(&self, release: &str) -> Result<String, Missing> {
        let OpenZfs { version, key: zfs } = self.openzfs(release)?;
        let Manifest { linux, key, .. } = &self.manifest;
        Ok(format!("guest {GUEST} engine {key} linux {linux} openzfs {version} {zfs}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    fn engine(directory: &Path) {
        let manifest = Manifest {
            linux: "7.2.12".into(),
            key: "aa".into(),
            openzfs: BTreeMap::from([(
                "2.4".to_owned(),
                OpenZfs { version: "2.4.4".into(), key: "bb".into() },
            )]),
        };
        let release = directory.join("openzfs-2.4-bb");
        fs::create_dir_all(release.join("tools/sbin")).unwrap();
        let empty = [
            "linux", "openzfs-2.4-bb/spl.ko", "openzfs-2.4-bb/zfs.ko",
            "openzfs-2.4-bb/tools/sbin/zpool",
        ];
        for file in empty {
            fs::write(directory.join(file), "").unwrap();
        }
        fs::write(directory.join(MANIFEST), serde_json::to_vec(&manifest).unwrap()).unwrap();
    }

    #[test]
    fn an_engine_is_opened_and_names_what_is_missing() {
        let directory = tempfile::tempdir().unwrap();
        let nowhere = directory.path().join("nowhere");
        let message = Engine::open(&nowhere).unwrap_err().to_string();
        assert!(message.contains("make engine"), "{message}");
        engine(directory.path());
        let found = Engine::open(directory.path()).unwrap();
        assert_eq!(found.openzfs("2.4").unwrap().version, "2.4.4");
        let message = found.openzfs("2.3").unwrap_err().to_string();
        assert!(message.contains("has OpenZFS 2.4, not 2.3"), "{message}");
        fs::remove_file(directory.path().join("openzfs-2.4-bb/zfs.ko")).unwrap();
        let message = Engine::open(directory.path()).unwrap_err().to_string();
        assert!(message.contains("zfs.ko is missing"), "{message}");
    }

    #[test]
    fn the_engine_of_a_checkout_is_in_its_target_and_nowhere_else() {
        let place = tempfile::tempdir().unwrap();
        for root in ["checkout/target", "usr/local"] {
            engine(&place.path().join(root).join("engine"));
        }
        let of = |program: &str| of_checkout(&place.path().join(program));
        let own = Some(place.path().join("checkout/target/engine"));
        assert_eq!(of("checkout/target/release/poolwright"), own);
        assert_eq!(of("checkout/target/debug/deps/test-0123"), own);
        assert_eq!(of("usr/local/bin/poolwright"), None);
        assert_eq!(of("usr/local/lib/poolwright/poolwright"), None);
    }

    #[test]
    fn an_engine_that_nobody_named_is_not_run_where_others_can_change_it() {
        let directory = tempfile::tempdir().unwrap();
        let mode = |mode| fs::set_permissions(directory.path(), Permissions::from_mode(mode));
        mode(0o755).unwrap();
        assert!(is_trusted(directory.path(), Path::new("/nowhere")));
        mode(0o777).unwrap();
        assert!(!is_trusted(directory.path(), Path::new("/nowhere")));
    }

    #[test]
    fn a_path_with_a_space_is_refused_with_what_to_do() {
        let directory = tempfile::tempdir().unwrap();
        let blank = directory.path().join("my cache");
        engine(&blank);
        let message = Engine::open(&blank).unwrap_err().to_string();
        assert!(
            message.contains("contains a space") && message.contains("XDG_CACHE_HOME"),
            "{message}"
        );
    }

    #[test]
    fn an_identity_has_no_path_of_the_host() {
        let directory = tempfile::tempdir().unwrap();
        engine(directory.path());
        let engine = Engine::open(directory.path()).unwrap();
        assert_eq!(
            engine.identity("2.4").unwrap(),
            "guest 10 engine aa linux 7.2.12 openzfs 2.4.4 bb"
        );
    }
}
