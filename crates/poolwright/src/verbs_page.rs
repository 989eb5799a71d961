//! The page of docs/reference/ that is generated from the command line.

use clap_markdown::MarkdownOptions;
use std::path::Path;

#[test]
fn the_page_of_verbs_is_that_of_the_command_line() {
    let options = MarkdownOptions::new().title("Verbs".to_owned()).show_footer(false);
    let text = clap_markdown::help_markdown_command_custom(&crate::command(), &options);
    let text = format!(
        "<!-- Written by UPDATE_DOCS=1 cargo test -p poolwright --lib verbs -->\n\n{}\n",
        text.trim()
    );
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/verbs.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    assert!(
        std::fs::read_to_string(&path).unwrap() == text,
        "docs/reference/verbs.md is out of date: run UPDATE_DOCS=1 cargo test -p poolwright --lib verbs"
    );
}
