//! One cell of a published matrix.

/// The text between two separators.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cell<'a> {
    /// Nothing, or a word for nothing.
    Empty,
    Figure(Figure),
    /// The "±0.3" after a figure, in a cell of its own.
    Spread,
    Text(&'a str),
}

/// A number of a cell. Of "45.1±0.3" it is the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Figure {
    /// In nanoseconds where the cell has a unit.
    pub(super) value: f64,
    /// What the last digit counts.
    pub(super) step: f64,
    pub(super) has_unit: bool,
    pub(super) mark: DecimalMark,
}

/// What stands before decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DecimalMark {
    /// Only digits: it may be a CPU.
    None,
    /// A point, an exponent, a sign, a unit or a spread.
    Point,
    Comma,
    /// A comma before three digits, which may separate thousands.
    DoubtfulComma,
}

/// Words for a missing cost.
const NOTHING: [&str; 14] =
    ["", "-", "--", "–", "—", "nan", "na", "n/a", "null", "none", "x", ".", "*", "\\"];
/// Units, and nanoseconds in each.
const UNITS: [(&str, f64); 4] = [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("μs", 1e3)];
const CPU_WORDS: [&str; 6] = ["cpu", "core", "c", "thread", "t", "p"];
/// What a row or a column may hold beside costs.
const SUMMARIES: [&str; 15] = [
    "min", "max", "mean", "median", "avg", "average", "p50", "p90", "p99", "sd", "std", "stddev",
    "stdev", "±", "+/-",
];

impl<'a> Cell<'a> {
    /// Reads a cell, in which a comma stands before decimals.
    pub(super) fn parse(text: &'a str) -> Self {
        let text = text.trim().trim_matches(['"', '\'', '`']).trim();
        if NOTHING.iter().any(|word| text.eq_ignore_ascii_case(word)) {
            return Self::Empty;
        }
        let (value, spread) = split_spread(text);
        let is_spread = |spread: &str| Figure::parse(spread).is_some();
        match (Figure::parse(value), spread) {
            (Some(figure), None) => Self::Figure(figure),
            (Some(figure), Some(spread)) if is_spread(spread) => {
                let mark =
                    if figure.mark == DecimalMark::None { DecimalMark::Point } else { figure.mark };
                Self::Figure(Figure { mark, ..figure })
            }
            (None, Some(spread)) if value.is_empty() && is_spread(spread) => Self::Spread,
            _ => Self::Text(text),
        }
    }

    pub(super) fn figure(&self) -> Option<Figure> {
        if let Self::Figure(figure) = self { Some(*figure) } else { None }
    }

    /// Whether it has no cost: also a diagonal's 0.
    pub(super) fn is_nothing(&self) -> bool {
        match self {
            Self::Empty | Self::Spread => true,
            Self::Figure(figure) => figure.value == 0.0,
            Self::Text(_) => false,
        }
    }

    /// The CPU that this cell names: a whole number, after a word for CPU or alone.
    pub(super) fn label(&self) -> Option<u32> {
        match self {
            Self::Empty | Self::Spread => None,
            Self::Figure(figure) => {
                let is_cpu = figure.mark == DecimalMark::None && figure.value < 1e6;
                is_cpu.then_some(figure.value as u32)
            }
            Self::Text(text) => named(text),
        }
    }

    /// The heading of a column, or a row, that sums others up.
    pub(super) fn is_summary(&self) -> bool {
        let Self::Text(text) = self else { return false };
        let word = text.trim_end_matches(':');
        SUMMARIES.iter().any(|known| word.eq_ignore_ascii_case(known))
    }
}

impl Figure {
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let unit = UNITS.iter().find_map(|(unit, ns)| Some((text.strip_suffix(unit)?, *ns)));
        let digits = unit.map_or(text, |(digits, _)| digits).trim_end();
        if !digits.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) {
            return None;
        }
        let (value, mark): (f64, _) = match digits.split_once(',') {
            None if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                (digits.parse().ok()?, DecimalMark::None)
            }
            None => (digits.parse().ok()?, DecimalMark::Point),
            Some((whole, decimals)) => {
                let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
                if whole.is_empty() || !is_number(whole) || !is_number(decimals) {
                    return None;
                }
                let may_group = decimals.len() == 3 && whole.len() <= 3 && !whole.starts_with('0');
                let mark = if may_group { DecimalMark::DoubtfulComma } else { DecimalMark::Comma };
                (format!("{whole}.{decimals}").parse().ok()?, mark)
            }
        };
        let decimals = digits.split_once(['.', ',']).map_or(0, |(_, decimals)| decimals.len());
        let step = 0.1f64.powi(i32::try_from(decimals.min(20)).unwrap_or(20));
        let plain = Self { value, step, has_unit: false, mark };
        let figure = unit.map_or(plain, |(_, ns)| plain.in_unit(ns));
        figure.value.is_finite().then_some(figure)
    }

    /// This number of a unit in nanoseconds.
    pub(super) fn in_unit(self, ns: f64) -> Self {
        let mark = if self.mark == DecimalMark::None { DecimalMark::Point } else { self.mark };
        Self { value: self.value * ns, step: self.step * ns, has_unit: true, mark }
    }
}

