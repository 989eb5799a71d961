//! Finds the lab that a subcommand names: a file, standard input, or a built-in lab.

use crate::exit::{ENVIRONMENT, Refusal, USAGE};
use crate::{diagnostics, host_resources};
use bench::programs;
use bench::workload::fio::refusals;
use lab::campaign::{Campaign, OpenZfs};
use lab::fio::Mistake;
use lab::model::Model;
use lab::{Diagnostic, Files, NoFiles, Profiles};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A lab's text, and the files that it names.
pub struct LabFile {
    /// Its name as the user gave it.
    pub name: String,
    pub text: String,
    /// A release of OpenZFS instead of the lab's own.
    pub openzfs: Option<OpenZfs>,
    /// Where its files are looked up.
    place: Place,
}

enum Place {
    Builtin,
    Nowhere,
    Directory(PathBuf),
}

/// The texts that diagnostics refer to, by file name.
pub type Sources = BTreeMap<String, String>;

/// A release of OpenZFS, as a command line states it.
pub fn release(text: &str) -> Result<OpenZfs, String> {
    OpenZfs::named(text).ok_or_else(|| {
        let names = OpenZfs::ALL.map(OpenZfs::name);
        format!("name a release line: {}", names.join(" or "))
    })
}

/// Reads a lab: `-` is standard input, an existing path is a file, anything else the name of a
/// built-in lab.
pub fn find(name: &str) -> Result<LabFile, String> {
    let path = Path::new(name);
    let text = match name {
        "-" => read_text(io::stdin()).map_err(|e| unreadable("a lab from standard input", &e))?,
        _ if path.exists() => {
            File::open(path).and_then(read_text).map_err(|e| unreadable(name, &e))?
        }
        _ => lab::builtin::lab(name).ok_or_else(|| unknown(name))?.to_owned(),
    };
    Ok(LabFile::with_text(name, text))
}

fn unknown(name: &str) -> String {
    let known: Vec<&str> = lab::builtin::labs().iter().map(|(name, _)| *name).collect();
    let hint = match lab::diagnostic::nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean the built-in lab `{near}`?"),
        None => format!("name a file, or one of the built-in labs: {}", known.join(", ")),
    };
    format!("there is no lab `{name}`: {hint}")
}

/// Most bytes of a lab or of a file beside it.
const LONGEST: u64 = 4 << 20;

/// Reads a text that is not too long for a lab.
fn read_text(from: impl Read) -> io::Result<String> {
    let mut text = String::new();
    from.take(LONGEST + 1).read_to_string(&mut text)?;
    match text.len() as u64 > LONGEST {
        true => Err(io::Error::other("it has more than 4 MiB, which no lab or job file needs")),
        false => Ok(text),
    }
}

/// Why a lab cannot be read, and what to do.
fn unreadable(what: &str, error: &io::Error) -> String {
    let fix = match error.kind() {
        io::ErrorKind::InvalidData => ": a lab is TOML, which is text in UTF-8",
        io::ErrorKind::IsADirectory => ": name a lab file in it",
        _ => "",
    };
    format!("cannot read {what}: {error}{fix}")
}

/// Files beside a lab, each kept as it was read.
struct Reader<'a> {
    place: &'a Place,
    ask_fio: bool,
    read: RefCell<Sources>,
}

impl Files for Reader<'_> {
    fn read(&self, path: &str) -> Result<String, String> {
        let text = match self.place {
            Place::Builtin => lab::builtin::BuiltinFiles.read(path),
            Place::Nowhere => NoFiles.read(path),
            Place::Directory(directory) => {
                let text = File::open(directory.join(path)).and_then(read_text);
                text.map_err(|e| match e.kind() {
                    std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
                    std::io::ErrorKind::InvalidData => "it is not text".to_owned(),
                    _ => e.to_string(),
                })
            }
        }?;
        self.read.borrow_mut().insert(path.to_owned(), text.clone());
        Ok(text)
    }

    fn beside(&self, path: &str) -> Vec<String> {
        match self.place {
            Place::Builtin => lab::builtin::BuiltinFiles.beside(path),
            Place::Nowhere => Vec::new(),
            Place::Directory(directory) => {
                let folder = Path::new(path).parent().unwrap_or(Path::new(""));
                let entries = std::fs::read_dir(directory.join(folder)).into_iter().flatten();
                let paths = entries.flatten().map(|entry| folder.join(entry.file_name()));
                paths.filter_map(|path| path.to_str().map(str::to_owned)).collect()
            }
        }
    }

    fn program_says(&self, job: &str, rates: bool) -> Vec<Mistake> {
        // Without fio this check is skipped; `run` reports that fio is missing.
        let fio = self.ask_fio.then(|| programs::find("fio")).flatten();
        fio.map(|program| refusals(&program, job, rates)).unwrap_or_default()
    }
}

