//! JSON that remembers its lines and survives being cut off.
//!
//! serde_json gives no positions and nothing of a truncated document; evidence needs both.

use crate::{At, Problem, excerpt};

/// Objects and lists nest at most this deep; the tools read here stay under 12.
const DEPTH: usize = 64;

/// A JSON value and the line it begins on.
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    pub kind: Kind,
    /// The line it begins on, from 1.
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    Null,
    Bool(bool),
    /// A number, as written.
    Number(String),
    Text(String),
    List(Vec<Value>),
    /// An object, in the order written.
    Map(Vec<(String, Value)>),
}

impl Value {
    /// The member `key` of an object.
    pub fn get(&self, key: &str) -> Option<&Value> {
        match &self.kind {
            Kind::Map(members) => members.iter().find(|(name, _)| name == key).map(|(_, v)| v),
            _ => None,
        }
    }

    /// The member at the end of a path of keys.
    pub fn at(&self, path: &[&str]) -> Option<&Value> {
        path.iter().try_fold(self, |value, key| value.get(key))
    }

    /// The elements of a list; none for anything else.
    pub fn items(&self) -> &[Value] {
        match &self.kind {
            Kind::List(items) => items,
            _ => &[],
        }
    }

    /// The members of an object; none for anything else.
    pub fn members(&self) -> &[(String, Value)] {
        match &self.kind {
            Kind::Map(members) => members,
            _ => &[],
        }
    }

    /// The elements of the list at the end of a path of keys; none where there is no list.
    pub fn items_at(&self, path: &[&str]) -> &[Value] {
        self.at(path).map_or(&[][..], Value::items)
    }

    /// The text at the end of a path of keys, see [`Value::text`].
    pub fn text_at(&self, path: &[&str]) -> Option<At<String>> {
        self.at(path).and_then(Value::text)
    }

    /// A string, trimmed, or a number or boolean as written; none for an empty string, `null`, a
    /// list or an object.
    pub fn text(&self) -> Option<At<String>> {
        let text = match &self.kind {
            Kind::Text(text) => text.trim().to_string(),
            Kind::Number(number) => number.clone(),
            Kind::Bool(true) => "true".to_string(),
            Kind::Bool(false) => "false".to_string(),
            Kind::Null | Kind::List(_) | Kind::Map(_) => return None,
        };
        (!text.is_empty()).then(|| At::new(text, self.line))
    }

    /// A whole number, also one written as a string.
    pub fn whole(&self) -> Option<At<u64>> {
        let whole = |number: &f64| (0.0..1.8e19).contains(number) && number.fract() == 0.0;
        self.text()?.read(|text| {
            let rounded = || text.parse().ok().filter(whole).map(|number| number as u64);
            text.parse().ok().or_else(rounded)
        })
    }

    /// A boolean, also one written as `"0"`, `"1"`, `0`, `1` (lsblk before util-linux 2.33).
    pub fn flag(&self) -> Option<At<bool>> {
        let value = match &self.kind {
            Kind::Bool(value) => *value,
            Kind::Number(n) | Kind::Text(n) if n == "0" => false,
            Kind::Number(n) | Kind::Text(n) if n == "1" => true,
            _ => return None,
        };
        Some(At::new(value, self.line))
    }
}

