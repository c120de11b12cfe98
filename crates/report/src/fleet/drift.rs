//! Settings that differ within a fleet.

use nearfar_fleet::{DriftState, DriftValue, FleetDocument, FleetDrift};

use crate::paragraph;

/// The columns of [`drift_rows`].
pub(crate) const DRIFT_COLUMNS: [&str; 5] = ["setting", "usual", "here", "group", "machines"];

/// Machines that are named in a line.
const MOST_NAMES: usize = 6;

/// A line for each value that is not the usual one.
pub(crate) fn drift_rows(fleet: &FleetDocument) -> Vec<[String; 5]> {
    fleet.drift.iter().flat_map(|drift| drift.others.iter().map(|one| row(drift, one))).collect()
}

fn row(drift: &FleetDrift, other: &DriftValue) -> [String; 5] {
    let usual = drift.usual.as_deref().map_or_else(|| "no majority".to_owned(), shown);
    let here = match other.state {
        DriftState::Differs => other.value.as_deref().map(shown).unwrap_or_default(),
        DriftState::NotReadable => "not readable".to_owned(),
        DriftState::NotSent => "not sent".to_owned(),
    };
    let against = match drift.compared_with {
        same if same == drift.group => (drift.group + 1).to_string(),
        largest => format!("{} against {}", drift.group + 1, largest + 1),
    };
    [setting(&drift.setting), usual, here, against, names(&other.machines)]
}

/// A path in words: "paging thp enabled".
fn setting(path: &str) -> String {
    path.strip_prefix("machine.").unwrap_or(path).replace(['.', '_'], " ")
}

fn shown(value: &str) -> String {
    if value.is_empty() { "empty".to_owned() } else { paragraph::short(value) }
}

/// The first names, and how many more there are.
fn names(all: &[String]) -> String {
    let shown = all.iter().take(MOST_NAMES).cloned().collect::<Vec<_>>().join(", ");
    match all.len().checked_sub(MOST_NAMES) {
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
