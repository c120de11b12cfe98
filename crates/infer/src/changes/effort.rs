//! How many rounds the second survey needs until a change of a given size is excluded.
//!
//! Its standard errors shrink with the root of its rounds. The first survey's errors, the drift of
//! rows and the variation between surveys do not: they set what no budget can exclude.

use super::{CellPair, ChangeLimit, LimitExceeded, LogChange};

/// A check with more than this multiple of its rounds takes too long.
const MAX_FACTOR: f64 = 100.0;
/// Ratio of consecutive multiples that are tried.
const STEP: f64 = 1.1;

/// What excluding a limit needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RoundsNeeded {
    /// This multiple of the second survey's rounds, if the measured ratio stays as it is.
    Times(f64),
    /// No number of rounds.
    Never(OpenReason),
}

/// What keeps a limit open whatever the rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OpenReason {
    /// The measured ratio itself exceeds the limit.
    Measured,
    /// The first survey's standard error.
    Reference,
    /// The drift of rows between processes.
    Drift,
    /// The variation between surveys of an unchanged machine.
    Between,
    /// Rounds beyond any reasonable time.
    Rounds,
}

/// The rounds until this cell's interval is within a limit; `None` where a figure is invalid.
pub fn rounds_needed(pair: &CellPair, between: f64, limit: ChangeLimit) -> Option<RoundsNeeded> {
    let now = LogChange::new(pair, between)?;
    if is_within(pair, between, limit, 1.0) {
        return Some(RoundsNeeded::Times(1.0));
    }
    let measured = now.log.exp_m1();
    if if limit.above { measured >= limit.ratio } else { measured <= limit.ratio } {
        return Some(RoundsNeeded::Never(OpenReason::Measured));
    }
    let mut factor = 1.0;
    while factor < MAX_FACTOR {
        factor *= STEP;
        if is_within(pair, between, limit, factor) {
            return Some(RoundsNeeded::Times(factor));
        }
    }
    let parts = [
        (pair.first.se.powi(2), OpenReason::Reference),
        (now.drift, OpenReason::Drift),
        (now.between, OpenReason::Between),
        (pair.second.se.powi(2) / MAX_FACTOR, OpenReason::Rounds),
    ];
    let largest = parts.into_iter().max_by(|a, b| a.0.total_cmp(&b.0));
    largest.map(|(_, reason)| RoundsNeeded::Never(reason))
}

/// Whether the interval is within a limit after this multiple of the second survey's rounds.
fn is_within(pair: &CellPair, between: f64, limit: ChangeLimit, factor: f64) -> bool {
    let mut pair = *pair;
    pair.second.se /= factor.sqrt();
    pair.second.processes = (pair.second.processes as f64 * factor) as usize;
    LogChange::new(&pair, between)
        .is_some_and(|change| limit.judge(&change.by_itself()) == LimitExceeded::No)
}

#[cfg(test)]
mod tests {
    use super::super::CellEstimate;
    use super::*;

    const LIMIT: ChangeLimit = ChangeLimit { above: true, ratio: 0.03 };

    fn pair(ratio: f64, errors: [f64; 2], drift: f64) -> CellPair {
        let [first, second] = errors;
        let cell = |median, se| CellEstimate { median, se, drift, processes: 10 };
        CellPair { row: 0, first: cell(100.0, first), second: cell(100.0 * ratio, second) }
    }

    fn times(needed: Option<RoundsNeeded>) -> f64 {
        match needed {
            Some(RoundsNeeded::Times(factor)) => factor,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn errors_shrink_with_the_root_of_rounds() {
        assert_eq!(times(rounds_needed(&pair(1.0, [0.001, 0.01], 0.0), 0.0, LIMIT)), 1.0);
        let [twice, four] =
            [0.02, 0.04].map(|se| times(rounds_needed(&pair(1.0, [0.001, se], 0.0), 0.0, LIMIT)));
        assert!((1.5..2.5).contains(&twice), "{twice}");
        assert!((3.4..4.3).contains(&(four / twice)), "{four} {twice}");
    }

    #[test]
    fn what_no_budget_excludes_has_a_reason() {
        let reason = |pair: CellPair, between| rounds_needed(&pair, between, LIMIT);
        let never = |reason| Some(RoundsNeeded::Never(reason));
        assert_eq!(reason(pair(1.08, [0.001, 0.02], 0.0), 0.005), never(OpenReason::Measured));
        assert_eq!(reason(pair(1.0, [0.03, 0.02], 0.0), 0.005), never(OpenReason::Reference));
        assert_eq!(reason(pair(1.0, [0.001, 0.02], 0.03), 0.005), never(OpenReason::Drift));
        assert_eq!(reason(pair(1.0, [0.001, 0.02], 0.0), 0.02), never(OpenReason::Between));
        assert_eq!(reason(pair(1.0, [0.001, 2.9], 0.0), 0.005), never(OpenReason::Rounds));
        assert_eq!(reason(pair(f64::NAN, [0.001, 0.02], 0.0), 0.005), None);
    }

    #[test]
    fn missing_bandwidth_is_excluded_from_below() {
        let below = ChangeLimit { above: false, ratio: -0.03 };
        assert_eq!(times(rounds_needed(&pair(1.2, [0.001, 0.01], 0.0), 0.0, below)), 1.0);
        let measured = Some(RoundsNeeded::Never(OpenReason::Measured));
        assert_eq!(rounds_needed(&pair(0.9, [0.001, 0.01], 0.0), 0.0, below), measured);
    }
}
