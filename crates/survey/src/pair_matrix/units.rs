//! The unit that a text states for figures without one.

use super::NoMatrix;

/// How texts state a unit, what it is, and how many nanoseconds; figures of others are refused.
const UNITS: [(&str, &str, Option<f64>); 11] = [
    ("ns", "ns", Some(1.0)),
    ("nanoseconds", "ns", Some(1.0)),
    ("us", "us", Some(1e3)),
    ("µs", "us", Some(1e3)),
    ("μs", "us", Some(1e3)),
    ("usec", "us", Some(1e3)),
    ("microseconds", "us", Some(1e3)),
    ("cycles", "cycles", None),
    ("clocks", "clocks", None),
    ("ticks", "ticks", None),
    ("ms", "ms", None),
];
/// Longer lines are no remarks about a table.
const LONGEST: usize = 400;

/// Nanoseconds of a figure without a unit: 1, unless a line has "(us)" or "in us".
pub(super) fn ns_per_figure<'a>(lines: impl Iterator<Item = &'a str>) -> Result<f64, NoMatrix> {
    let mut stated: Vec<(&str, Option<f64>)> = Vec::new();
    for line in lines.filter(|line| line.len() <= LONGEST) {
        let line = line.to_lowercase();
        for (word, unit, ns) in UNITS {
            if states(&line, word) && !stated.contains(&(unit, ns)) {
                stated.push((unit, ns));
            }
        }
    }
    match stated[..] {
        [] => Ok(1.0),
        [(_, Some(ns))] => Ok(ns),
        _ => {
            let units: Vec<&str> = stated.iter().map(|(unit, _)| *unit).collect();
            Err(NoMatrix::OtherUnit(units.join(" or ")))
        }
    }
}

/// Whether a line states a unit.
pub(super) fn has_unit(line: &str) -> bool {
    let line = if line.len() <= LONGEST { line.to_lowercase() } else { String::new() };
    UNITS.iter().any(|(word, ..)| states(&line, word))
}

fn states(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = &line[..at];
        let is_stated = before.trim_matches([' ', '|', '"']).is_empty()
            || ["(", "[", "in ", ", "].iter().any(|start| before.ends_with(start));
        let after = line[at + word.len()..].chars().next();
        is_stated && !after.is_some_and(char::is_alphanumeric)
    })
}
