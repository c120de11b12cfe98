//! Figures that a picture writes itself: ends of scales, medians of tiles.

/// A value in three or four digits that count, without zeros that say nothing. What is no number is a dash.
pub(crate) fn figure(value: f64) -> String {
    let value = if value == 0.0 { 0.0 } else { value };
    let size = value.abs();
    if !value.is_finite() {
        return "–".to_owned();
    }
    if value != 0.0 && !(1e-3..1e6).contains(&size) {
        return format!("{value:.2e}");
    }
    let digits = match size {
        s if s >= 100.0 => 0,
        s if s >= 10.0 => 1,
        s if s >= 1.0 => 2,
        _ => 4,
    };
    let text = format!("{value:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// A value in five digits that count: enough to tell runs apart.
pub(crate) fn precise(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let rounded = format!("{value:.4e}");
    match rounded.parse::<f64>() {
        Ok(0.0) => "0".to_owned(),
        Ok(near) if (1e-4..1e9).contains(&near.abs()) => format!("{near}"),
        _ => rounded,
    }
}

/// A value and its unit, where it has one.
pub(crate) fn with_unit(value: f64, unit: &str) -> String {
    if unit.is_empty() { figure(value) } else { format!("{} {unit}", figure(value)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short_and_say_what_they_are() {
        let written = [97.34, 1234.4, 0.25, 2.0, 1e9, -0.0, f64::NAN, 1e-300].map(figure);
        assert_eq!(written, ["97.3", "1234", "0.25", "2", "1.00e9", "0", "–", "1.00e-300"].map(str::to_owned));
        assert_eq!(
            ["12.0314", "1234567", "-0.5"].map(|v| precise(v.parse().unwrap())),
            ["12.031", "1234600", "-0.5"].map(str::to_owned)
        );
        assert_eq!(with_unit(3.0, "ns"), "3 ns");
    }
}
