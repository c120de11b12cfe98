//! Measurements with simulated experiments: lists of runs, of skipped instruments, and
//! interruptions.

use super::*;
use crate::measure::tests::{Clock, Scripted, Shared};

/// A measurement by these experiments; `all` is a thorough survey.
fn measurement(scripted: Vec<Scripted>, budget: Option<u64>, all: bool) -> Measurement {
    Measurement {
        session: Session::begin(Some(1)).unwrap(),
        scope: Scope { budget: budget.map(Duration::from_secs), ..Scope::default() },
        experiments: scripted
            .into_iter()
            .map(|one| Box::new(Shared::new(one)) as Box<dyn Experiment>)
            .collect(),
        absent: vec![],
        threshold: 0.05,
        lists_instruments: all,
    }
}

fn of(instrument: Instrument) -> Scripted {
    Scripted { instrument, ..Scripted::default() }
}

fn instrument_runs(survey: &Survey) -> Vec<&str> {
    survey.provenance.instruments.iter().map(|run| run.instrument.as_str()).collect()
}

fn left_out(survey: &Survey) -> Vec<(&str, Option<&str>)> {
    survey
        .provenance
        .left_out
        .iter()
        .map(|one| (one.instrument.as_str(), one.why.as_deref()))
        .collect()
}

const THREE: [Instrument; 3] = [Instrument::Latency, Instrument::Bandwidth, Instrument::Caches];

#[test]
fn several_instruments_are_listed() {
    let survey =
        measurement(THREE.map(of).to_vec(), None, true).run_on(&mut Clock::default()).unwrap();
    assert_eq!(instrument_runs(&survey), ["latency", "bandwidth", "caches"]);
    assert_eq!((survey.provenance.stopped.as_str(), left_out(&survey).len()), ("round-limit", 0));
    let alone = measurement(vec![of(Instrument::Caches)], None, false)
        .run_on(&mut Clock::default())
        .unwrap();
    assert!(instrument_runs(&alone).is_empty() && alone.provenance.processes == 1);
}

#[test]
fn an_interruption_keeps_finished_first_turns() {
    let mut scripted = THREE.map(of).to_vec();
    scripted[1].fails_at = Some((1, true));
    let survey = measurement(scripted, None, true).run_on(&mut Clock::default()).unwrap();
    assert_eq!(
        (instrument_runs(&survey), survey.provenance.stopped.as_str()),
        (vec!["latency"], "interrupted")
    );
    assert_eq!(
        left_out(&survey),
        [("bandwidth", Some("interrupted")), ("caches", Some("interrupted"))]
    );
    let first = Scripted { fails_at: Some((1, true)), ..of(Instrument::Latency) };
    let nothing = measurement(vec![first], None, false).run_on(&mut Clock::default());
    assert!(matches!(nothing, Err(MeasureError::Interrupted)));
}

#[test]
fn an_interrupted_further_turn_keeps_all() {
    let mut scripted = THREE.map(of).to_vec();
    (scripted[0].scatter, scripted[0].fails_at) = (9.0, Some((2, true)));
    let survey = measurement(scripted, Some(60), true).run_on(&mut Clock::default()).unwrap();
    assert_eq!(
        (instrument_runs(&survey), survey.provenance.stopped.as_str()),
        (THREE.map(Instrument::name).to_vec(), "interrupted")
    );
}

#[test]
fn a_failed_instrument_is_skipped_with_its_reason() {
    let failing = |at: usize| {
        let mut scripted = THREE.map(of).to_vec();
        scripted[at].fails_at = Some((1, false));
        scripted
    };
    let why = "no memory can be measured: ";
    let survey = measurement(failing(1), None, true).run_on(&mut Clock::default()).unwrap();
    assert_eq!(left_out(&survey), [("bandwidth", Some(why))]);
    let survey = measurement(failing(0), None, true).run_on(&mut Clock::default()).unwrap();
    assert_eq!(left_out(&survey), [("latency", Some(why))], "the others measured");
    let plain = measurement(failing(0), None, false).run_on(&mut Clock::default());
    assert_eq!(plain.unwrap_err().to_string(), why);
    let pages = Scripted { fails_at: Some((1, false)), ..of(Instrument::PageSize) };
    let survey = measurement(vec![of(Instrument::Latency), pages], None, false)
        .run_on(&mut Clock::default())
        .unwrap();
    assert!(left_out(&survey).is_empty(), "latency's part reports it");
}

#[test]
fn an_instrument_without_time_reports_its_need() {
    let mut scripted = THREE.map(of).to_vec();
    scripted[1].expected_s[0] = 100.0;
    let survey = measurement(scripted, Some(25), true).run_on(&mut Clock::default()).unwrap();
    assert_eq!(
        (instrument_runs(&survey), left_out(&survey)),
        (vec!["latency", "caches"], vec![("bandwidth", None)])
    );
    assert_eq!(survey.provenance.left_out[0].needs_s, Some(100.0));
}

#[test]
fn a_too_small_budget_is_refused() {
    let refused =
        |scripted, budget| measurement(scripted, Some(budget), true).check_budget().unwrap_err();
    assert_eq!(
        refused(THREE.map(of).to_vec(), 5).to_string(),
        "a budget of 5s is too small: latency alone needs about 10s; all instruments, at minimal \
         precision, need about 30s"
    );
    assert_eq!(
        refused(vec![of(Instrument::Caches)], 5).to_string(),
        "a budget of 5s is too small: caches alone needs about 10s"
    );
}
