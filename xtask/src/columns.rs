//! Lines of Rust and of shell scripts, and comments of TOML, are at most 100 columns.
//!
//! rustfmt leaves what it cannot break: long strings, macros of HTML and JSON, comments. A raw
//! string may be longer, because its text is another program's.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{anyhow, ensure};
use proc_macro2::{TokenStream, TokenTree};

use crate::sources::read;

const MAX_COLUMNS: usize = 100;

/// Checks all of these files.
pub(crate) fn check(root: &Path, files: &[PathBuf]) -> anyhow::Result<()> {
    let mut breaches = Vec::new();
    for file in files {
        let name = file.strip_prefix(root).unwrap_or(file).display();
        let text = read(file)?;
        let lines = match file.extension().and_then(OsStr::to_str) {
            Some("rs") => wide_lines(&text).map_err(|why| anyhow!("{name} is no Rust: {why}"))?,
            Some("toml") => wide(&text, has_comment),
            _ => wide(&text, |_| true),
        };
        breaches.extend(lines.iter().map(|line| format!("{name}:{line}")));
    }
    let all = breaches.join("\n  ");
    ensure!(breaches.is_empty(), "lines of more than {MAX_COLUMNS} columns:\n  {all}");
    Ok(())
}

/// The numbers, from 1, of lines that are too wide and pass the filter.
fn wide(text: &str, filter: impl Fn(&str) -> bool) -> Vec<usize> {
    let too_wide = |line: &str| line.chars().count() > MAX_COLUMNS;
    let numbered = (1..).zip(text.lines()).filter(|(_, line)| too_wide(line) && filter(line));
    numbered.map(|(number, _)| number).collect()
}

/// Whether a line of TOML has a comment: values need no wrapping.
fn has_comment(line: &str) -> bool {
    line.split('"').step_by(2).any(|outside| outside.contains('#'))
}

/// The lines of Rust that are too wide.
fn wide_lines(text: &str) -> Result<Vec<usize>, proc_macro2::LexError> {
    let mut wide = wide(text, |_| true);
    if !wide.is_empty() {
        let mut raw = BTreeSet::new();
        collect_raw_strings(TokenStream::from_str(text)?, &mut raw);
        wide.retain(|number| !raw.contains(number));
    }
    Ok(wide)
}

/// The lines on which a raw string stands.
fn collect_raw_strings(tokens: TokenStream, lines: &mut BTreeSet<usize>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => collect_raw_strings(group.stream(), lines),
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                if text.trim_start_matches('b').starts_with('r') {
                    let span = literal.span();
                    lines.extend(span.start().line..=span.end().line);
                }
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{has_comment, wide, wide_lines};

    #[test]
    fn wide_code_and_comments_are_found_and_raw_strings_are_not() {
        let (wide, fits) = ("x".repeat(101), "x".repeat(94));
        let text = format!(
            "fn f() {{\n    // {wide}\n    g(\"{fits}\");\n    g(\"{wide}\");\n    \
             g!(r\"{wide}\");\n    g(r#\"{wide}\n{wide}\"#);\n}}\n"
        );
        assert_eq!(wide_lines(&text).unwrap(), [2, 3, 4]);
    }

    #[test]
    fn values_of_toml_may_be_wide() {
        let wide_text = "x".repeat(101);
        let text = format!("# {wide_text}\nkey = \"#{wide_text}\"\nkey = \"\" # {wide_text}\n");
        assert_eq!(wide(&text, has_comment), [1, 3]);
        assert_eq!(wide(&text, |_| true), [1, 2, 3]);
    }
}
