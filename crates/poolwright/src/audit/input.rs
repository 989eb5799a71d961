//! Files, standard input and labs as texts.

use crate::lab_file::LabFile;
use advice::system::{Heading, Input, System, heading, variants};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Texts longer than this are refused: no tool's output is.
const LONGEST: u64 = 64 << 20;

/// The inputs that the command line names.
pub struct AuditInput {
    /// Texts of tools and configuration files.
    pub texts: Vec<Input>,
    /// Labs, each as its variants.
    pub labs: Vec<Vec<(String, System)>>,
}

/// How many texts there are. Texts with headings count one by one.
pub fn count_texts(inputs: &[Input]) -> usize {
    let begins = |row: &&str| heading(row).is_some_and(|heading| heading != Heading::Prompt);
    let texts = |input: &Input| input.text.lines().filter(begins).count().max(1);
    inputs.iter().map(texts).sum()
}

/// Reads the inputs that the command line names. `piped`: the command to which texts can be piped.
pub fn read(names: &[String], piped: &str) -> Result<AuditInput, String> {
    let mut given = AuditInput { texts: Vec::new(), labs: Vec::new() };
    for name in names {
        let path = Path::new(name);
        let text = match name.as_str() {
            "-" => bytes("standard input", std::io::stdin())?,
            _ if path.exists() => {
                bytes(name, File::open(path).map_err(|e| format!("cannot read {name}: {e}"))?)?
            }
            _ => {
                let unknown = || {
                    format!(
                        "{name} is neither a file nor a built-in lab; name a file, or pipe text to `{piped}`"
                    )
                };
                lab::builtin::lab(name).ok_or_else(unknown)?.to_owned()
            }
        };
        if is_lab(&text) {
            given.labs.push(load(name, text)?);
        } else {
            let name = if name == "-" { "<stdin>" } else { name };
            given.texts.push(Input { name: name.to_owned(), text });
        }
    }
    Ok(given)
}

fn bytes(name: &str, from: impl Read) -> Result<String, String> {
    let mut read = Vec::new();
    from.take(LONGEST + 1)
        .read_to_end(&mut read)
        .map_err(|e| format!("cannot read {name}: {e}"))?;
    if read.len() as u64 > LONGEST {
        return Err(format!("{name} is larger than 64 MiB; pass only the part that matters"));
    }
    // Serial numbers are not always UTF-8.
    Ok(String::from_utf8_lossy(&read).into_owned())
}

/// Whether a text is a lab: it names a pool's vdevs in TOML.
fn is_lab(text: &str) -> bool {
    let rows = || text.lines().map(str::trim);
    rows().any(|row| row == "[pool]") && rows().any(|row| row.starts_with("vdevs"))
}

fn load(name: &str, text: String) -> Result<Vec<(String, System)>, String> {
    let file = LabFile::with_text(name, text);
    match file.load(false) {
        Ok(loaded) => Ok(variants(&loaded.campaign, name, &file.text)),
        Err((mistakes, _)) => {
            let first = mistakes.first().map_or_else(String::new, |m| m.message.clone());
            Err(format!("{name}: {first}; `poolwright check {name}` lists all mistakes"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lab_is_known_by_its_content() {
        assert!(is_lab("title = \"x\"\n[pool]\nvdevs = \"mirror a b\"\n"));
        assert!(!is_lab("  pool: tank\n state: ONLINE\n"));
    }

    #[test]
    fn what_is_neither_file_nor_lab_names_the_command_that_was_given() {
        for piped in ["poolwright audit -", "poolwright tune SERVER --pool -"] {
            let wrong = read(&["not-there.txt".to_owned()], piped).err().unwrap();
            assert!(wrong.ends_with(&format!("or pipe text to `{piped}`")), "{wrong}");
        }
    }

    #[test]
    fn each_file_joined_by_tail_counts_as_one_text() {
        let text = "==> a <==\nx\n\n==> b <==\ny\n".to_string();
        assert_eq!(count_texts(&[Input { name: "p".into(), text }]), 2);
    }
}
