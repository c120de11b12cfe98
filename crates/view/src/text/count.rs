//! Numbers of things in words.

/// "1 core", "2 cores", "3 processes".
pub fn count(number: usize, noun: &str) -> String {
    let ending = match number {
        1 => "",
        _ if noun.ends_with('s') => "es",
        _ => "s",
    };
    format!("{number} {noun}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular() {
        assert_eq!(
            [(1, "process"), (0, "process"), (2, "core")].map(|(n, noun)| count(n, noun)),
            ["1 process", "0 processes", "2 cores"]
        );
    }
}
