//! A share, written "5%" or "0.05".

use std::str::FromStr;

/// The effect from which memory counts as NUMA.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Threshold(f64);

impl Threshold {
    pub(super) fn share(self) -> f64 {
        self.0
    }
}

/// The largest threshold: a hundredfold latency.
const LARGEST: f64 = 100.0;

impl FromStr for Threshold {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (number, scale) = match text.trim().strip_suffix('%') {
            Some(number) => (number.trim(), 100.0),
            None => (text.trim(), 1.0),
        };
        let wrong = || "write a percentage such as 5%, or a fraction such as 0.05".to_owned();
        let number: f64 =
            number.parse().ok().filter(|number: &f64| number.is_finite()).ok_or_else(wrong)?;
        match number / scale {
            share if share <= 0.0 || share > LARGEST => Err(wrong()),
            share if scale == 1.0 && share >= 1.0 => {
                Err(format!("write {number}% for percent, or a fraction such as 0.05"))
            }
            share => Ok(Self(share)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_and_fraction_are_distinct() {
        assert_eq!("5%".parse(), Ok(Threshold(0.05)));
        assert_eq!("0.05".parse(), Ok(Threshold(0.05)));
        assert_eq!(
            "5".parse::<Threshold>(),
            Err("write 5% for percent, or a fraction such as 0.05".to_owned())
        );
        for nonsense in ["", "%", "-1%", "0", "nan", "inf%", "1e999", "1e999%", "five"] {
            assert!(nonsense.parse::<Threshold>().is_err(), "{nonsense}");
        }
    }
}
