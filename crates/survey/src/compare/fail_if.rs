//! Conditions of `nearfar compare --fail-if`, such as "latency>5%", and their results.

use std::str::FromStr;

use nearfar_infer::changes::ChangeLimit;
use nearfar_view::text::few;
use thiserror::Error;

use super::beyond::Condition;

/// Why a text is no condition.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadCondition {
    /// It is written otherwise.
    #[error("{GRAMMAR}")]
    Grammar,
    /// An unchanged value is beyond the bound.
    #[error("'{0}' holds without a change: {GRAMMAR}")]
    HoldsUnchanged(String),
}

/// One condition.
#[derive(Clone, Debug, PartialEq)]
pub struct FailIf {
    text: String,
    /// A survey's part, optionally with a treatment; or a sweep's figure, which may contain dots.
    name: String,
    bound: ChangeLimit,
}

const GRAMMAR: &str =
    "write PART>PERCENT or PART<PERCENT, such as 'latency>5%' or 'bandwidth.read<-5%'";
/// The largest bound: a hundredfold.
const LARGEST: f64 = 100.0;

impl FromStr for FailIf {
    type Err = BadCondition;

    fn from_str(text: &str) -> Result<Self, BadCondition> {
        let at = text.find(['<', '>']).ok_or(BadCondition::Grammar)?;
        let (name, above) = (text[..at].trim(), text[at..].starts_with('>'));
        let (number, scale) = match text[at + 1..].trim().strip_suffix('%') {
            Some(number) => (number.trim(), 100.0),
            None => return Err(BadCondition::Grammar),
        };
        let ratio = number.parse::<f64>().ok().map(|number| number / scale);
        let ratio = ratio
            .filter(|ratio| ratio.is_finite() && ratio.abs() <= LARGEST)
            .ok_or(BadCondition::Grammar)?;
        let (part, treatment) = parts(name);
        if part.is_empty() || treatment == Some("") || name.contains(char::is_whitespace) {
            return Err(BadCondition::Grammar);
        }
        // A bound that an unchanged value exceeds is a mistake.
        if (above && ratio < 0.0) || (!above && ratio > 0.0) {
            return Err(BadCondition::HoldsUnchanged(text.to_owned()));
        }
        Ok(Self {
            text: text.to_owned(),
            name: name.to_owned(),
            bound: ChangeLimit { above, ratio },
        })
    }
}

/// "bandwidth.read"
fn parts(name: &str) -> (&str, Option<&str>) {
    name.split_once('.').map_or((name, None), |(part, treatment)| (part, Some(treatment)))
}

impl FailIf {
    /// Which ratios are too much.
    pub fn bound(&self) -> ChangeLimit {
        self.bound
    }

    /// As a condition on surveys.
    pub fn for_survey(&self) -> Condition {
        let (part, treatment) = parts(&self.name);
        Condition {
            part: part.to_owned(),
            treatment: treatment.map(str::to_owned),
            bound: self.bound,
        }
    }

    /// The figure of a sweep.
    pub fn figure(&self) -> &str {
        &self.name
    }
}

/// The results of all conditions.
#[derive(Debug, Default)]
pub struct ConditionResults {
    /// Conditions that hold, with the changes.
    pub holds: Vec<String>,
    /// Conditions that may hold.
    pub open: Vec<String>,
    /// Conditions that cannot be judged, with the reason.
    pub absent: Vec<String>,
}

impl ConditionResults {
    /// Adds the changes beyond a condition's bound, and those that may be.
    pub fn add(&mut self, condition: &FailIf, beyond: &[String], open: &[String]) {
        if !beyond.is_empty() {
            self.holds.push(format!("'{}' holds: {}", condition.text, few(beyond)));
        }
        if !open.is_empty() {
            self.open.push(format!("'{}' is undetermined: {}", condition.text, few(open)));
        }
    }

    /// Adds what cannot be judged, with the reason.
    pub fn add_missing(&mut self, condition: &FailIf, absent: &[String]) {
        if !absent.is_empty() {
            self.absent.push(format!("cannot judge '{}': {}", condition.text, few(absent)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_is_a_part_and_a_bound() {
        let condition: FailIf = "bandwidth.read < -5%".parse().unwrap();
        let parsed = condition.for_survey();
        assert_eq!(
            (parsed.part.as_str(), parsed.treatment.as_deref()),
            ("bandwidth", Some("read"))
        );
        assert_eq!(condition.bound, ChangeLimit { above: false, ratio: -0.05 });
        assert_eq!(
            "wall_s>2.5%".parse::<FailIf>().unwrap().bound,
            ChangeLimit { above: true, ratio: 0.025 }
        );
    }

    #[test]
    fn a_sweep_s_figure_keeps_its_dots() {
        assert_eq!("p99.9>5%".parse::<FailIf>().unwrap().figure(), "p99.9");
    }

    #[test]
    fn nonsense_is_refused_with_the_grammar() {
        for text in [
            "",
            ">5%",
            "latency",
            "latency>",
            "latency>5",
            "latency>x%",
            "latency>nan%",
            "latency>1e999%",
            ".read>5%",
            "a b>5%",
            "a.>1%",
            "latency=5%",
        ] {
            assert_eq!(text.parse::<FailIf>(), Err(BadCondition::Grammar), "{text}");
        }
        for text in ["latency>-5%", "bandwidth<5%"] {
            let error = text.parse::<FailIf>().unwrap_err();
            assert_eq!(error, BadCondition::HoldsUnchanged(text.to_owned()));
        }
    }
}
