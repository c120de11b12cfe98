//! Tables under a title.

use crate::terminal::table::{Align, headed};

/// A table of lines under a title; nothing where there is no line. A head that begins with '>'
/// stands at the right with all below it, as numbers do.
pub fn table<const N: usize>(title: &str, heads: [&str; N], lines: Vec<[String; N]>) -> String {
    if lines.is_empty() {
        return String::new();
    }
    // A column without entries is left out.
    let filled: Vec<usize> =
        (0..N).filter(|&column| lines.iter().any(|line| !line[column].is_empty())).collect();
    let align =
        |&column: &usize| if heads[column].starts_with('>') { Align::Right } else { Align::Left };
    let aligns: Vec<Align> = filled.iter().map(align).collect();
    let head = filled.iter().map(|&column| heads[column].trim_start_matches('>'));
    let lines = lines
        .into_iter()
        .map(|line| line.into_iter().enumerate().filter(|(at, _)| filled.contains(at)));
    let lines = lines.map(|line| line.map(|(_, text)| text));
    format!("{title}\n{}", headed(head, lines, &aligns))
}
