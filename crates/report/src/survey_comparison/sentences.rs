//! The conclusions of a comparison.

use nearfar_infer::Numa;
use nearfar_model::Unit;
use nearfar_survey::compare::{CellChange, PartChanges, SurveyComparison};
use nearfar_view::text::count_of;
use nearfar_view::text::percent::{change, changes, share};

use super::reasons;

/// The changes of each part, the verdicts, and the parts that were not compared.
pub(crate) fn sentences(comparison: &SurveyComparison) -> Vec<String> {
    let mut sentences: Vec<String> = comparison.parts.iter().flat_map(for_part).collect();
    sentences.extend(for_verdicts(comparison));
    sentences.extend(not_compared(comparison));
    sentences
}

/// A sentence for each reason.
fn not_compared(comparison: &SurveyComparison) -> Vec<String> {
    let mut by_reason: Vec<(String, Vec<&str>)> = Vec::new();
    for one in &comparison.not_compared {
        let reason = reasons::for_part(&one.why);
        match by_reason.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, parts)) => parts.push(&one.part),
            None => by_reason.push((reason, vec![&one.part])),
        }
    }
    let sentence = |(reason, parts): (String, Vec<&str>)| {
        let reason = if parts.len() > 1 { reason.replace("has it", "has them") } else { reason };
        format!("Not compared: {} ({reason}).", parts.join(", "))
    };
    by_reason.into_iter().map(sentence).collect()
}

fn for_part(part: &PartChanges) -> Vec<String> {
    let mut sentences = Vec::new();
    let name = name_of(part);
    if let Some(common) = part.common.filter(|common| common.real) {
        let (by, interval) = (change(common.ratio), changes(common.ci95));
        sentences.push(format!("{name}: all cells changed together, by {by} ({interval})."));
    }
    sentences.push(for_cells(part, &name));
    sentences.extend(for_missing(part, &name));
    sentences
}

/// Streams and loads of interleaved memory share a name.
pub(super) fn name_of(part: &PartChanges) -> String {
    match (part.part.as_str(), part.unit) {
        ("interleave", Unit::Nanoseconds) => "interleave (loads)".to_owned(),
        ("interleave", _) => "interleave (streams)".to_owned(),
        (name, _) => name.to_owned(),
    }
}

fn for_cells(part: &PartChanges, name: &str) -> String {
    let known: Vec<&CellChange> = part.cells.iter().filter(|cell| cell.change.is_some()).collect();
    let ratio = |cell: &CellChange| cell.change.map_or(0.0, |change| change.moved.ratio);
    let real: Vec<&&CellChange> = known.iter().filter(|cell| cell.is_real()).collect();
    let most = real.iter().max_by(|a, b| ratio(a).abs().total_cmp(&ratio(b).abs()));
    if known.is_empty() {
        return match part.cells.len() {
            0 => format!("{name}: the surveys have no cell in common."),
            _ => format!("{name}: no cell has a standard error in both surveys."),
        };
    }
    let Some(most) = most else {
        let reach = known
            .iter()
            .filter_map(|cell| cell.change)
            .flat_map(|change| change.moved.ci95.map(f64::abs));
        let none = match known.len() {
            1 => "the only cell did not change".to_owned(),
            cells => format!("none of {cells} cells changed"),
        };
        let reach = share(reach.fold(0.0, f64::max));
        return format!("{name}: {none} significantly; a change above {reach} is excluded.");
    };
    let against = match real.iter().filter(|cell| cell.is_apart()).count() {
        0 => String::new(),
        1 => ", one of them relative to its row".to_owned(),
        many => format!(", {many} of them relative to their row"),
    };
    let (changed, all, which, by) = (real.len(), known.len(), most.name(), change(ratio(most)));
    format!("{name}: {changed} of {all} cells changed{against}, most {which} ({by}).")
}

fn for_missing(part: &PartChanges, name: &str) -> Option<String> {
    let none = part.cells.iter().filter(|cell| cell.change.is_none()).count();
    let mut facts: Vec<String> = Vec::new();
    if none > 0 {
        let lacking = count_of(none, part.cells.len(), "cell", "lack");
        facts.push(format!("{lacking} a figure in one survey"));
    }
    for (labels, which) in part.only_in.iter().zip(["first", "second"]) {
        match labels.as_slice() {
            [] => {}
            [one] => facts.push(format!("only the {which} has {one}")),
            [one, more @ ..] => {
                facts.push(format!("only the {which} has {one} and {} more", more.len()));
            }
        }
    }
    (!facts.is_empty()).then(|| format!("{name}: {}.", facts.join("; ")))
}

fn for_verdicts(comparison: &SurveyComparison) -> Option<String> {
    let [first, second] = comparison.verdicts;
    let phrase = |numa: Numa| match numa {
        Numa::Yes => "NUMA",
        Numa::No => "not NUMA",
        Numa::Undetermined => "undetermined",
    };
    let latency = comparison.parts.iter().any(|part| part.part == "latency");
    (latency && first.numa != second.numa).then(|| {
        format!(
            "Verdict: {} in the first survey, {} in the second.",
            phrase(first.numa),
            phrase(second.numa)
        )
    })
}

#[cfg(test)]
mod tests {
    use nearfar_survey::Survey;
    use nearfar_survey::compare::compare;

    use super::*;

    #[test]
    fn each_part_has_its_changes() {
        let golden = include_str!("../../tests/golden/several.json");
        let first: Survey = serde_json::from_str(golden).unwrap();
        let mut second = first.clone();
        let of = |second: &Survey| sentences(&compare(&first, second, 0.01).unwrap());
        assert!(
            of(&second)[0].contains("cells changed significantly; a change above"),
            "{:?}",
            of(&second)
        );
        let median = &mut second.latency.cells[0].median;
        *median = median.map(|ns| 2.0 * ns);
        assert!(of(&second)[0].contains(" changed"), "{:?}", of(&second));
        second.latency.probe = "chase".to_owned();
        let expected = "Not compared: latency (the first used the probe page, the second chase).";
        assert_eq!(of(&second).last().unwrap(), expected);
    }
}
