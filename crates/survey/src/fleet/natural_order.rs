//! The order of names with numbers in them: node2 before node10.

/// Text and numbers in turn, then the name itself.
pub(crate) type NaturalKey = (Vec<(String, u64)>, String);

/// A key for sorting.
pub(crate) fn natural_key(name: &str) -> NaturalKey {
    let mut pieces = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let (text, after) = rest.split_at(digits);
        let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        let (number, after) = after.split_at(end);
        pieces.push((text.to_owned(), number.parse().unwrap_or(u64::MAX)));
        rest = after;
    }
    (pieces, name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_ordered_by_value() {
        let mut names = ["node10", "node2", "gpu1", "node2-10", "node2-9", "node"];
        names.sort_by_cached_key(|name| natural_key(name));
        assert_eq!(names, ["gpu1", "node2", "node2-9", "node2-10", "node10", "node"]);
    }
}
