//! Sentences taken apart: templates with gaps, and the numbers in them.

/// What fills the gaps ("{}") of a template at the start of a text, and the text after it. Each gap
/// ends where what follows it in the template first occurs.
pub(super) fn capture<'t, const GAPS: usize>(
    template: &str,
    text: &'t str,
) -> Option<([&'t str; GAPS], &'t str)> {
    if template.matches("{}").count() != GAPS {
        return None;
    }
    let mut pieces = template.split("{}");
    let mut rest = text.strip_prefix(pieces.next()?)?;
    let mut gaps = [""; GAPS];
    for (gap, piece) in gaps.iter_mut().zip(pieces) {
        let end = if piece.is_empty() { rest.len() } else { rest.find(piece)? };
        *gap = &rest[..end];
        rest = &rest[end + piece.len()..];
    }
    Some((gaps, rest))
}

/// A number with or without a sign and a unit: "12.3", "+12.3 %", "900 ns", "1.72 times".
pub(super) fn number(text: &str) -> Option<f64> {
    let units = ["%", "ns", "times"];
    let text = text.trim().trim_end_matches('.');
    let text = units.iter().find_map(|unit| text.strip_suffix(unit)).unwrap_or(text).trim();
    text.trim_start_matches('+').parse().ok()
}

pub(super) fn node(text: &str) -> Option<u32> {
    text.trim().parse().ok()
}

/// Two ends of an interval of percentages, as ratios: "1.0" and "2.0 %" are 1.01 and 1.02.
pub(super) fn more(low: &str, high: &str) -> Option<[f64; 2]> {
    Some([1.0 + number(low)? / 100.0, 1.0 + number(high)? / 100.0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_end_where_the_template_goes_on() {
        let (gaps, rest) = capture("Node {} has {} ns", "Node 4 has 120 ns more").unwrap();
        assert_eq!((gaps, rest), (["4", "120"], " more"));
        assert_eq!(capture::<1>("Node {}", "Node 4"), Some((["4"], "")));
        assert_eq!(capture::<1>("Nodes {} have", "Node 4 has"), None);
        assert_eq!(capture::<1>("Node {} and {}", "Node 4 and 5"), None, "more gaps than wanted");
    }

    #[test]
    fn numbers_have_units_and_signs() {
        let numbers = ["12.3", "+12.3 %", "900 ns", "1.72 times", "-4.", "many"].map(number);
        let expected = [Some(12.3), Some(12.3), Some(900.0), Some(1.72), Some(-4.0), None];
        assert_eq!(numbers, expected);
    }
}
