//! Figures that a picture writes itself: ends of scales, medians of tiles, points of curves, sizes.
//!
//! One set of rules for all pictures: few digits, no trailing zeros, a power of ten where
//! digits would be many, sizes in the units of caches, and a dash for what is no number.

/// What stands where there is no number.
pub(crate) const NOTHING: &str = "–";

/// A value in three or four digits that count.
pub(crate) fn figure(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return NOTHING.to_owned();
    }
    if value != 0.0 && !(1e-3..1e6).contains(&size) {
        return scientific(&format!("{value:.2e}"));
    }
    let digits = match size {
        s if s >= 100.0 => 0,
        s if s >= 10.0 => 1,
        s if s >= 1.0 => 2,
        _ => 4,
    };
    trimmed(&format!("{value:.digits$}"))
}

/// A value in five digits that count: enough to distinguish runs.
pub(crate) fn precise(value: f64) -> String {
    if !value.is_finite() {
        return NOTHING.to_owned();
    }
    let rounded = format!("{value:.4e}");
    match rounded.parse::<f64>() {
        Ok(0.0) => "0".to_owned(),
        Ok(near) if (1e-4..1e9).contains(&near.abs()) => format!("{near}"),
        _ => scientific(&rounded),
    }
}

/// A size in the largest unit that leaves at least one of it: "48 KiB", "1.5 MiB".
pub(crate) fn bytes(value: f64) -> String {
    let mut left = value;
    for unit in ["B", "KiB", "MiB", "GiB", "TiB", "PiB"] {
        if left.abs() < 1024.0 {
            return format!("{} {unit}", trimmed(&format!("{left:.2}")));
        }
        left /= 1024.0;
    }
    if value.is_finite() {
        format!("{} B", scientific(&format!("{value:.1e}")))
    } else {
        NOTHING.to_owned()
    }
}

/// A value and its unit, where it has one.
pub(crate) fn with_unit(value: f64, unit: &str) -> String {
    if unit.is_empty() { figure(value) } else { format!("{} {unit}", figure(value)) }
}

/// Without the zeros behind a decimal point, and without a sign before zero.
pub(crate) fn trimmed(text: &str) -> String {
    let short =
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text };
    if short.is_empty() || short == "-0" { "0".to_owned() } else { short.to_owned() }
}

/// The same for a figure with a power of ten: "1.50e9" is "1.5e9".
pub(crate) fn scientific(text: &str) -> String {
    text.split_once('e')
        .map_or_else(|| trimmed(text), |(digits, power)| format!("{}e{power}", trimmed(digits)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short() {
        let written = [97.34, 1234.4, 0.25, 2.0, 1e9, -0.0, f64::NAN, 1.54e-300].map(figure);
        assert_eq!(
            written,
            ["97.3", "1234", "0.25", "2", "1e9", "0", "–", "1.54e-300"].map(str::to_owned)
        );
        let digits = [12.0314, 1_234_567.0, -0.5, 1e300, f64::INFINITY].map(precise);
        assert_eq!(digits, ["12.031", "1234600", "-0.5", "1e300", "–"].map(str::to_owned));
        assert_eq!(with_unit(3.0, "ns"), "3 ns");
    }

    #[test]
    fn sizes_are_in_known_units() {
        let sizes = [49152.0, 1_572_864.0, -0.0, f64::NAN, 1e300].map(bytes);
        assert_eq!(sizes, ["48 KiB", "1.5 MiB", "0 B", "–", "1e300 B"].map(str::to_owned));
    }
}
