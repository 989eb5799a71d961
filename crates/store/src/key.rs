//! The hash that names a trial. What is hashed: the inputs of `bench` (`bench::inputs`).

use std::fmt;

/// The key of a trial: BLAKE3 of its inputs, 64 lower-case hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(String);

impl Key {
    /// The key of the trial with these inputs.
    pub fn from_inputs(inputs: &[u8]) -> Key {
        Key(blake3::hash(inputs).to_hex().to_string())
    }

    /// A key from its 64 digits; none from anything else.
    pub fn parse(text: &str) -> Option<Key> {
        let whole = text.len() == 64 && is_hexadecimal(text);
        whole.then(|| Key(text.to_owned()))
    }

    /// All digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first 12 digits, for people.
    pub fn short(&self) -> &str {
        &self.0[..12]
    }
}

/// Whether a text has only digits that a key may have.
pub(crate) fn is_hexadecimal(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Key;

    #[test]
    fn a_key_is_the_blake3_hash_of_the_inputs() {
        // The test vector of length 0 of the BLAKE3 specification (test_vectors.json).
        let empty = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";
        assert_eq!(Key::from_inputs(b"").as_str(), empty);
        assert_eq!(Key::parse(empty), Some(Key::from_inputs(b"")));
    }

    #[test]
    fn a_path_is_not_a_key() {
        for text in ["", "../x", &"A".repeat(64), &"a".repeat(63)] {
            assert_eq!(Key::parse(text), None, "{text}");
        }
    }
}
