//! What each code means, and what to do about it: `docs/diagnosis.md` says so, and nothing else.

/// The page. Its tables have a row for each code: name, severity, what it means, what to do.
const PAGE: &str = include_str!("../../../../docs/diagnosis.md");

fn row(name: &str) -> Option<[&'static str; 4]> {
    let cells = |line: &'static str| {
        let mut cells = line.strip_prefix("| `")?.trim_end_matches(" |").split(" | ");
        let row =
            [cells.next()?.trim_end_matches('`'), cells.next()?, cells.next()?, cells.next()?];
        (row[0] == name).then_some(row)
    };
    PAGE.lines().find_map(cells)
}

/// What is so, in a sentence.
pub(super) fn meaning(name: &str) -> &'static str {
    row(name).map_or("", |[_, _, meaning, _]| meaning)
}

/// What to do, in a sentence or two; nothing where the machine decides that: it begins small on the
/// page.
pub(super) fn remedy(name: &str) -> &'static str {
    row(name)
        .map(|[.., remedy]| remedy)
        .filter(|remedy| remedy.starts_with(char::is_uppercase))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// That every code has a row is held by nearfar-diagnose's tests.
    #[test]
    fn every_row_of_a_code_is_read_whole() {
        for line in PAGE.lines().filter(|line| line.starts_with("| `")) {
            let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
            // Verdicts have two cells.
            let [name, _, words, what_to_do] = cells[..] else { continue };
            let name = name.trim_matches('`');
            assert!(words.ends_with('.') && !words.contains('`'), "{name}: {words}");
            assert_eq!(meaning(name), words, "{name}");
            assert!(
                ["", what_to_do].contains(&remedy(name)) && !remedy(name).contains('`'),
                "{name}: {what_to_do}"
            );
        }
    }

    #[test]
    fn a_verdict_is_no_code() {
        assert_eq!(meaning("uniform"), "");
        assert_eq!(
            meaning("slit-default"),
            "Every distance between two nodes is 20, the number that stands for none."
        );
        assert_eq!((remedy("numa-off"), remedy("slit-too-small")), ("", ""));
        assert_eq!(remedy("tree-property-invalid"), "Correct the device tree.");
    }
}
