//! Numbers as a reader wants them: few digits, and sizes in the units of caches.

use crate::Numbers;

/// What stands where there is no number.
pub(crate) const NOTHING: &str = "–";

/// A number, written as its axis says.
pub(crate) fn figure(value: f64, numbers: Numbers) -> String {
    match numbers {
        _ if !value.is_finite() => NOTHING.to_owned(),
        Numbers::Bytes => bytes(value),
        Numbers::Plain => plain(value),
    }
}

/// At least four significant digits, no zeros behind them; very large and very small ones as a power of ten.
fn plain(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude != 0.0 && !(1e-4..1e7).contains(&magnitude) {
        return format!("{value:.3e}").replace(".000e", "e");
    }
    let digits = [1000.0, 100.0, 10.0, 1.0, 0.1, 0.01].iter().take_while(|bound| magnitude < **bound).count();
    trimmed(&format!("{value:.digits$}"))
}

/// A size: "48 KiB", "1.5 MiB".
pub(crate) fn bytes(value: f64) -> String {
    let mut left = value;
    for unit in ["B", "KiB", "MiB", "GiB", "TiB", "PiB"] {
        if left.abs() < 1024.0 {
            return format!("{} {unit}", trimmed(&format!("{left:.2}")));
        }
        left /= 1024.0;
    }
    format!("{value:.1e} B")
}

/// Without the zeros behind a decimal point.
pub(crate) fn trimmed(text: &str) -> String {
    let short = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text };
    if short.is_empty() || short == "-0" { "0".to_owned() } else { short.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_digits_and_known_units() {
        let plain = |v| figure(v, Numbers::Plain);
        assert_eq!(
            ["97.32", "1200", "0.25", "0", "1e300", "–"].map(str::to_owned),
            [97.32, 1200.0, 0.25, -0.0, 1e300, f64::NAN].map(plain)
        );
        assert_eq!(["48 KiB", "1.5 MiB", "0 B"].map(str::to_owned), [49152.0, 1_572_864.0, 0.0].map(bytes));
    }
}
