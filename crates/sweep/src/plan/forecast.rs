//! How many runs a sweep still needs.

use super::is_given_up;
use crate::document::{ConfigurationResult, Sweep};
use crate::limits::Limits;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RunsLeft {
    pub(super) count: usize,
    /// Fewer may be enough: some median has no interval yet.
    pub(super) is_upper_bound: bool,
}

/// Runs of this block, and of the blocks after it until all medians are precise.
pub(super) fn runs_left(
    document: &Sweep,
    limits: &Limits,
    block: u32,
    of_this_block: usize,
) -> RunsLeft {
    let needed = blocks_needed(document, limits);
    let blocks = needed.unwrap_or(limits.most).saturating_sub(block + 1) as usize;
    let per_block = active(document).count();
    RunsLeft { count: of_this_block + blocks * per_block, is_upper_bound: needed.is_none() }
}

/// Blocks in all. None while some median has no interval.
fn blocks_needed(document: &Sweep, limits: &Limits) -> Option<u32> {
    if limits.fewest >= limits.most {
        return Some(limits.most);
    }
    let each = active(document).map(|active| runs_needed(active, limits.precision));
    let needed = each.collect::<Option<Vec<f64>>>()?.into_iter().fold(0.0, f64::max);
    Some((needed.ceil() as u32).clamp(limits.fewest, limits.most))
}

/// An interval's width falls with the square root of the number of runs.
fn runs_needed(one: &ConfigurationResult, precision: f64) -> Option<f64> {
    let (median, [low, high]) = (one.median?, one.ci95?);
    let excess = (high - low) / 2.0 / (precision * median);
    Some(one.configuration.runs.len() as f64 * excess.max(1.0).powi(2))
}

fn active(document: &Sweep) -> impl Iterator<Item = &ConfigurationResult> {
    document
        .configurations
        .iter()
        .filter(|configuration| !is_given_up(&configuration.configuration))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { fewest: 5, most: 20, precision: 1.0 / 128.0, budget_s: None };

    /// Two configurations of three runs, with medians of 1 s and intervals of these half widths.
    fn after_three_blocks(half_widths: [Option<f64>; 2]) -> Sweep {
        let mut document: Sweep = serde_json::from_str(include_str!("../sketch.json")).unwrap();
        for (one, half) in document.configurations.iter_mut().zip(half_widths) {
            let run = one.configuration.runs[0].clone();
            one.configuration.runs = vec![run; 3];
            one.median = Some(1.0);
            one.ci95 = half.map(|half| [1.0 - half, 1.0 + half]);
        }
        document
    }

    fn left(half_widths: [Option<f64>; 2]) -> (usize, bool) {
        let left = runs_left(&after_three_blocks(half_widths), &LIMITS, 2, 0);
        (left.count, left.is_upper_bound)
    }

    #[test]
    fn twice_the_error_needs_four_times_the_runs() {
        assert_eq!(left([Some(1.0 / 256.0), Some(1.0 / 64.0)]), (2 * (12 - 3), false));
    }

    #[test]
    fn the_forecast_keeps_to_the_limits() {
        assert_eq!(left([Some(0.001); 2]), (2 * (5 - 3), false));
        assert_eq!(left([Some(0.5); 2]), (2 * (20 - 3), false));
    }

    #[test]
    fn without_intervals_the_limit_is_an_upper_bound() {
        assert_eq!(left([Some(1.0 / 256.0), None]), (2 * (20 - 3), true));
        let fixed = Limits { fewest: 20, ..LIMITS };
        let left = runs_left(&after_three_blocks([None; 2]), &fixed, 2, 1);
        assert_eq!(left, RunsLeft { count: 2 * (20 - 3) + 1, is_upper_bound: false });
    }
}
