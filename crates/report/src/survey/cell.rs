//! One cost with its interval.

use nearfar_model::Unit;
use nearfar_survey::MatrixCell;
use nearfar_view::text::or_dash;

pub(crate) const GB: f64 = Unit::GIGABYTE;
/// A figure whose 95 % interval reaches farther from it than the figure itself.
pub(crate) const UNDETERMINED: &str = "undetermined";

/// "97.0 ±1.2", "330 ±3": the interval's larger half, so that it holds on both sides, in no more
/// digits than it supports. "~97" is rough; "-" where nothing was measured.
pub(crate) fn cell_text<T>(cell: &MatrixCell<T>) -> String {
    let Some(median) = cell.median else {
        return or_dash(cell.rough.map(|rough| format!("~{rough:.0}")));
    };
    let Some(interval) = cell.ci95 else { return format!("{median:.1}") };
    let half = larger_half(median, interval);
    let decimals = match (median, half) {
        (100.0.., 1.0..) => 0,
        (_, 0.1..) => 1,
        _ => 2,
    };
    with_spread(median, half, decimals)
}

/// A rate in GB/s, likewise: "34.6 ±0.4", "~34.6".
pub(crate) fn rate_text<T>(cell: &MatrixCell<T>) -> String {
    let Some(median) = cell.median else { return or_dash(cell.rough.map(rough_rate)) };
    let decimals = rate_decimals(median / GB);
    match cell.ci95 {
        Some(interval) => with_spread(median / GB, larger_half(median, interval) / GB, decimals),
        None => format!("{:.decimals$}", median / GB),
    }
}

/// A rough rate in GB/s: "~34.6".
pub(crate) fn rough_rate(rate: f64) -> String {
    let decimals = rate_decimals(rate / GB);
    format!("~{:.decimals$}", rate / GB)
}

/// How far an interval reaches, on the side where it reaches farther.
pub(crate) fn larger_half(value: f64, [low, high]: [f64; 2]) -> f64 {
    (value - low).max(high - value)
}

/// How many decimals a rate in GB/s has: small ones are no "0.0".
fn rate_decimals(gb_s: f64) -> usize {
    match gb_s {
        ..0.05 => 4,
        ..0.5 => 3,
        _ => 1,
    }
}

/// "34.6 ±0.4"; "undetermined" where the interval's larger half exceeds the median, as of two
/// processes that differ much. JSON and CSV have its figures.
pub(crate) fn with_spread(median: f64, half: f64, decimals: usize) -> String {
    if half > median {
        return UNDETERMINED.to_owned();
    }
    format!("{median:.decimals$} ±{half:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rough_figures_are_marked() {
        let cell = |rough| MatrixCell::<()> { rough, ..MatrixCell::default() };
        assert_eq!(
            (cell_text(&cell(Some(97.4))), cell_text(&cell(None))),
            ("~97".into(), "-".into())
        );
        assert_eq!(rate_text(&cell(Some(4.14e9))), "~4.1");
    }

    #[test]
    fn an_interval_wider_than_the_figure_is_undetermined() {
        assert_eq!(with_spread(43.2, 1_043_688.5, 1), UNDETERMINED);
        assert_eq!(with_spread(34.6, 0.41, 1), "34.6 ±0.4");
        assert_eq!(
            [34.61, 0.34, 0.021].map(|rate| with_spread(rate, rate / 100.0, rate_decimals(rate))),
            ["34.6 ±0.3", "0.340 ±0.003", "0.0210 ±0.0002"]
        );
    }
}
