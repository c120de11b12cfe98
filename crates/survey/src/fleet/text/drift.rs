//! Settings that differ within a fleet.

use nearfar_view::text::paragraph;

use crate::fleet::{DriftState, DriftValue, FleetDocument, FleetDrift};

/// The columns of [`drift_rows`].
pub const DRIFT_COLUMNS: [&str; 5] = ["setting", "usual", "here", "group", "machines"];

/// Machines that are named in a line.
const MAX_NAMES: usize = 6;

/// A sentence for each value that is not the usual one, and one for each group that is too small
/// to have a usual one.
pub fn drift(fleet: &FleetDocument) -> Vec<String> {
    let (own, small): (Vec<&FleetDrift>, Vec<&FleetDrift>) =
        fleet.drift.iter().partition(|drift| drift.group == drift.compared_with);
    let sentence = |(drift, other): (&FleetDrift, &DriftValue)| {
        let (setting, value, names) =
            (setting(&drift.setting), value(other), names(&other.machines));
        format!("drift: {setting}: {value}{} on {names}", instead(drift))
    };
    let mut sentences: Vec<String> = own
        .iter()
        .flat_map(|drift| drift.others.iter().map(move |other| sentence((drift, other))))
        .collect();
    for drifts in small.chunk_by(|a, b| a.group == b.group) {
        let differences: Vec<String> = drifts
            .iter()
            .flat_map(|drift| drift.others.iter().map(move |other| (drift, other)))
            .map(|(drift, other)| {
                format!("{} {}{}", setting(&drift.setting), value(other), instead(drift))
            })
            .collect();
        let (group, largest) = (drifts[0].group + 1, drifts[0].compared_with + 1);
        let differences = differences.join("; ");
        sentences.push(format!("drift: group {group} against group {largest}: {differences}"));
    }
    sentences
}

/// A line for each value that is not the usual one.
pub fn drift_rows(fleet: &FleetDocument) -> Vec<[String; 5]> {
    fleet
        .drift
        .iter()
        .flat_map(|drift| drift.others.iter().map(|other| row(drift, other)))
        .collect()
}

fn row(drift: &FleetDrift, other: &DriftValue) -> [String; 5] {
    let usual = drift.usual.as_deref().map_or_else(|| "no majority".to_owned(), shown);
    let against = match drift.compared_with {
        same if same == drift.group => (drift.group + 1).to_string(),
        largest => format!("{} against {}", drift.group + 1, largest + 1),
    };
    [setting(&drift.setting), usual, value(other), against, names(&other.machines)]
}

/// Without a majority, each value has its own sentence, and none is the usual one.
fn instead(drift: &FleetDrift) -> String {
    drift.usual.as_ref().map(|usual| format!(" instead of {}", shown(usual))).unwrap_or_default()
}

fn value(other: &DriftValue) -> String {
    match other.state {
        DriftState::Differs => other.value.as_deref().map(shown).unwrap_or_default(),
        DriftState::NotReadable => "not readable".to_owned(),
        DriftState::NotSent => "not sent".to_owned(),
    }
}

/// A path in words: "paging thp enabled".
pub(crate) fn setting(path: &str) -> String {
    path.strip_prefix("machine.").unwrap_or(path).replace(['.', '_'], " ")
}

pub(crate) fn shown(value: &str) -> String {
    if value.is_empty() { "none".to_owned() } else { paragraph::short(value) }
}

/// The first names, and how many more there are.
fn names(all: &[String]) -> String {
    let shown = all.iter().take(MAX_NAMES).cloned().collect::<Vec<_>>().join(", ");
    match all.len().checked_sub(MAX_NAMES) {
        Some(more @ 1..) => format!("{shown} and {more} more"),
        _ => shown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_machines_are_counted() {
        let all: Vec<String> = (1..=9).map(|number| format!("n{number}")).collect();
        assert_eq!(names(&all), "n1, n2, n3, n4, n5, n6 and 3 more");
        assert_eq!(names(&all[..2]), "n1, n2");
        assert_eq!(setting("paging.thp_enabled"), "paging thp enabled");
    }
}
