//! Pressure stall information: the share of time in which tasks waited for a resource.

use serde::{Deserialize, Serialize};

/// Waiting for memory, as shares of the last ten seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pressure {
    /// At least one task waited.
    pub some: f64,
    /// All tasks waited.
    pub full: f64,
}

impl Pressure {
    /// Parses `some avg10=1.50 avg60=... total=...` and the line `full`.
    ///
    /// # References
    ///
    /// Documentation/accounting/psi.rst
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let average = |kind: &str| -> Option<f64> {
            let line = text.lines().find_map(|line| line.strip_prefix(kind))?;
            let word = line.split_whitespace().find_map(|word| word.strip_prefix("avg10="))?;
            word.parse().ok().filter(|percent: &f64| percent.is_finite()).map(|it| it / 100.0)
        };
        Some(Self { some: average("some ")?, full: average("full ")? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_are_shares() {
        let text =
            "some avg10=1.50 avg60=0.00 avg300=0.00 total=9\nfull avg10=0.25 avg60=0 total=1";
        assert_eq!(Pressure::parse(text), Some(Pressure { some: 0.015, full: 0.0025 }));
        for text in ["", "some avg10=x\nfull avg10=0", "some avg10=1.0", "full avg10=NaN"] {
            assert_eq!(Pressure::parse(text), None, "{text}");
        }
    }
}