/// A figure and what follows its "±".
fn split_spread(text: &str) -> (&str, Option<&str>) {
    for mark in ["Â±", "±", "+/-", "+-"] {
        if let Some((value, spread)) = text.split_once(mark) {
            return (value.trim_end(), Some(spread));
        }
    }
    (text, None)
}

/// Nanoseconds in a unit.
pub(super) fn ns_in(text: &str) -> Option<f64> {
    UNITS.iter().find(|(unit, _)| text == *unit).map(|(_, ns)| *ns)
}

pub(super) fn is_cpu_word(text: &str) -> bool {
    let word = text.trim_end_matches(['#', '_', '-', ':']);
    CPU_WORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// Digits in groups, as "1,234.5", "1'234" and "1.234.567" are.
pub(super) fn has_thousands(text: &str) -> bool {
    let is_mark = |c: char| ",.'’ \u{a0}\u{202f}\u{2009}".contains(c);
    let groups: Vec<&str> = text.split(is_mark).collect();
    groups.len() > 1
        && groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_digit()))
        && (1..=3).contains(&groups[0].len())
        && groups[1].len() == 3
}

fn named(text: &str) -> Option<u32> {
    let text = text.trim_end_matches(':');
    let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
    let word = text[..text.len() - digits.len()].trim_end_matches([' ', '#', '_', '-', ':']);
    let is_cpu = word.is_empty() || is_cpu_word(word);
    if is_cpu { digits.parse().ok().filter(|cpu| *cpu < 1_000_000) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(text: &str) -> Option<f64> {
        Cell::parse(text).figure().map(|figure| figure.value)
    }

    #[test]
    fn cells_are_numbers_nothing_or_text() {
        for text in [
            "45.5",
            " 45.5 ",
            "\"45.5\"",
            "45.5 ns",
            "45.5±0.2",
            "45.5ns ± 3",
            "45,5",
            "45.5+/-0.1",
            "0.0455 us",
            "45.5Â±1",
        ] {
            assert!((ns(text).unwrap() - 45.5).abs() < 1e-9, "{text}");
        }
        for text in
            ["inf", "-inf", "Infinity", "1e999", "-1e999", "inf ns", "45±", "1,234.5", "1'234"]
        {
            assert_eq!(Cell::parse(text), Cell::Text(text), "{text}");
        }
        assert_eq!(["", " ", "-", "NaN", "N/A", "x"].map(Cell::parse), [Cell::Empty; 6]);
        assert_eq!((Cell::parse("±0.1"), Cell::parse("abc")), (Cell::Spread, Cell::Text("abc")));
    }

    #[test]
    fn thousands_are_known_by_groups_of_three() {
        for text in ["1,234.5", "1'234", "1.234.567", "1,234"] {
            assert!(has_thousands(text), "{text}");
        }
        assert!(!["12.5", "1234", "12,34", "oops", "8/9"].iter().any(|text| has_thousands(text)));
        assert_eq!(
            ["1,234", "0,234", "1,23", "1.234"]
                .map(|text| Cell::parse(text).figure().unwrap().mark),
            [
                DecimalMark::DoubtfulComma,
                DecimalMark::Comma,
                DecimalMark::Comma,
                DecimalMark::Point
            ]
        );
    }

    #[test]
    fn labels_name_a_cpu() {
        let label = |text| Cell::parse(text).label();
        assert_eq!(
            ["0", "CPU 3", "cpu12", "Core #7", "c1", "5:"].map(label),
            [0, 3, 12, 7, 1, 5].map(Some)
        );
        assert_eq!(
            ["", "45.5", "-3", "Xeon 6242", "cpu", "cpu 99999999999", "1e9", "8±0"].map(label),
            [None; 8]
        );
    }
}
