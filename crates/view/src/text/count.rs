//! Numbers of things in words.

/// "1 core", "2 cores", "3 processes", "4 directories".
pub fn count(number: usize, noun: &str) -> String {
    let ies = noun.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u']));
    match (number, ies) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{number} {stem}ies"),
        _ if noun.ends_with('s') => format!("{number} {noun}es"),
        _ => format!("{number} {noun}s"),
    }
}

/// "1 of 3 cells has", "2 of 3 cells have": the verb follows the part, not the whole. `verb` is the
/// plural: "have", "are", "were", "differ".
pub fn count_of(part: usize, whole: usize, noun: &str, verb: &str) -> String {
    format!("{part} of {} {}", count(whole, noun), verb_of(part, verb))
}

/// The verb of this many things, from its plural.
pub fn verb_of(number: usize, plural: &str) -> String {
    match (number, plural) {
        (1, "have") => "has".to_owned(),
        (1, "are") => "is".to_owned(),
        (1, "were") => "was".to_owned(),
        (1, "do") => "does".to_owned(),
        (1, _) => format!("{plural}s"),
        _ => plural.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular() {
        assert_eq!(
            [(1, "process"), (0, "process"), (2, "core"), (2, "directory"), (0, "key")]
                .map(|(n, noun)| count(n, noun)),
            ["1 process", "0 processes", "2 cores", "2 directories", "0 keys"]
        );
    }

    #[test]
    fn the_verb_follows_the_part() {
        let text = [1, 2, 0].map(|part| count_of(part, 3, "cell", "have"));
        assert_eq!(text, ["1 of 3 cells has", "2 of 3 cells have", "0 of 3 cells have"]);
        assert_eq!(count_of(1, 1, "control", "differ"), "1 of 1 control differs");
        assert_eq!([1, 2].map(|n| verb_of(n, "were")), ["was", "were"]);
    }
}
