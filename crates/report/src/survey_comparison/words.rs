//! Two surveys in a few sentences.

use nearfar_infer::Numa;
use nearfar_model::Unit;
use nearfar_survey::compare::{CellChange, Comparison, PartChanges};

use super::reasons;
use crate::percent::{change, changes, share};

/// What changed, part by part, and what is not compared.
pub(crate) fn words(comparison: &Comparison) -> Vec<String> {
    let mut said: Vec<String> = comparison.parts.iter().flat_map(of_part).collect();
    said.extend(of_verdicts(comparison));
    let not_compared = comparison.not_compared.iter();
    said.extend(
        not_compared
            .map(|one| format!("{} is not compared: {}.", one.part, reasons::of_part(&one.why))),
    );
    said
}

fn of_part(part: &PartChanges) -> Vec<String> {
    let mut said = Vec::new();
    let name = name_of(part);
    if let Some(common) = part.common.filter(|common| common.real) {
        let (by, interval) = (change(common.ratio), changes(common.ci95));
        said.push(format!("{name}: all cells moved together, by {by} ({interval})."));
    }
    said.push(of_cells(part, &name));
    said.extend(of_missing(part, &name));
    said
}

/// Streams and loads of spread memory have one name.
fn name_of(part: &PartChanges) -> String {
    match (part.part.as_str(), part.unit) {
        ("interleave", Unit::Nanoseconds) => "interleave (loads)".to_owned(),
        ("interleave", _) => "interleave (streams)".to_owned(),
        (name, _) => name.to_owned(),
    }
}

fn of_cells(part: &PartChanges, name: &str) -> String {
    let known: Vec<&CellChange> = part.cells.iter().filter(|cell| cell.change.is_some()).collect();
    let ratio = |cell: &CellChange| cell.change.map_or(0.0, |change| change.moved.ratio);
    let real: Vec<&&CellChange> = known.iter().filter(|cell| cell.is_real()).collect();
    let most = real.iter().max_by(|a, b| ratio(a).abs().total_cmp(&ratio(b).abs()));
    if known.is_empty() {
        return format!(
            "{name}: no cell has a figure with its error in both, so nothing can be told."
        );
    }
    let Some(most) = most else {
        let reach = known
            .iter()
            .filter_map(|cell| cell.change)
            .flat_map(|change| change.moved.ci95.map(f64::abs));
        let (none, no_interval) = match known.len() {
            1 => ("the one cell did not change".to_owned(), "its interval does not reach"),
            cells => (format!("of the cells ({cells}) none changed"), "no interval reaches"),
        };
        let reach = share(reach.fold(0.0, f64::max));
        return format!("{name}: {none} beyond chance; {no_interval} beyond {reach}.");
    };
    let against = match real.iter().filter(|cell| cell.is_apart()).count() {
        0 => String::new(),
        1 => ", one of them against the rest of its row".to_owned(),
        many => format!(", {many} of them against the rest of their row"),
    };
    let (changed, all, which, by) = (real.len(), known.len(), most.name(), change(ratio(most)));
    format!("{name}: {changed} of {all} changed{against}, most of all {which} ({by}).")
}

fn of_missing(part: &PartChanges, name: &str) -> Option<String> {
    let none = part.cells.iter().filter(|cell| cell.change.is_none()).count();
    let mut said: Vec<String> = Vec::new();
    if none > 0 {
        said.push(format!("{none} of {} cells lack a figure in one of them", part.cells.len()));
    }
    for (labels, which) in part.only_in.iter().zip(["first", "second"]) {
        match labels.as_slice() {
            [] => {}
            [one] => said.push(format!("only the {which} has {one}")),
            [one, more @ ..] => {
                said.push(format!("only the {which} has {one} and {} more", more.len()));
            }
        }
    }
    (!said.is_empty()).then(|| format!("{name}: {}.", said.join("; ")))
}

fn of_verdicts(comparison: &Comparison) -> Option<String> {
    let [first, second] = comparison.verdicts;
    let word = |numa: Numa| match numa {
        Numa::Yes => "NUMA",
        Numa::No => "not NUMA",
        Numa::Undetermined => "undetermined",
    };
    let latency = comparison.parts.iter().any(|part| part.part == "latency");
    (latency && first.numa != second.numa).then(|| {
        format!(
            "The first survey's verdict is {}, the second's {}.",
            word(first.numa),
            word(second.numa)
        )
    })
}

#[cfg(test)]
mod tests {
    use nearfar_survey::Survey;
    use nearfar_survey::compare::compare;

    use super::*;

    #[test]
    fn what_changed_is_told_of_each_part() {
        let golden = include_str!("../../tests/golden/several.json");
        let first: Survey = serde_json::from_str(golden).unwrap();
        let mut second = first.clone();
        let said = |second: &Survey| words(&compare(&first, second, 0.01).unwrap());
        assert!(said(&second)[0].contains("none changed beyond chance"), "{:?}", said(&second));
        let median = &mut second.latency.cells[0].median;
        *median = median.map(|ns| 2.0 * ns);
        assert!(said(&second)[0].contains(" changed"), "{:?}", said(&second));
        second.latency.probe = "chase".to_owned();
        let wanted = "latency is not compared: the first used the probe page, the second chase.";
        assert_eq!(said(&second).last().unwrap(), wanted);
    }
}
