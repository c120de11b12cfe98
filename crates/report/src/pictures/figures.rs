//! Figures as pictures write them: few digits in a cell, all that is known beside it.

use nearfar_survey::Cell;

/// A gigabyte: ten to the ninth bytes, as memory's makers count.
pub(super) const GB: f64 = 1e9;

/// Three digits or so: "97.3", "167", "1.72".
pub(super) fn short(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        1e6.. => format!("{value:.2e}"),
        99.95.. => format!("{value:.0}"),
        9.995.. => format!("{value:.1}"),
        0.01.. => format!("{value:.2}"),
        _ => format!("{value:.1e}"),
    }
}

/// "97.3 ns, 95 % interval 96.9 to 97.8, 45 samples"; the figure over `unit_size`.
pub(super) fn told<T>(cell: &Cell<T>, unit: &str, unit_size: f64) -> String {
    let Some(median) = cell.median else {
        return cell.why.clone().unwrap_or_else(|| "not measured".to_owned());
    };
    let interval = cell.ci95.map_or_else(String::new, |[low, high]| {
        format!(", 95 % interval {} to {}", exact(low / unit_size), exact(high / unit_size))
    });
    let samples = if cell.samples == 0 { String::new() } else { format!(", {} samples", cell.samples) };
    format!("{} {unit}{interval}{samples}", exact(median / unit_size))
}

/// A digit more than [`short`].
pub(super) fn exact(value: f64) -> String {
    match value.abs() {
        1e6.. => format!("{value:.3e}"),
        999.5.. => format!("{value:.0}"),
        99.95.. => format!("{value:.1}"),
        9.995.. => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_about_three_digits() {
        let shown: Vec<String> = [97.34, 167.2, 1.7213, 0.0, 1234.5, 3e7].into_iter().map(short).collect();
        assert_eq!(shown, ["97.3", "167", "1.72", "0", "1234", "3.00e7"]);
    }
}