/// An accepted lab; or all diagnostics, with the texts that they refer to.
pub type Load = Result<Loaded, (Vec<Diagnostic>, Sources)>;

/// An accepted lab.
pub struct Loaded {
    pub campaign: Campaign,
    /// Warnings and notes.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that `diagnostics` points into.
    pub sources: Sources,
}

impl Loaded {
    pub fn draw_diagnostics(&self) {
        diagnostics::draw(&self.diagnostics, &self.sources);
    }

    /// Its scale model. Why there is none has been printed.
    pub fn model(&self) -> Result<Model, Refusal> {
        host_resources::model(&self.campaign).map_err(|diagnostic| {
            diagnostics::draw(&[diagnostic], &self.sources);
            Refusal::silent(ENVIRONMENT)
        })
    }
}

impl LabFile {
    /// A lab whose text was read: of standard input (`-`), an existing file or a built-in lab.
    pub fn with_text(name: &str, text: String) -> LabFile {
        let path = Path::new(name);
        let (name, place) = match name {
            "-" => ("<stdin>".to_owned(), Place::Nowhere),
            _ if path.exists() => {
                let directory = path.parent().unwrap_or(Path::new("")).to_owned();
                (name.to_owned(), Place::Directory(directory))
            }
            _ => (format!("labs/{name}.toml"), Place::Builtin),
        };
        LabFile { name, text, openzfs: None, place }
    }

    /// Resolves it, and may ask fio about its jobs: otherwise no program of this host has a say.
    ///
    /// # Errors
    /// All diagnostics, with the texts that they refer to.
    pub fn load(&self, ask_fio: bool) -> Load {
        let reader = Reader { place: &self.place, ask_fio, read: RefCell::default() };
        let profiles = Profiles::builtin();
        let result = lab::load_on(self.openzfs, &self.name, &self.text, &reader, &profiles);
        let mut sources = reader.read.into_inner();
        sources.insert(self.name.clone(), self.text.clone());
        match result {
            Ok((campaign, diagnostics)) => Ok(Loaded { campaign, diagnostics, sources }),
            Err(diagnostics) => Err((diagnostics, sources)),
        }
    }
}

/// Finds and resolves a lab. On failure every mistake has been printed on standard error, and the exit code
/// is 2. `openzfs` is a release instead of the lab's own.
pub fn load_or_explain(name: &str, openzfs: Option<OpenZfs>) -> Result<(LabFile, Loaded), Refusal> {
    let file = find_with(name, openzfs)?;
    let loaded = explained(file.load(true))?;
    Ok((file, loaded))
}

/// Finds and resolves some labs, side by side: fio takes 0.1 s to start, and is asked about the jobs of each. Warnings are
/// printed in the order of the labs, and the mistakes of the first that has any; then the exit code is 2.
pub fn load_all_or_explain(
    names: &[String],
    openzfs: Option<OpenZfs>,
) -> Result<Vec<(LabFile, Loaded)>, Refusal> {
    let find = |name: &String| find_with(name, openzfs);
    let files: Vec<LabFile> = names.iter().map(find).collect::<Result<_, _>>()?;
    let loads: Vec<Load> = std::thread::scope(|scope| {
        let load = |file| scope.spawn(move || LabFile::load(file, true));
        let threads: Vec<_> = files.iter().map(load).collect();
        let loads = threads.into_iter().map(|thread| thread.join());
        loads.map(|load| load.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    let explained = |(file, load)| {
        let loaded = explained(load)?;
        loaded.draw_diagnostics();
        Ok((file, loaded))
    };
    files.into_iter().zip(loads).map(explained).collect()
}

fn find_with(name: &str, openzfs: Option<OpenZfs>) -> Result<LabFile, Refusal> {
    let file = find(name).map_err(Refusal::usage)?;
    Ok(LabFile { openzfs, ..file })
}

fn explained(load: Load) -> Result<Loaded, Refusal> {
    load.map_err(|(diagnostics, sources)| {
        diagnostics::draw(&diagnostics, &sources);
        Refusal::silent(USAGE)
    })
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn a_file_that_is_not_a_lab_is_refused_with_a_fix() {
        let dir = tempfile::tempdir().unwrap();
        let refused = |path: &std::path::Path| find(&path.display().to_string()).err().unwrap();
        assert!(refused(dir.path()).ends_with(": name a lab file in it"));
        let file = dir.path().join("bytes.toml");
        std::fs::write(&file, [0xFF, 0xFE]).unwrap();
        assert!(refused(&file).ends_with(": a lab is TOML, which is text in UTF-8"));
    }
}
