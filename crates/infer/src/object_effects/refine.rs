//! Which object is cut again, and into how many ranges.

use nearfar_model::Bytes;

use super::{ObjectEffect, ObjectVerdict};

/// Ranges of an object at most: more of them take more runs than the search saves.
const MOST_RANGES: u64 = 8;

/// The object that is cut next: of those that cost something and have two ranges at least, the one
/// that costs most.
pub fn cut_next(effects: &[ObjectEffect], sizes: &[Bytes], range: Bytes) -> Option<usize> {
    let pays = |at: &usize| {
        effects[*at].verdict == ObjectVerdict::Costs && ranges_of(sizes[*at], range) > 1
    };
    let value = |at: &usize| effects[*at].effect.map_or(0.0, |effect| effect.value);
    let all = (0..effects.len().min(sizes.len())).filter(pays);
    all.max_by(|one, other| value(one).total_cmp(&value(other)))
}

/// Into how many ranges an object is cut; each has this size at least.
pub fn ranges_of(size: Bytes, range: Bytes) -> u64 {
    (size.0 / range.0.max(1)).min(MOST_RANGES)
}
