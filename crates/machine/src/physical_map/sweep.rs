//! Sweeps over all addresses: a new range begins where any span begins or ends.

use super::MapRange;

/// A span of addresses with a fact.
#[derive(Clone, Debug)]
pub(super) struct AddressSpan<S> {
    first: u64,
    last: u64,
    fact: S,
}

impl<S> AddressSpan<S> {
    /// `None` for a span that ends before it begins.
    pub(super) fn new(first: u64, last: u64, fact: S) -> Option<Self> {
        (first <= last).then_some(Self { first, last, fact })
    }
}

/// The ranges between all beginnings and ends. Addresses without facts have none.
pub(super) fn ranges<S>(
    spans: &[AddressSpan<S>],
    describe: impl Fn(u64, u64, &[&S]) -> MapRange,
) -> Vec<MapRange> {
    let mut begins: Vec<usize> = (0..spans.len()).collect();
    begins.sort_by_key(|&index| spans[index].first);
    let mut cuts: Vec<u64> = spans
        .iter()
        .flat_map(|span| [Some(span.first), span.last.checked_add(1)])
        .flatten()
        .collect();
    cuts.sort_unstable();
    cuts.dedup();
    let mut waiting = begins.into_iter().peekable();
    let mut open: Vec<usize> = Vec::new();
    let mut ranges: Vec<MapRange> = Vec::new();
    for (number, &first) in cuts.iter().enumerate() {
        let last = cuts.get(number + 1).map_or(u64::MAX, |next| next - 1);
        open.retain(|&index| spans[index].last >= first);
        while let Some(index) = waiting.next_if(|&index| spans[index].first == first) {
            open.push(index);
        }
        if open.is_empty() {
            continue;
        }
        // Facts keep the order of the sources.
        open.sort_unstable();
        let facts: Vec<&S> = open.iter().map(|&index| &spans[index].fact).collect();
        add(&mut ranges, first, last, |first| describe(first, last, &facts));
    }
    ranges
}

/// Adds a range, joined with the previous one if they are equal.
fn add(ranges: &mut Vec<MapRange>, first: u64, last: u64, describe: impl Fn(u64) -> MapRange) {
    let here = describe(first);
    if let Some(before) = ranges.last_mut() {
        let joined = describe(before.first_address);
        let touches = before.last_address.checked_add(1) == Some(first);
        let as_before = MapRange {
            last_address: before.last_address,
            size_bytes: before.size_bytes,
            blocks: before.blocks.clone(),
            ..joined.clone()
        };
        if touches && *before == as_before {
            debug_assert_eq!(joined.last_address, last);
            *before = joined;
            return;
        }
    }
    ranges.push(here);
}
