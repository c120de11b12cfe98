//! Batches of machines as sentences.

use std::collections::{BTreeSet, HashMap};

use nearfar_view::text::count;

use crate::fleet::text::FleetDetail;
use crate::fleet::text::drift::{setting, shown};
use crate::fleet::text::sentences::{shared, single};
use crate::fleet::{DriftState, FleetBatch, FleetDocument, FleetDrift, FleetGroup};

/// Ranges of names in a sentence; the document has all names.
const MAX_RANGES: usize = 8;
/// Settings of a batch in a sentence; the document has all.
const MAX_SETTINGS: usize = 4;
const ORDINALS: [&str; 5] = ["first", "second", "third", "fourth", "fifth"];

/// Of each group that falls into batches: which, and how they differ.
pub(crate) fn batches(fleet: &FleetDocument, detail: FleetDetail) -> Vec<String> {
    let groups = fleet.groups.iter().enumerate().filter(|(_, group)| group.batches.len() > 1);
    let for_group = |(number, group): (usize, &FleetGroup)| {
        let drift = fleet.drift.iter().filter(|one| one.group == number);
        let drift: Vec<&FleetDrift> = drift.filter(|one| one.compared_with == number).collect();
        [for_group(group, detail), in_common(group, &drift)].concat()
    };
    groups.flat_map(for_group).collect()
}

/// Settings that all machines of a batch have, and none of the others.
fn in_common(group: &FleetGroup, drift: &[&FleetDrift]) -> Vec<String> {
    let batches = group.batches.iter().zip(ORDINALS);
    let sentence = |(batch, ordinal): (&FleetBatch, &str)| {
        let own = |drift: &&&FleetDrift| value_of_batch(group, batch, drift).is_some();
        let settings = drift.iter().filter(own).map(|drift| {
            let value = value_of_batch(group, batch, drift).unwrap_or_default();
            format!("{} {}", setting(&drift.setting), shown(value))
        });
        let mut settings: Vec<String> = settings.collect();
        let more = settings.len().saturating_sub(MAX_SETTINGS);
        settings.truncate(MAX_SETTINGS);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        let all = settings.join("; ");
        (!all.is_empty()).then(|| {
            format!("All machines of the {ordinal} batch, and none of another, have {all}{more}.")
        })
    };
    batches.filter_map(sentence).collect()
}

/// The value that all machines of this batch have, and no other machine, as far as batches are
/// known.
fn value_of_batch<'d>(
    group: &FleetGroup,
    batch: &FleetBatch,
    drift: &'d FleetDrift,
) -> Option<&'d str> {
    let unsure: BTreeSet<&String> = group.batches.iter().flat_map(|it| &it.unsure).collect();
    let own: BTreeSet<&String> =
        batch.machines.iter().filter(|machine| !unsure.contains(machine)).collect();
    let is_own = |machines: &BTreeSet<&String>| {
        let sure: BTreeSet<&String> = machines.difference(&unsure).copied().collect();
        sure == own
    };
    let differing: BTreeSet<&String> = drift.others.iter().flat_map(|it| &it.machines).collect();
    let all = group.batches.iter().flat_map(|batch| &batch.machines);
    let usual: BTreeSet<&String> = all.filter(|machine| !differing.contains(machine)).collect();
    if is_own(&usual) {
        return drift.usual.as_deref();
    }
    let stated = drift.others.iter().filter(|other| other.state == DriftState::Differs);
    let mut stated = stated.filter(|other| is_own(&other.machines.iter().collect()));
    stated.next()?.value.as_deref()
}

fn for_group(group: &FleetGroup, detail: FleetDetail) -> Vec<String> {
    let number = match group.batches.len() {
        2 => "two".to_owned(),
        3 => "three".to_owned(),
        4 => "four".to_owned(),
        5 => "five".to_owned(),
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
    let compared = match unsure.as_slice() {
        [] => "Each machine is compared with its own batch.".to_owned(),
        _ => {
            let they = if unsure.len() == 1 { "It is" } else { "Each is" };
            format!(
                "The batch of {} is unknown. {they} compared with the nearest one, every other \
                 machine with its own.",
                ranges(&unsure)
            )
        }
    };
    let mut sentences = vec![format!("at least {number} batches: {members}. {compared}")];
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
