//! Batches of machines as sentences.

use std::collections::HashMap;

use nearfar_view::text::count;

use crate::fleet::text::FleetDetail;
use crate::fleet::text::sentences::{shared, single};
use crate::fleet::{FleetBatch, FleetDocument, FleetGroup};

/// Ranges of names in a sentence; the document has all names.
const MAX_RANGES: usize = 8;
const ORDINALS: [&str; 3] = ["first", "second", "third"];

/// Of each group that falls into batches: which, and how they differ.
pub(crate) fn batches(fleet: &FleetDocument, detail: FleetDetail) -> Vec<String> {
    let groups = fleet.groups.iter().filter(|group| group.batches.len() > 1);
    groups.flat_map(|group| for_group(group, detail)).collect()
}

fn for_group(group: &FleetGroup, detail: FleetDetail) -> Vec<String> {
    let number = match group.batches.len() {
        2 => "two".to_owned(),
        3 => "three".to_owned(),
        more => more.to_string(),
    };
    let members = group.batches.iter().map(|batch| {
        let sure: Vec<String> =
            batch.machines.iter().filter(|name| !batch.unsure.contains(name)).cloned().collect();
        format!("{} ({})", ranges(&sure), count(sure.len(), "machine"))
    });
    let members = members.collect::<Vec<_>>().join("; ");
    let unsure: Vec<String> =
        group.batches.iter().flat_map(|batch| batch.unsure.iter().cloned()).collect();
    let unsure = match unsure.as_slice() {
        [] => String::new(),
        _ => format!(" The batch of {} is unknown.", ranges(&unsure)),
    };
    let each = "Each machine is compared with its own batch.";
    let mut sentences = vec![format!("at least {number} batches: {members}.{unsure} {each}")];
    let others = group.batches.iter().zip(ORDINALS).skip(1);
    sentences.extend(others.map(|(batch, ordinal)| differences(batch, ordinal, detail)));
    sentences
}

/// How a batch differs from the first.
fn differences(batch: &FleetBatch, ordinal: &str, detail: FleetDetail) -> String {
    let causes = batch.causes.iter().map(|cause| shared(cause, detail));
    let alone = batch.differences.iter().filter(|difference| difference.cause.is_none());
    let alone = alone.map(|alone| single(alone, "in the first", detail));
    let all: Vec<String> = causes.chain(alone).collect();
    format!("In the {ordinal} batch, beside the first: {}.", all.join("; "))
}

/// "n0-n7, n12": names that only differ in a number that goes on.
fn ranges(names: &[String]) -> String {
    let mut ranges: Vec<(&str, &str)> = Vec::new();
    let mut ends: HashMap<&str, Option<(&str, u64)>> = HashMap::new();
    for name in names {
        let own = *ends.entry(name).or_insert_with(|| numbered(name));
        match ranges.last_mut() {
            Some((_, last)) if is_next(ends.get(*last).copied().flatten(), own) => *last = name,
            _ => ranges.push((name, name)),
        }
    }
    let shown = ranges.iter().take(MAX_RANGES);
    let shown = shown.map(|(first, last)| match first == last {
        true => (*first).to_owned(),
        false => format!("{first}-{last}"),
    });
    let text = shown.collect::<Vec<_>>().join(", ");
    match ranges.len().checked_sub(MAX_RANGES) {
        Some(_more @ 1..) => text + " and more",
        _ => text,
    }
}

/// What is before the number at a name's end, and that.
fn numbered(name: &str) -> Option<(&str, u64)> {
    let digits = name.len() - name.trim_end_matches(|it: char| it.is_ascii_digit()).len();
    let (before, number) = name.split_at(name.len() - digits);
    Some((before, number.parse().ok()?))
}

fn is_next(last: Option<(&str, u64)>, own: Option<(&str, u64)>) -> bool {
    match (last, own) {
        (Some((before, last)), Some((also, own))) => before == also && last + 1 == own,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_follow_each_other_are_a_range() {
        let names = |all: &[&str]| all.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(ranges(&names(&["n0", "n1", "n2", "n7", "gpu"])), "n0-n2, n7, gpu");
        assert_eq!(ranges(&names(&["node09", "node10", "a1"])), "node09-node10, a1");
        let many: Vec<String> = (0..20).map(|at| format!("n{}", 2 * at)).collect();
        assert!(ranges(&many).ends_with("n14 and more"));
    }
}
