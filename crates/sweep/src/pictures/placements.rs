//! Every run as a dot, a row for each configuration.

use nearfar_view::draw::{DotRow, Dots, Heading, Quantity};

use super::objective;
use crate::{ConfigurationResult, Sweep};

/// The rows in the sweep's order; none where nothing succeeded.
pub(super) fn draw(sweep: &Sweep) -> Option<Dots> {
    let rows: Vec<DotRow> =
        sweep.configurations.iter().map(|configuration| row(sweep, configuration)).collect();
    if rows.iter().all(|row| row.values.is_empty()) {
        return None;
    }
    let boxes = match rows.iter().map(|row| row.boxes.len()).max() {
        None | Some(0) => None,
        Some(1) => Some("Box: the middle half of the runs; line: their median."),
        Some(_) => Some(
            "Box: the middle half of the runs; line: their median. Two boxes: the runs have two \
             modes.",
        ),
    };
    let better = if sweep.objective.higher_is_better {
        "Further right is better."
    } else {
        "Further left is better."
    };
    Some(Dots {
        heading: Heading::with_marks(
            format!("Every run: {}", objective(sweep)),
            "Each dot is a run that succeeded, in the order of the blocks from top to bottom of \
             its row",
            boxes.into_iter().chain([better]),
        ),
        across: Quantity { label: objective(sweep), ..Quantity::default() },
        rows,
    })
}

fn row(sweep: &Sweep, one: &ConfigurationResult) -> DotRow {
    let values: Vec<f64> =
        one.configuration.runs.iter().filter_map(|run| sweep.objective.figure(run)).collect();
    let mut notes: Vec<String> = Vec::new();
    let answers = &sweep.answers;
    let is = |id: &Option<String>| id.as_deref() == Some(one.configuration.id.as_str());
    if is(&answers.fastest) {
        notes.push(if sweep.objective.metric.is_some() { "best" } else { "fastest" }.to_owned());
    } else if answers.as_fast.contains(&one.configuration.id) {
        notes.push("ties with the best".to_owned());
    }
    if is(&answers.steadiest) {
        notes.push("steadiest".to_owned());
    }
    if one.failed > 0 {
        notes.push(format!("{} failed", one.failed));
    }
    DotRow {
        name: one.configuration.id.clone(),
        boxes: boxes(&values, one),
        values,
        note: notes.join(", "),
    }
}

/// A box for the runs, or one for each of their two modes.
fn boxes(values: &[f64], measured: &ConfigurationResult) -> Vec<[f64; 3]> {
    let Some(modes) = &measured.modes else {
        return quartiles(values, measured.median).into_iter().collect();
    };
    let (high, low): (Vec<f64>, Vec<f64>) =
        values.iter().partition(|value| **value > modes.boundary);
    [low, high].iter().filter_map(|mode| quartiles(mode, median(mode))).collect()
}

fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    Some((sorted[(sorted.len() - 1) / 2] + upper) / 2.0)
}

/// First and third quartile about the document's median, by nearest rank; of fewer than four runs
/// there is no middle half.
fn quartiles(values: &[f64], median: Option<f64>) -> Option<[f64; 3]> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    if sorted.len() < 4 {
        return None;
    }
    let at = |quarters: usize| sorted[(sorted.len() - 1) * quarters / 4];
    Some([at(1), median?, sorted[sorted.len() - 1 - (sorted.len() - 1) / 4]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_holds_the_middle_half() {
        let values: Vec<f64> = (1..=9).map(f64::from).collect();
        assert_eq!(quartiles(&values, Some(5.0)), Some([3.0, 5.0, 7.0]));
        assert_eq!(quartiles(&values[..3], Some(2.0)), None);
    }
}
