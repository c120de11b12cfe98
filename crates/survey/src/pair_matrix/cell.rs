//! One cell of a published matrix.

/// The text between two separators.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum CsvField<'a> {
    /// Nothing, or a word for nothing.
    Empty,
    /// A finite number; of "45.1±0.3" and "45.1 ns" the first.
    Number(f64),
    /// Anything else.
    Text(&'a str),
}

/// Words for a missing cost.
const NOTHING: [&str; 8] = ["", "-", "--", "nan", "na", "n/a", "null", "none"];

impl<'a> CsvField<'a> {
    /// Reads a cell. Where semicolons separate cells, a comma may stand before decimals.
    pub(super) fn parse(text: &'a str, decimal_comma: bool) -> Self {
        let text = text.trim().trim_matches(['"', '\'']).trim();
        if NOTHING.iter().any(|word| text.eq_ignore_ascii_case(word)) {
            return Self::Empty;
        }
        let figure = text.split('±').next().unwrap_or(text).trim_end();
        let figure = figure.strip_suffix("ns").unwrap_or(figure).trim_end();
        let number = if decimal_comma { figure.replace(',', ".").parse() } else { figure.parse() };
        let number = number.ok().filter(|number: &f64| number.is_finite());
        number.map_or(Self::Text(text), Self::Number)
    }

    pub(super) fn is_number(&self) -> bool {
        matches!(self, Self::Number(_))
    }

    /// The CPU that this cell names: a whole number, after a word for CPU or alone.
    pub(super) fn label(&self) -> Option<u32> {
        match self {
            Self::Empty => None,
            Self::Number(number) => {
                (number.fract() == 0.0 && (0.0..1e6).contains(number)).then_some(*number as u32)
            }
            Self::Text(text) => named(text),
        }
    }
}

fn named(text: &str) -> Option<u32> {
    let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
    let word = text[..text.len() - digits.len()].trim_end_matches([' ', '#', '_', '-', ':']);
    let is_cpu = ["cpu", "core", "c", "thread", "t", "p", ""]
        .iter()
        .any(|known| word.eq_ignore_ascii_case(known));
    if is_cpu { digits.parse().ok().filter(|cpu| *cpu < 1_000_000) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_numbers_nothing_or_text() {
        let of = |text| CsvField::parse(text, false);
        for text in ["45.5", " 45.5 ", "\"45.5\"", "45.5 ns", "45.5±0.2", "45.5ns ± 3"] {
            assert_eq!(of(text), CsvField::Number(45.5), "{text}");
        }
        for text in ["inf", "-inf", "Infinity", "1e999", "-1e999", "inf ns"] {
            assert_eq!(of(text), CsvField::Text(text), "{text}");
        }
        assert_eq!(["", " ", "-", "NaN", "N/A"].map(of), [CsvField::Empty; 5]);
        assert_eq!(
            (of("abc"), of("45,5"), CsvField::parse("45,5", true)),
            (CsvField::Text("abc"), CsvField::Text("45,5"), CsvField::Number(45.5))
        );
    }

    #[test]
    fn labels_name_a_cpu() {
        let label = |text| CsvField::parse(text, false).label();
        assert_eq!(["0", "CPU 3", "cpu12", "Core #7", "c1"].map(label), [0, 3, 12, 7, 1].map(Some));
        assert_eq!(
            ["", "45.5", "-3", "Xeon 6242", "cpu", "cpu 99999999999", "1e9"].map(label),
            [None; 7]
        );
    }
}
