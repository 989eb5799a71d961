//! The writer of HTML and SVG: the only ways to put a string on the page escape it.
//!
//! Why not a template engine: most of the page is charts and tables computed from data, both
//! languages are written side by side, and an element that is opened here cannot stay open.

use std::fmt::{self, Display, Write};
use text::Language;
use text::line::{ISOLATE, is_hidden, visible, visible_char};

#[derive(Debug, Default)]
pub struct Markup {
    out: String,
    in_svg: bool,
}

/// A start tag under construction; finish it with [`Tag::empty`], [`Tag::text`], [`Tag::each`] or
/// [`Tag::inside`].
#[must_use]
pub struct Tag<'a> {
    markup: &'a mut Markup,
    name: &'static str,
}

impl Markup {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn into_string(self) -> String {
        self.out
    }

    pub fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// Markup that was written apart, at the end of this.
    pub fn append(&mut self, other: Markup) {
        self.out.push_str(&other.out);
    }

    pub fn tag(&mut self, name: &'static str) -> Tag<'_> {
        self.out.push('<');
        self.out.push_str(name);
        Tag { markup: self, name }
    }

    /// The head of a table, one row.
    pub fn table_head(&mut self, cells: impl FnOnce(&mut Markup)) {
        self.tag("thead").inside(|m| m.tag("tr").inside(cells));
    }

    /// Text, escaped.
    pub fn text(&mut self, text: impl Display) {
        let _ = write!(Escape { out: &mut self.out }, "{text}");
    }

    /// Text from outside (names, titles): escaped, and kept from re-ordering its surroundings.
    pub fn foreign(&mut self, text: &str) {
        let text = visible(text);
        if self.in_svg {
            self.text(text);
        } else {
            self.tag("bdi").text(text);
        }
    }

    /// A phrase in every language of the page; the style sheet shows one of them.
    pub fn say(&mut self, phrase: impl Fn(Language) -> String) {
        let element = if self.in_svg { "tspan" } else { "span" };
        let all = Language::ALL.map(|language| (language, phrase(language)));
        if all.iter().all(|(_, words)| *words == all[0].1) {
            return self.text(&all[0].1);
        }
        for (language, words) in all {
            self.tag(element).attr("lang", language.tag()).text(words);
        }
    }

    /// An element for each item that holds one phrase in every language.
    pub fn say_each<T>(
        &mut self,
        name: &'static str,
        items: impl IntoIterator<Item = T>,
        phrase: impl Fn(Language, &T) -> String,
    ) {
        for item in items {
            self.tag(name).say(|language| phrase(language, &item));
        }
    }

    /// Text of our own that is markup already: the doctype, the style sheet, the script.
    pub fn own(&mut self, markup: &'static str) {
        self.out.push_str(markup);
    }

    /// JSON for a `<script type="application/json">`: `<`, `>`, `&` and hidden characters become
    /// JSON escapes, so that no string in it can end the element or start a comment.
    pub fn json(&mut self, json: &str) {
        let special = |c| matches!(c, '<' | '>' | '&') || is_hidden(c);
        let mut rest = json;
        while let Some(at) = rest.find(special) {
            let (before, after) = rest.split_at(at);
            self.out.push_str(before);
            let mut chars = after.chars();
            if let Some(c) = chars.next() {
                let _ = write!(self.out, "\\u{:04x}", c as u32);
            }
            rest = chars.as_str();
        }
        self.out.push_str(rest);
    }
}

impl Tag<'_> {
    /// Adds an attribute, its value escaped.
    pub fn attr(self, name: &'static str, value: impl Display) -> Self {
        self.markup.out.push(' ');
        self.markup.out.push_str(name);
        self.markup.out.push_str("=\"");
        let _ = write!(Escape { out: &mut self.markup.out }, "{value}");
        self.markup.out.push('"');
        self
    }

    pub fn class(self, value: impl Display) -> Self {
        self.attr("class", value)
    }

    /// An element without content.
    pub fn empty(self) {
        self.markup.out.push_str(if self.markup.in_svg { "/>" } else { ">" });
    }

    /// An element that holds text only.
    pub fn text(self, text: impl Display) {
        self.inside(|m| m.text(text));
    }

    /// An element that holds one phrase in every language.
    pub fn say(self, phrase: impl Fn(Language) -> String) {
        self.inside(|m| m.say(phrase));
    }

    /// An element that holds an element of its own for each item.
    pub fn each<T>(
        self,
        name: &'static str,
        items: impl IntoIterator<Item = T>,
        content: impl Fn(&mut Markup, T),
    ) {
        self.inside(|m| {
            for item in items {
                m.tag(name).inside(|m| content(m, item));
            }
        });
    }

    /// An element with content.
    pub fn inside(self, content: impl FnOnce(&mut Markup)) {
        let Tag { markup, name } = self;
        let outer = markup.in_svg;
        markup.in_svg = outer || name == "svg";
        markup.out.push('>');
        content(markup);
        markup.out.push_str("</");
        markup.out.push_str(name);
        markup.out.push('>');
        markup.in_svg = outer;
    }
}

struct Escape<'a> {
    out: &'a mut String,
}

impl fmt::Write for Escape<'_> {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        let plain = |b: u8| b.is_ascii_alphanumeric() || b" .,-+:;/%_=()[]#\n".contains(&b);
        if s.bytes().all(plain) {
            self.out.push_str(s);
            return Ok(());
        }
        for c in s.chars() {
            match c {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                '"' => self.out.push_str("&quot;"),
                '\'' => self.out.push_str("&#39;"),
                c if ISOLATE.contains(&c) => self.out.push(c),
                c => visible_char(self.out, c),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_attributes_cannot_become_markup() {
        let mut m = Markup::new();
        m.tag("p")
            .attr("title", "\"><script>alert(1)</script>")
            .text("a < b && c > 'd' ]]>\u{202e}");
        let page = m.into_string();
        assert_eq!(
            page,
            "<p title=\"&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;\">\
             a &lt; b &amp;&amp; c &gt; &#39;d&#39; ]]&gt;⟨U+202E⟩</p>"
        );
    }

    #[test]
    fn embedded_json_cannot_end_its_element_and_still_reads_back() {
        let hostile = serde_json::to_string("</script><!--&").unwrap();
        let mut m = Markup::new();
        m.json(&hostile);
        let written = m.into_string();
        assert!(!written.contains('<'));
        assert_eq!(serde_json::from_str::<String>(&written).unwrap(), "</script><!--&");
    }
}
