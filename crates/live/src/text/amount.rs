//! Amounts in few characters, as htop writes them.

use nearfar_model::Bytes;

use crate::columns::value::Interval;

/// "12K", "1.2G".
pub(crate) fn bytes(bytes: Bytes) -> String {
    short(bytes.0 as f64, 1024.0)
}

/// "1.2G/s".
pub(crate) fn byte_rate(bytes_per_s: f64) -> String {
    format!("{}/s", short(bytes_per_s, 1024.0))
}

/// "950", "1.2k", "3M".
pub(crate) fn number(number: f64) -> String {
    short(number, 1000.0)
}

fn short(amount: f64, base: f64) -> String {
    let units = if base == 1024.0 {
        ["", "K", "M", "G", "T", "P", "E"]
    } else {
        ["", "k", "M", "G", "T", "P", "E"]
    };
    let (mut value, mut unit) = (amount.max(0.0), 0);
    while value >= 999.5 && unit + 1 < units.len() {
        value /= base;
        unit += 1;
    }
    let decimals = usize::from(unit > 0 && value < 9.95);
    format!("{value:.decimals$}{}", units[unit])
}

/// "62%".
pub(crate) fn percent(share: f64) -> String {
    format!("{:.0}%", share * 100.0)
}

/// "62% 58-66", or "62%" where it is exact.
pub(crate) fn interval(share: Interval) -> String {
    let value = percent(share.value);
    let [low, high] = share.ci95.map(|end| format!("{:.0}", end * 100.0));
    if low == high { value } else { format!("{value} {low}-{high}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_at_most_four_characters() {
        let sizes = [0, 999, 1023, 1 << 20, 1_300_000_000, 1 << 40, u64::MAX];
        let texts = sizes.map(|size| bytes(Bytes(size)));
        assert_eq!(texts, ["0", "999", "1.0K", "1.0M", "1.2G", "1.0T", "16E"]);
        assert_eq!([950.4, 1200.0, 3e6].map(number), ["950", "1.2k", "3.0M"]);
        assert_eq!(byte_rate(-1.0), "0/s");
    }

    #[test]
    fn exact_shares_have_no_interval() {
        let share = |value, low, high| interval(Interval { value, ci95: [low, high] });
        assert_eq!(share(0.62, 0.58, 0.66), "62% 58-66");
        assert_eq!(share(1.0, 1.0, 1.0), "100%");
    }
}
