//! What each code means, and what to do about it: the same as `docs/diagnosis.md`.

mod list;

/// One code.
#[derive(Debug)]
struct Code {
    /// The name.
    name: &'static str,
    /// What is so, where a finding says nothing more precise.
    meaning: &'static str,
    /// What to do; none where nothing needs to be done, or the machine decides what.
    remedy: Option<&'static str>,
}

fn find(name: &str) -> Option<&'static Code> {
    list::ALL.iter().find(|code| code.name == name)
}

/// What is so, in a sentence.
pub(super) fn meaning(name: &str) -> &'static str {
    find(name).map_or("", |code| code.meaning)
}

/// What to do, in a sentence or two.
pub(super) fn remedy(name: &str) -> &'static str {
    find(name).and_then(|code| code.remedy).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page that lists the codes; nearfar-diagnose's tests hold its names.
    const PAGE: &str = include_str!("../../../../docs/diagnosis.md");

    #[test]
    fn words_are_those_of_the_page() {
        let mut rows = 0;
        for line in PAGE.lines().filter(|line| line.starts_with("| `")) {
            let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
            // Verdicts have two cells.
            let [name, _, meaning, remedy] = cells[..] else { continue };
            let name = name.trim_matches('`');
            let code = find(name).unwrap_or_else(|| panic!("{name} is not in codes/list.rs"));
            assert_eq!(code.meaning, meaning, "{name}");
            // What the machine decides begins small there.
            let same_everywhere = Some(remedy).filter(|words| words.starts_with(char::is_uppercase));
            assert_eq!(code.remedy, same_everywhere, "{name}");
            rows += 1;
        }
        assert_eq!(rows, list::ALL.len());
    }
}
