//! The meaning and the remedy of each code, from `docs/diagnosis.md`, their only source.
//!
//! `diagnosis.md` of this crate is a link to the page, so that a package of the crate has a copy.

/// The page. Its tables have a row for each code: name, severity, what it means, what to do.
const PAGE: &str = include_str!("../../../report/diagnosis.md");

fn row(name: &str) -> Option<[&'static str; 4]> {
    let cells = |line: &'static str| {
        let mut cells = line.strip_prefix("| `")?.trim_end_matches(" |").split(" | ");
        let row =
            [cells.next()?.trim_end_matches('`'), cells.next()?, cells.next()?, cells.next()?];
        (row[0] == name).then_some(row)
    };
    PAGE.lines().find_map(cells)
}

/// The meaning of a code in a sentence.
pub fn meaning(name: &str) -> &'static str {
    row(name).map_or("", |[_, _, meaning, _]| meaning)
}

/// What to do, in a sentence or two. Remedies that depend on the machine start in lower case on the
/// page, and are empty here.
pub fn remedy(name: &str) -> &'static str {
    row(name)
        .map(|[.., remedy]| remedy)
        .filter(|remedy| remedy.starts_with(char::is_uppercase))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tests of nearfar-diagnose check that every code has a row.
    #[test]
    fn every_row_of_a_code_is_read() {
        for line in PAGE.lines().filter(|line| line.starts_with("| `")) {
            let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
            // Verdicts have two cells.
            let [name, _, text, what_to_do] = cells[..] else { continue };
            let name = name.trim_matches('`');
            assert!(text.ends_with('.') && !text.contains('`'), "{name}: {text}");
            assert_eq!(meaning(name), text, "{name}");
            assert!(
                ["", what_to_do].contains(&remedy(name)) && !remedy(name).contains('`'),
                "{name}: {what_to_do}"
            );
        }
    }

    #[test]
    fn a_verdict_is_not_a_code() {
        assert_eq!(meaning("uniform"), "");
        assert_eq!(
            meaning("slit-default"),
            "Every distance between two nodes is 20, the default for unknown distances."
        );
        assert_eq!((remedy("numa-off"), remedy("slit-too-small")), ("", ""));
        assert_eq!(remedy("tree-property-invalid"), "Correct the device tree.");
    }
}
