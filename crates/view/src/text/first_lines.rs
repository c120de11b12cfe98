//! The first of many lines; JSON has all, and a user can ask for all.

use std::cell::Cell;

/// Where the rest is.
pub const MORE_IN_JSON: &str = "--json has them";

thread_local! {
    static SHOWS_ALL: Cell<bool> = const { Cell::new(false) };
}

/// From now on, this thread's text leaves no line out.
pub fn show_all() {
    SHOWS_ALL.set(true);
}

/// Whether no line is left out.
pub fn shows_all() -> bool {
    SHOWS_ALL.get()
}

/// At most `most` lines, then the number of the rest.
pub fn first_lines(
    lines: impl ExactSizeIterator<Item = String>,
    most: usize,
    indent: &str,
) -> String {
    let most = if shows_all() { usize::MAX } else { most };
    let more = lines.len().saturating_sub(most);
    lines.take(most).collect::<String>() + &and_more(more, indent)
}

/// How many more there are; nothing where these are all.
pub fn and_more(more: usize, indent: &str) -> String {
    if more == 0 { String::new() } else { format!("{indent}and {more} more: {MORE_IN_JSON}\n") }
}

/// The first few of many in one line: "a, b, c and 4 more".
pub fn few(all: &[String]) -> String {
    const MOST: usize = 3;
    let named = all.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
    if all.len() > MOST { format!("{named} and {} more", all.len() - MOST) } else { named }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lines_are_shown_to_those_who_ask() {
        let text = || first_lines(["a\n", "b\n", "c\n"].map(str::to_owned).into_iter(), 1, "  ");
        assert_eq!(text(), "a\n  and 2 more: --json has them\n");
        // A thread of its own: the wish holds for all text that follows.
        let all = std::thread::spawn(move || {
            show_all();
            text()
        });
        assert_eq!(all.join().unwrap(), "a\nb\nc\n");
    }
}
