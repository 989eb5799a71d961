//! Pool states: the contents of drives at the start of a trial, shared by all trials that start with them.

use crate::files::{self, create_above, directories, list, remove_directory, write, write_json};
use crate::lock::Lock;
use crate::trials::INPUTS;
use crate::{Error, Key, Store};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

const ABOUT: &str = "state.json";
/// The image of the drives, in the directory of a state and of the machine that makes it.
const IMAGE: &str = "image";
/// Bytes of an image that are read at once.
const BUFFER: usize = 1 << 20;

/// Bytes of pool states that a store keeps when no run is at work.
pub const KEPT: u64 = 1 << 30;
/// Bytes of pool states that a store has at the most while a run is at work.
pub const MOST: u64 = 16 << 30;

/// A pool state.
#[derive(Debug)]
pub struct State {
    /// The image of the drives. It stays readable when the state is removed.
    pub image: File,
    /// The value that was passed to [`Store::store_state`].
    pub outcome: Value,
}

/// The description that is stored beside an image.
#[derive(Debug, Serialize, Deserialize)]
struct About {
    image: Sum,
    outcome: Value,
}

/// Length and hash of an image.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Sum {
    bytes: u64,
    blake3: String,
}

impl Sum {
    fn new(hasher: &blake3::Hasher) -> Sum {
        Sum { bytes: hasher.count(), blake3: hasher.finalize().to_hex().to_string() }
    }

    /// That of a file; none where `stop` ended it before its end, or it cannot be read.
    fn of_file(mut file: &File, stop: &dyn Fn() -> bool) -> Option<Sum> {
        file.rewind().ok()?;
        let mut hasher = blake3::Hasher::new();
        let mut buffer = vec![0; BUFFER];
        while !stop() {
            match file.read(&mut buffer).ok()? {
                0 => {
                    file.rewind().ok()?;
                    return Some(Sum::new(&hasher));
                }
                bytes => hasher.update(&buffer[..bytes]),
            };
        }
        None
    }
}

/// An image that is being written.
pub struct NewImage<'a> {
    file: File,
    hasher: blake3::Hasher,
    stop: &'a dyn Fn() -> bool,
}

impl<'a> NewImage<'a> {
    /// An empty one, in the directory of the machine that made the state. It takes no more bytes from when `stop` becomes
    /// true.
    ///
    /// # Errors
    /// What the file system says.
    pub fn create(directory: &Path, stop: &'a dyn Fn() -> bool) -> io::Result<NewImage<'a>> {
        let file = File::create(directory.join(IMAGE))?;
        Ok(NewImage { file, hasher: blake3::Hasher::new(), stop })
    }
}

impl Write for NewImage<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if (self.stop)() {
            return Err(io::Error::other("stopped"));
        }
        let written = self.file.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Store {
    fn states(&self) -> PathBuf {
        self.path().join("states")
    }

    fn state_path(&self, key: &Key) -> PathBuf {
        self.states().join(&key.as_str()[..2]).join(key.as_str())
    }

    /// A pool state; none where there is none, or where its files do not fit its key or each other. With
    /// `stop` the image's hash is also checked, which reads all of it; none where `stop` becomes true meanwhile.
    pub fn state(&self, key: &Key, stop: Option<&dyn Fn() -> bool>) -> Option<State> {
        let directory = self.state_path(key);
        let inputs = fs::read(directory.join(INPUTS)).ok()?;
        let about_path = directory.join(ABOUT);
        let about: About = files::parse(&about_path).ok()?;
        let image = File::open(directory.join(IMAGE)).ok()?;
        let whole = Key::from_inputs(&inputs) == *key
            && image.metadata().ok()?.len() == about.image.bytes
            && stop.is_none_or(|stop| Sum::of_file(&image, stop).as_ref() == Some(&about.image));
        // When it was last used. Without it the state only goes earlier.
        let used = File::options().append(true).open(&about_path);
        let _ = used.and_then(|file| file.set_modified(SystemTime::now()));
        whole.then_some(State { image, outcome: about.outcome })
    }

    /// Stores a pool state, whole: the directory of the machine that made it, with its image, and the outcome that
    /// the machine reported. Another process may have stored it meanwhile: both are the same.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn store_state(
        &self,
        key: &Key,
        inputs: &[u8],
        outcome: Value,
        directory: &Path,
        image: &NewImage,
    ) -> Result<(), Error> {
        let image = Sum::new(&image.hasher);
        write_json(&directory.join(ABOUT), &About { image, outcome })?;
        write(&directory.join(INPUTS), inputs)?;
        let place = self.state_path(key);
        // What a kill leaves of a state that is removed is no state.
        remove_directory(&place)?;
        create_above(&place)?;
        match fs::rename(directory, &place) {
            Err(e) if e.kind() == ErrorKind::DirectoryNotEmpty => remove_directory(directory),
            renamed => renamed.map_err(Error::io("write", &place)),
        }
    }

    /// Removes pool states, those that were used longest ago first, until the others take at most `most`
    /// bytes.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn trim_states(&self, most: u64) -> Result<(), Error> {
        let mut states = Vec::new();
        for digits in directories(&self.states())? {
            for directory in directories(&digits)? {
                // Another process may remove it at this moment.
                let about = |name: &str| fs::metadata(directory.join(name)).ok();
                let used = about(ABOUT).and_then(|about| about.modified().ok());
                let bytes = about(IMAGE).map_or(0, |about| about.blocks() * 512);
                states.push((used, directory, bytes));
            }
        }
        states.sort();
        let mut all: u64 = states.iter().map(|(_, _, bytes)| bytes).sum();
        for (_, directory, bytes) in states {
            if all <= most {
                break;
            }
            remove_directory(&directory)?;
            all -= bytes;
        }
        Ok(())
    }

    /// Removes pool states beyond [`KEPT`] at the end of a run, unless another process uses this store; that
    /// one does it at its own end.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn tidy_states(&self) -> Result<(), Error> {
        for path in list(&self.path().join("running"))? {
            if path.extension().is_some_and(|e| e == "lock") && Lock::take(&path)?.is_none() {
                return Ok(());
            }
        }
        self.trim_states(KEPT)
    }
}
