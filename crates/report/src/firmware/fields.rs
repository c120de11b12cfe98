//! How addresses, sizes and tables of entries are written in every section.

use nearfar_model::Bytes;
use nearfar_terminal::table::{Align, Table};

/// A table of lines under titles, with a sentence above it; nothing where there is no line.
pub(super) fn table<const N: usize>(
    title: &str,
    heads: [&str; N],
    aligns: [Align; N],
    lines: Vec<[String; N]>,
) -> String {
    if lines.is_empty() {
        return String::new();
    }
    // A column in which no line has anything tells nothing.
    let filled: Vec<usize> = (0..N).filter(|&column| lines.iter().any(|line| !line[column].is_empty())).collect();
    let mut table = Table::default();
    table.line(filled.iter().map(|&column| heads[column]));
    for line in lines {
        table.line(line.into_iter().enumerate().filter(|(column, _)| filled.contains(column)).map(|(_, text)| text));
    }
    let aligns: Vec<Align> = filled.iter().map(|&column| aligns[column]).collect();
    format!("{title}\n{}", table.text(&aligns))
}

/// "0x100000000".
pub(super) fn hex(number: impl Into<u64>) -> String {
    format!("{:#x}", number.into())
}

/// "16 GiB".
pub(super) fn size(bytes: impl Into<u64>) -> String {
    Bytes(bytes.into()).to_string()
}

/// The last address of a range, or what is wrong with it.
pub(super) fn last_address(base: u64, size: u64) -> String {
    match size.checked_sub(1).map(|size| base.checked_add(size)) {
        None => "empty".to_owned(),
        Some(None) => "beyond 64 bits".to_owned(),
        Some(Some(last)) => hex(last),
    }
}

/// What is told, or a dash.
pub(super) fn or_dash(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

/// The words that hold, in a list: "hot-pluggable, non-volatile".
pub(super) fn words(words: &[(bool, &str)]) -> String {
    let holding: Vec<&str> = words.iter().filter(|(holds, _)| *holds).map(|(_, word)| *word).collect();
    holding.join(", ")
}
