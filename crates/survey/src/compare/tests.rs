//! Pairs of documents.

use nearfar_infer::changes::{BETWEEN, ChangeLimit};

use super::*;
use crate::sketch;

/// Two rows at two columns, each known to three thousandths, of ten processes.
fn kept() -> Survey {
    let mut survey = sketch::survey();
    survey.strip_samples();
    survey.provenance.processes = 10;
    survey.latency.rows.iter_mut().for_each(|row| row.drift = Some(0.002));
    for cell in &mut survey.latency.cells {
        let median = if cell.row == cell.column { 90.0 } else { 150.0 };
        (cell.median, cell.se, cell.ci95) =
            (Some(median), Some(0.003), Some([0.99 * median, 1.01 * median]));
        cell.why = None;
    }
    survey
}

fn slower(mut survey: Survey, (row, column): (usize, usize), times: f64) -> Survey {
    let cells =
        survey.latency.cells.iter_mut().filter(|cell| (cell.row, cell.column) == (row, column));
    cells.for_each(|cell| cell.median = cell.median.map(|median| median * times));
    survey
}

fn latency(above: bool, ratio: f64) -> Condition {
    Condition { part: "latency".to_owned(), treatment: None, bound: ChangeLimit { above, ratio } }
}

fn compared(first: &Survey, second: &Survey) -> SurveyComparison {
    compare(first, second, BETWEEN).unwrap()
}

#[test]
fn a_survey_equals_itself() {
    let same = compared(&kept(), &kept());
    assert_eq!((same.parts.len(), same.differs.len(), same.not_compared.len()), (1, 0, 0));
    assert!(
        same.parts[0]
            .cells
            .iter()
            .all(|cell| cell.change.unwrap().moved.ratio == 0.0 && !cell.is_real())
    );
    assert_eq!(same.judge(&latency(true, 0.05)).unwrap(), ConditionResult::default());
}

#[test]
fn one_changed_cell_fails_a_condition() {
    let found = compared(&kept(), &slower(kept(), (0, 1), 1.2));
    let real: Vec<usize> = (0..4).filter(|&at| found.parts[0].cells[at].is_real()).collect();
    assert_eq!(real, [1]);
    let judged = found.judge(&latency(true, 0.05)).unwrap();
    let [ConditionFinding::Cell(_, ratio)] = judged.beyond[..] else { panic!("{judged:?}") };
    assert!((ratio - 0.2).abs() < 1e-9 && judged.open.is_empty(), "{judged:?}");
    assert_eq!(found.judge(&latency(false, -0.05)).unwrap(), ConditionResult::default());
}

#[test]
fn wide_intervals_leave_a_condition_open() {
    let found = compared(&kept(), &slower(kept(), (0, 1), 1.03));
    let judged = found.judge(&latency(true, 0.05)).unwrap();
    assert!(judged.beyond.is_empty() && judged.open.len() == 1, "{judged:?}");
}

#[test]
fn cells_match_by_label() {
    let mut turned = slower(kept(), (0, 1), 1.2);
    turned.latency.rows.reverse();
    turned.latency.cells.iter_mut().for_each(|cell| cell.row = 1 - cell.row);
    turned.latency.cells.reverse();
    let plain = compared(&kept(), &slower(kept(), (0, 1), 1.2));
    assert_eq!(compared(&kept(), &turned).parts, plain.parts);
}

#[test]
fn missing_nodes_pass_no_condition() {
    let mut second = kept();
    let gone = format!("column {}", second.latency.columns.remove(1).label);
    second.latency.cells.retain(|cell| cell.column == 0);
    let found = compared(&kept(), &second);
    assert_eq!(found.parts[0].only_in, [vec![gone.clone()], vec![]]);
    let judged = found.judge(&latency(true, 0.05)).unwrap();
    assert_eq!((judged.beyond.len(), judged.absent), (0, vec![ConditionFinding::Gone(gone)]));
}

#[test]
fn cells_without_figures_pass_no_condition() {
    let mut second = kept();
    let cell = &mut second.latency.cells[0];
    (cell.median, cell.se, cell.ci95, cell.why) = (None, None, None, Some("no memory".to_owned()));
    let found = compared(&kept(), &second);
    let no_figure = UnknownFigure::NoFigure { why: Some("no memory".to_owned()) };
    let why = CellUncompared::Unknown { surveys: [None, Some(no_figure)] };
    assert_eq!(found.parts[0].cells[0].why, Some(why));
    let judged = found.judge(&latency(true, 0.05)).unwrap();
    assert!(judged.open.is_empty() && judged.absent.len() == 1, "{judged:?}");
    let neither = compared(&second, &second).judge(&latency(true, 0.05)).unwrap();
    assert!(neither.open.len() == 1 && neither.absent.is_empty(), "nothing changed: {neither:?}");
}

#[test]
fn changed_settings_are_reported() {
    let mut second = kept();
    second.machine.kernel = Some("6.13".to_owned());
    second.environment.insert("during".to_owned(), serde_json::json!({"steal_ticks": 3}));
    let found = compared(&kept(), &second);
    let (first, second) = (serde_json::json!("6.12"), serde_json::json!("6.13"));
    assert_eq!(
        found.differs,
        [MachineDifference { what: "machine.kernel".to_owned(), first, second }]
    );
}

#[test]
fn conditions_of_missing_parts_are_refused() {
    let same = compared(&kept(), &kept());
    let of = |part: &str, treatment: Option<&str>| Condition {
        part: part.to_owned(),
        treatment: treatment.map(str::to_owned),
        ..latency(true, 0.05)
    };
    assert!(matches!(same.judge(&of("latencies", None)), Err(NoSuchPart::Unknown(_))));
    assert!(matches!(same.judge(&of("core_to_core", None)), Err(NoSuchPart::InNeither(_))));
    assert!(matches!(same.judge(&of("latency", Some("read"))), Err(NoSuchPart::NoCell(..))));
}

#[test]
fn different_probes_are_not_compared() {
    let mut second = kept();
    second.latency.probe = "chase".to_owned();
    let found = compared(&kept(), &second);
    let (first, second_probe) = (kept().latency.probe, "chase".to_owned());
    let why = PartUncompared::OtherProbe { first, second: second_probe };
    let not_compared = NotCompared { part: "latency".to_owned(), why: why.clone() };
    assert_eq!((found.parts.len(), &found.not_compared[..]), (0, &[not_compared][..]));
    let part = "latency".to_owned();
    assert_eq!(found.judge(&latency(true, 0.05)), Err(NoSuchPart::NotCompared(part, why)));
    second.latency.cells.clear();
    second.latency.rows.clear();
    let error = compare(&kept(), &second, BETWEEN).unwrap_err().to_string();
    assert_eq!(error, "they have no part in common: the first has latency, the second none");
}
