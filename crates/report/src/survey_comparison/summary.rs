//! Whether the second survey is slower, in a line, and what to do.

use nearfar_model::shell_word;
use nearfar_survey::compare::{CellChange, PartChanges, SurveyComparison};
use nearfar_view::text::fitted::ToDo;
use nearfar_view::text::percent::change;

use super::sentences::name_of;

/// "The second survey is slower in latency (up to +8.0 %); faster in bandwidth (up to +3.1 %);
/// without significant change in loaded".
pub(super) fn verdict(comparison: &SurveyComparison) -> String {
    let [mut slower, mut faster, mut same] = [const { Vec::new() }; 3];
    for part in &comparison.parts {
        let name = name_of(part);
        let [worse, better] = [most(part, true), most(part, false)];
        slower.extend(worse.map(|by| format!("{name} (up to {})", change(by))));
        faster.extend(better.map(|by| format!("{name} (up to {})", change(by))));
        let is_known = part.cells.iter().any(|cell| cell.change.is_some());
        same.extend((worse.is_none() && better.is_none() && is_known).then_some(name));
    }
    let named =
        [("slower in", slower), ("faster in", faster), ("without significant change in", same)];
    let named = named.iter().filter(|(_, parts)| !parts.is_empty());
    let phrases: Vec<String> =
        named.map(|(word, parts)| format!("{word} {}", parts.join(", "))).collect();
    match phrases.is_empty() {
        true => "Compared: nothing, because no part has figures in both".to_owned(),
        false => format!("The second survey is {}", phrases.join("; ")),
    }
}

/// The largest significant change for the worse, or for the better.
fn most(part: &PartChanges, worse: bool) -> Option<f64> {
    let ratio = |cell: &CellChange| cell.change.map(|change| change.moved.ratio);
    let real = part.cells.iter().filter(|cell| cell.is_real()).filter_map(ratio);
    let is_wanted = |by: &f64| (*by > 0.0) == (worse != part.unit.more_is_better());
    real.filter(is_wanted).max_by(|a, b| a.abs().total_cmp(&b.abs()))
}

/// What shows more of both files.
pub(super) fn to_do(comparison: &SurveyComparison, files: [&str; 2]) -> Vec<ToDo> {
    let [first, second] = files.map(shell_word);
    let mut all = Vec::new();
    if comparison.parts.iter().any(|part| most(part, true).is_some()) {
        let why = "On the slower machine, 'nearfar diagnose' shows settings and faults.";
        all.push(ToDo::new("", why));
    }
    let csv = format!("nearfar compare {first} {second} --csv");
    all.push(ToDo::new(csv, "all cells"));
    all
}
