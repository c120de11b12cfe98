//! The first of many lines; JSON has all.

/// Where the rest is.
pub const MORE_IN_JSON: &str = "--json has them";

/// At most `most` lines, then the number of the rest.
pub fn first_lines(
    lines: impl ExactSizeIterator<Item = String>,
    most: usize,
    indent: &str,
) -> String {
    let more = lines.len().saturating_sub(most);
    lines.take(most).collect::<String>() + &and_more(more, indent)
}

/// How many more there are; nothing where these are all.
pub fn and_more(more: usize, indent: &str) -> String {
    if more == 0 { String::new() } else { format!("{indent}and {more} more: {MORE_IN_JSON}\n") }
}