/// Every JSON object or list in a text, in order, the problems, and what stands between them (prompts, log lines) on the
/// lines where it stood. A document that is cut off yields what was read of it and a problem.
pub fn documents(text: &str) -> (Vec<Value>, Vec<Problem>, String) {
    let mut reader = Reader { text, at: 0, line: 1, problems: Vec::new() };
    let mut found = Vec::new();
    let mut outside = String::new();
    let mut from = 0;
    while reader.skip_to_document() {
        let begin = reader.at;
        if let Some(value) = reader.value(0) {
            found.push(value);
        }
        outside.push_str(&text[from..begin]);
        from = reader.at;
        if !reader.problems.is_empty() {
            // After an error the place in the text is unknown: going on would misread.
            return (found, reader.problems, outside);
        }
        outside.extend(text[begin..from].matches('\n'));
    }
    outside.push_str(&text[from..]);
    (found, reader.problems, outside)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        if c == '\n' {
            self.line = self.line.saturating_add(1);
        }
        Some(c)
    }

    /// The next character where it `fits`; else it stays the next.
    fn next_if(&mut self, fits: impl FnOnce(char) -> bool) -> Option<char> {
        self.peek().filter(|c| fits(*c))?;
        self.next()
    }

    fn skip_blank(&mut self) {
        while self.next_if(char::is_whitespace).is_some() {}
    }

    /// A document begins at `{`, or at `[` as the first character of its line.
    fn skip_to_document(&mut self) -> bool {
        let mut line_start = self.at == 0;
        while let Some(c) = self.peek() {
            if c == '{' || (c == '[' && line_start) {
                return true;
            }
            line_start = c == '\n' || (line_start && c.is_whitespace());
            self.next();
        }
        false
    }

    fn problem(&mut self, what: String) {
        if self.problems.is_empty() {
            self.problems.push(Problem::new(self.line, what));
        }
    }

    fn unexpected(&mut self, wanted: &str) {
        match self.peek() {
            None => {
                self.problem(format!("the JSON ends where {wanted} is expected: paste all of it"))
            }
            Some(_) => {
                let rest = self.text.get(self.at..).unwrap_or("");
                let rest = excerpt(rest.lines().next().unwrap_or(""));
                self.problem(format!("expected {wanted} in the JSON, found {rest:?}"));
            }
        }
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        self.skip_blank();
        let line = self.line;
        let kind = match self.peek() {
            Some('{') if depth < DEPTH => {
                Kind::Map(self.several('}', |reader| reader.member(depth + 1)))
            }
            Some('[') if depth < DEPTH => {
                Kind::List(self.several(']', |reader| reader.value(depth + 1)))
            }
            Some('"') => Kind::Text(self.string()?),
            Some('-' | '0'..='9') => Kind::Number(self.word()),
            Some('a'..='z') => match self.word().as_str() {
                "true" => Kind::Bool(true),
                "false" => Kind::Bool(false),
                "null" | "nan" => Kind::Null,
                _ => {
                    self.unexpected("true, false or null");
                    return None;
                }
            },
            _ => {
                self.unexpected("a value");
                return None;
            }
        };
        Some(Value { kind, line })
    }

    /// Items between commas, from an opening bracket to `close` or to an error.
    fn several<T>(&mut self, close: char, read: impl Fn(&mut Self) -> Option<T>) -> Vec<T> {
        let mut items = Vec::new();
        self.next();
        self.skip_blank();
        if self.next_if(|c| c == close).is_some() {
            return items;
        }
        while let Some(item) = read(self) {
            items.push(item);
            if !self.problems.is_empty() || !self.comma_or(close) {
                break;
            }
        }
        items
    }

    fn member(&mut self, depth: usize) -> Option<(String, Value)> {
        self.skip_blank();
        if self.peek() != Some('"') {
            self.unexpected("a key");
            return None;
        }
        let key = self.string()?;
        self.skip_blank();
        if self.next_if(|c| c == ':').is_none() {
            self.unexpected("a colon");
            return None;
        }
        Some((key, self.value(depth)?))
    }

    /// True after a comma; false after `close` or an error.
    fn comma_or(&mut self, close: char) -> bool {
        self.skip_blank();
        let found = self.next_if(|c| c == ',' || c == close);
        if found.is_none() {
            self.unexpected(&format!("a comma or {close:?}"));
        }
        found == Some(',')
    }

    fn word(&mut self) -> String {
        let mut word = String::new();
        let in_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.');
        while let Some(c) = self.next_if(in_word) {
            word.push(c);
        }
        word
    }

    fn string(&mut self) -> Option<String> {
        self.next();
        let mut out = String::new();
        while let Some(c) = self.next() {
            match c {
                '"' => return Some(out),
                '\\' => match self.next() {
                    Some('n') => out.push('\n'),
                    Some('t') => out.push('\t'),
                    Some('r') => out.push('\r'),
                    Some('b') => out.push('\u{8}'),
                    Some('f') => out.push('\u{c}'),
                    Some('u') => out.push(self.unicode()),
                    Some(c) => out.push(c),
                    None => {}
                },
                c => out.push(c),
            }
        }
        self.unexpected("the end of a string");
        None
    }

    /// Four hex digits; a surrogate or a bad digit becomes U+FFFD.
    fn unicode(&mut self) -> char {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.next_if(|c| c.is_ascii_hexdigit()).and_then(|c| c.to_digit(16));
            let Some(digit) = digit else { return char::REPLACEMENT_CHARACTER };
            code = code * 16 + digit;
        }
        char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_know_their_lines() {
        let (found, problems, _) = documents("$ lsblk -J\n{\n  \"a\": [1,\n    \"x\\u00e9\"]\n}\n");
        assert!(problems.is_empty());
        let list = found[0].get("a").unwrap();
        assert_eq!(list.items()[0].whole(), Some(At::new(1, 3)));
        assert_eq!(list.items()[1].text(), Some(At::new("xé".to_string(), 4)));
    }

    #[test]
    fn a_cut_document_keeps_what_came_before_the_cut() {
        let (found, problems, _) = documents("{\"a\": {\"b\": 7, \"c\": \"hal");
        assert_eq!(found[0].at(&["a", "b"]).unwrap().whole().unwrap().value, 7);
        assert!(problems[0].what.starts_with("the JSON ends"), "{:?}", problems[0]);
    }

    #[test]
    fn several_documents_in_one_text_are_all_read() {
        let (found, problems, _) = documents("{\"a\":1}\n# next drive\n{\"a\":2}");
        assert!(problems.is_empty());
        assert_eq!(found.len(), 2);
        assert_eq!(found[1].get("a").unwrap().line, 3);
    }

    #[test]
    fn nesting_is_bounded() {
        let (_, problems, _) = documents(&"[".repeat(100_000));
        assert_eq!(problems.len(), 1);
    }
}
