//! Which weights are tried: what is usual, then steps from the best so far; and what loads cost by the best.

use nearfar_infer::weight_search::WeightLimits;
use nearfar_model::Place;
use nearfar_probe::interleave::{InterleaveSetup, Treatment};
use nearfar_probe::{Kernel, Outcome, PlanLimits};
use nearfar_survey::{BandwidthRun, Mode};

use super::super::Session;
use super::super::bandwidth::last_level;
use super::hunt::{self, Hunt, Search};
use super::rows::Rows;
use super::{InterleaveRequest, affordable, by};

/// Pairs of nodes are all measured up to so many nodes.
const MOST_FOR_PAIRS: usize = 8;

/// Every node alone, every pair, and all of them.
pub(super) fn usual(nodes: usize) -> Vec<Vec<u32>> {
    let of = |used: &[usize]| -> Vec<u32> { (0..nodes).map(|node| u32::from(used.contains(&node))).collect() };
    let mut all: Vec<Vec<u32>> = (0..nodes).map(|node| of(&[node])).collect();
    if nodes <= MOST_FOR_PAIRS {
        all.extend((0..nodes).flat_map(|b| (0..b).map(move |a| [a, b])).map(|pair| of(&pair)));
    }
    all.push(vec![1; nodes]);
    all.dedup();
    all
}

/// What a search found.
pub(super) struct Found {
    /// All weights that any row and kernel found best.
    pub(super) best: Vec<Vec<u32>>,
    /// What was measured side by side at last.
    pub(super) contenders: Vec<(usize, Treatment)>,
}

/// Searches the best weights for each row and kernel.
pub(super) fn search(
    hunt: &mut Hunt<'_>,
    request: &InterleaveRequest,
    mode: Mode,
    rows: &Rows,
    kernel_weights: Option<&[u32]>,
) -> anyhow::Result<Found> {
    let nodes = hunt.nodes();
    let mut first = usual(nodes);
    first.extend(kernel_weights.map(<[u32]>::to_vec).filter(|weights| weights.iter().any(|&weight| weight > 1)));
    let kinds: Vec<(usize, Kernel)> =
        rows.streaming.iter().flat_map(|&row| request.kernels.iter().map(move |&kernel| (row, kernel))).collect();
    let treat = |weights: &Vec<u32>, kernel| Treatment { weights: weights.clone(), kernel: Some(kernel) };
    let all = |weights: &[Vec<u32>]| -> Vec<(usize, Treatment)> {
        kinds.iter().flat_map(|&(row, kernel)| weights.iter().map(move |one| (row, treat(one, kernel)))).collect()
    };
    let told = hunt.measure(&all(&first), "weights")?;
    let limits = WeightLimits { largest: request.largest_weight, measurements: first.len() + measurements(mode) };
    let mut searches: Vec<Search> =
        kinds.iter().map(|&(row, kernel)| Search::new(row, kernel, nodes, limits, &told)).collect();
    while !hunt.is_late() {
        let mut wanted: Vec<(usize, Treatment)> = searches.iter_mut().flat_map(Search::wanted).collect();
        wanted.sort_unstable();
        wanted.dedup();
        if wanted.is_empty() {
            break;
        }
        let told = hunt.measure(&wanted, "weights")?;
        searches.iter_mut().for_each(|search| search.hear(&told));
    }
    let mut last: Vec<(usize, Treatment)> =
        searches.iter().flat_map(|search| search.contenders(kernel_weights)).collect();
    last.sort_unstable();
    last.dedup();
    hunt.compare(&last)?;
    let mut best: Vec<Vec<u32>> = searches.iter().filter_map(Search::best).collect();
    best.extend(kernel_weights.map(<[u32]>::to_vec));
    Ok(Found { best, contenders: last })
}

/// Measurements of a search beyond those that are always made.
fn measurements(mode: Mode) -> usize {
    match mode {
        Mode::Quick => 20,
        Mode::Default => 60,
        Mode::Thorough => WeightLimits::default().measurements,
    }
}

/// What chases heard: what workers were told, the samples, and the plan's places.
pub(super) type Chased = (InterleaveSetup, Outcome, Vec<Place>);

/// Loads from memory of each node, of all of them, and by the best weights.
pub(super) fn chase(
    session: &Session,
    request: &InterleaveRequest,
    mode: Mode,
    rows: &Rows,
    streams: &InterleaveSetup,
    best: &[Vec<u32>],
) -> anyhow::Result<Chased> {
    let nodes = streams.nodes.len();
    let mut weights: Vec<Vec<u32>> = usual(nodes).into_iter().filter(|one| is_one_or_all(one)).collect();
    weights.extend(best.iter().cloned());
    let mut known = Vec::new();
    weights.retain(|one| {
        !known.contains(one) && {
            known.push(one.clone());
            true
        }
    });
    let treatments: Vec<Treatment> = weights.into_iter().map(|weights| Treatment { weights, kernel: None }).collect();
    let of_row = |&row: &usize| (0..treatments.len()).map(move |at| Place::new(row, 0).with_treatment(at));
    let places: Vec<Place> = rows.loading.iter().flat_map(of_row).collect();
    let setup = InterleaveSetup {
        treatments,
        footprint: affordable(request.size, BandwidthRun::footprint(last_level(&session.topology)), &streams.nodes)?,
        ..streams.clone()
    };
    let limits = PlanLimits { deadline: Some(hunt::patience(mode)), ..mode.limits() };
    let plan = hunt::plan(places.clone(), limits, session.seed.wrapping_add(hunt::CHASES));
    let outcome = by(session)(&plan, &setup, "latency")?;
    Ok((setup, outcome, places))
}

pub(super) fn is_one_or_all(weights: &[u32]) -> bool {
    let used = weights.iter().filter(|weight| **weight > 0).count();
    used == 1 || used == weights.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_measured_alone_in_pairs_and_all_together() {
        assert_eq!(usual(2), [vec![1, 0], vec![0, 1], vec![1, 1]]);
        assert_eq!(usual(3).len(), 3 + 3 + 1);
        assert_eq!(usual(8).len(), 8 + 28 + 1);
        assert_eq!(usual(16).len(), 16 + 1);
    }
}
