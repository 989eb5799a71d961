//! Commands to the drives of a running machine, as text: what is written to `/proc/drives`.

use std::path::PathBuf;

/// A command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// `fail hdd3`: every request to the drive ends in an error from now on.
    Fail(String),
    /// `save PATH`: writes an index of what the drives hold in memory to a path of the host.
    Save(PathBuf),
    /// `reads PATH`: writes which pages were read of what the drives began with to a path of the host.
    Reads(PathBuf),
}

impl Command {
    /// Reads a command; none when it is none.
    pub fn parse(text: &str) -> Option<Command> {
        let (verb, argument) = text.trim_end_matches('\n').split_once(' ')?;
        if argument.is_empty() {
            return None;
        }
        match verb {
            "fail" => Some(Command::Fail(argument.to_owned())),
            "save" => Some(Command::Save(argument.into())),
            "reads" => Some(Command::Reads(argument.into())),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_have_a_verb_and_an_argument() {
        assert_eq!(Command::parse("fail hdd3\n"), Some(Command::Fail("hdd3".into())));
        assert_eq!(Command::parse("save /tmp/a b"), Some(Command::Save("/tmp/a b".into())));
        assert_eq!(Command::parse("reads pages"), Some(Command::Reads("pages".into())));
        for wrong in ["", "fail", "fail ", "eat hdd0", "record /tmp/a"] {
            assert_eq!(Command::parse(wrong), None, "{wrong:?}");
        }
    }
}
