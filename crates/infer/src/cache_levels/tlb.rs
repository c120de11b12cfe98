//! TLB reach: the buffer size from which base pages cost more than huge pages.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::sweep::SizeSweep;
use super::{Point, resampled};
use crate::cell::{median, quantile_of_sorted};

/// The smallest relative extra cost of base pages.
const MIN_EXTRA: f64 = 0.03;
/// Neighbouring sizes on either side that are combined with a size, against noise.
const AROUND: usize = 2;

/// The size from which base pages cost more, and the extra cost.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TlbReach {
    /// The largest size at which base pages certainly cost no more, and the smallest from which on
    /// they certainly do.
    pub bytes: [u64; 2],
    /// The same in pages.
    pub entries: [u64; 2],
    /// The extra cost at the largest size, in nanoseconds per access.
    pub extra_ns: f64,
}

/// Compares a sweep on base pages with one on huge pages, size by size. `None` where base pages
/// cost no more at the largest sizes.
///
/// A cache whose sets base pages fill unevenly also costs more near its capacity. That effect ends
/// beyond it, and does not count.
pub fn tlb_reach(
    base: &SizeSweep,
    huge: &SizeSweep,
    page_bytes: u64,
    seed: u64,
) -> Option<TlbReach> {
    let extras = extras(base, huge, seed);
    let is_sure = |extra: &Extra| extra.low > 0.0 && extra.share >= MIN_EXTRA;
    let from = extras.iter().rposition(|extra| !is_sure(extra)).map_or(0, |place| place + 1);
    let first = extras.get(from)?;
    let free = extras[..from].iter().rfind(|extra| extra.high < MIN_EXTRA).or(extras.first())?;
    let bytes = [free.bytes.min(first.bytes), first.bytes];
    let extra_ns = extras.last()?.ns;
    Some(TlbReach { bytes, entries: bytes.map(|bytes| bytes / page_bytes.max(1)), extra_ns })
}

struct Extra {
    bytes: u64,
    ns: f64,
    /// The extra cost of this size and its neighbours, as a fraction, with its interval.
    share: f64,
    low: f64,
    high: f64,
}

fn extras(base: &SizeSweep, huge: &SizeSweep, seed: u64) -> Vec<Extra> {
    let [base_draws, huge_draws] =
        [(base, seed), (huge, !seed)].map(|(sweep, seed)| resampled(sweep, seed));
    let [base_curve, huge_curve] = [base, huge].map(SizeSweep::curve);
    let huge_places: BTreeMap<u64, usize> =
        (0..huge_curve.len()).map(|place| (huge.bytes(place), place)).collect();
    let shared: Vec<(usize, usize)> = (0..base_curve.len())
        .filter_map(|place| Some((place, *huge_places.get(&base.bytes(place))?)))
        .collect();
    let extra = |index: usize| {
        let (place, other) = shared[index];
        let bytes = base.bytes(place);
        let around = &shared[index.saturating_sub(AROUND)..(index + AROUND + 1).min(shared.len())];
        let ratio = |(base, huge): (&Vec<Point>, &Vec<Point>)| {
            let logs = around.iter().map(|&(place, other)| base[place].log_ns - huge[other].log_ns);
            median(logs).map_or(0.0, f64::exp_m1)
        };
        let mut ratios: Vec<f64> = base_draws.iter().zip(&huge_draws).map(ratio).collect();
        ratios.sort_by(f64::total_cmp);
        let ns = base_curve[place].log_ns.exp() - huge_curve[other].log_ns.exp();
        let [low, share, high] =
            [0.025, 0.5, 0.975].map(|share| quantile_of_sorted(&ratios, share));
        Some(Extra { bytes, ns, share: share?, low: low?, high: high? })
    };
    (0..shared.len()).filter_map(extra).collect()
}
