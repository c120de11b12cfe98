//! Processes that die, and rows and columns that fail in some of them.

use std::collections::BTreeSet;

use thiserror::Error;

use super::*;
use crate::tests::unavailable;
use crate::{PlanScope, WorkerMessage};

/// A failure of one process.
#[derive(Clone, Copy)]
enum Trouble {
    /// It dies after this many messages.
    Death(usize),
    /// At its end, pages of this column have moved.
    OnOtherNodes(usize),
    /// This row has no CPU.
    NoCpu(usize),
    /// This cell (row, column) has no memory.
    NoRoom(usize, usize),
}

#[derive(Debug, Error)]
#[error("killed by SIGKILL")]
struct Killed;

/// A flat machine of two rows and two columns, with a list of failures by process.
struct Troubled {
    replay: Replay,
    troubles: Vec<(u32, Trouble)>,
}

impl BatchExecutor for Troubled {
    type Error = Killed;

    fn execute(
        &mut self,
        batch: &Batch,
        on_message: &mut dyn FnMut(Option<WorkerMessage>) -> bool,
    ) -> Result<(), Killed> {
        let trouble = self
            .troubles
            .iter()
            .find(|(process, _)| *process == batch.process)
            .map(|(_, trouble)| *trouble);
        let (mut left, mut without) = (usize::MAX, None);
        match trouble {
            Some(Trouble::Death(answers)) => left = answers,
            Some(Trouble::NoCpu(row)) => {
                without = Some(row);
                on_message(Some(unavailable(PlanScope::Row(row), "it went offline")));
            }
            Some(Trouble::OnOtherNodes(_) | Trouble::NoRoom(..)) | None => {}
        }
        let Ok(()) = self.replay.execute(batch, &mut |answer| {
            left = left.saturating_sub(1);
            let is_missing = matches!(
                &answer,
                Some(WorkerMessage::Sample(sample)) if Some(sample.place.row) == without
            );
            left > 0 && (is_missing || on_message(answer))
        });
        match trouble {
            Some(Trouble::Death(_)) => return Err(Killed),
            Some(Trouble::OnOtherNodes(column)) => {
                on_message(Some(unavailable(PlanScope::Column(column), "pages moved")));
            }
            Some(Trouble::NoRoom(row, column)) => {
                on_message(Some(WorkerMessage::Unavailable {
                    scope: PlanScope::Cell(CellIndex::new(row, column)),
                    why: "too little is free".to_owned(),
                }));
            }
            _ => {}
        }
        Ok(())
    }
}

/// A plan of 15 rounds in 5 processes, unless some are lost.
fn run_with_troubles(troubles: &[(u32, Trouble)]) -> Result<PlanOutcome, Killed> {
    let noise = ReplayNoise {
        cv: 0.001,
        process_sd: 0.0,
        round_sd: 0.0,
        tail_share: 0.0,
        dropped_share: 0.0,
        ..ReplayNoise::default()
    };
    let replay = Replay::new(vec![vec![80.0; 2]; 2], noise, 1);
    let mut machine = Troubled { replay, troubles: troubles.to_vec() };
    run(&plan(2, 2, PlanLimits::usual(), 1), &mut machine, &|| Duration::ZERO, &mut |_| true)
}

/// The processes that sampled a row and column.
fn processes_of(outcome: &PlanOutcome, row: usize, column: usize) -> Vec<u32> {
    let samples =
        outcome.samples.iter().filter(|sample| sample.place == CellIndex::new(row, column));
    samples.map(|sample| sample.process).collect::<BTreeSet<_>>().into_iter().collect()
}

#[test]
fn a_dead_process_loses_only_its_own_samples() {
    let outcome = run_with_troubles(&[(2, Trouble::Death(8))]).unwrap();
    assert_eq!(
        (outcome.stopped, outcome.rounds, outcome.processes),
        (PlanStopReason::Precise, 15, 6)
    );
    assert_eq!(processes_of(&outcome, 0, 0), [0, 1, 3, 4, 5]);
    assert_eq!(outcome.samples.len(), 15 * 4);
    assert_eq!(outcome.lost, ["process 2 was lost with all its samples: killed by SIGKILL"]);
}

#[test]
fn separate_deaths_are_tolerated() {
    let outcome = run_with_troubles(&[(1, Trouble::Death(1)), (3, Trouble::Death(30))]).unwrap();
    assert_eq!((outcome.rounds, outcome.lost.len()), (15, 2));
}

#[test]
fn two_deaths_in_a_row_are_an_error() {
    assert!(run_with_troubles(&[(2, Trouble::Death(8)), (3, Trouble::Death(8))]).is_err());
    assert!(run_with_troubles(&[(0, Trouble::Death(8))]).is_err());
}

#[test]
fn pages_moved_once_cost_one_process_and_column() {
    let outcome = run_with_troubles(&[(2, Trouble::OnOtherNodes(1))]).unwrap();
    assert!(outcome.unavailable.is_empty());
    assert_eq!(processes_of(&outcome, 0, 1), [0, 1, 3, 4]);
    assert_eq!(processes_of(&outcome, 0, 0), [0, 1, 2, 3, 4]);
    assert_eq!(outcome.lost, ["process 2 lost its samples of column 1: pages moved"]);
}

#[test]
fn repeated_failures_make_a_column_unavailable() {
    for troubles in [
        &[(2, Trouble::OnOtherNodes(1)), (3, Trouble::OnOtherNodes(1))][..],
        &[(0, Trouble::OnOtherNodes(1))],
    ] {
        let outcome = run_with_troubles(troubles).unwrap();
        assert_eq!(
            outcome.unavailable.get(&PlanScope::Column(1)).map(String::as_str),
            Some("pages moved")
        );
        assert!(processes_of(&outcome, 0, 1).is_empty());
        assert_eq!(processes_of(&outcome, 0, 0), [0, 1, 2, 3, 4]);
    }
}

/// Its earlier samples become no more precise, and the plan does not wait for them.
#[test]
fn unavailable_columns_do_not_delay_the_end() {
    let noise = ReplayNoise {
        cv: 0.001,
        process_sd: 0.0,
        round_sd: 0.0,
        tail_share: 0.0,
        dropped_share: 0.0,
        ..ReplayNoise::default()
    };
    let replay = Replay::new(vec![vec![80.0; 2]; 2], noise, 1);
    let troubles = vec![(1, Trouble::OnOtherNodes(1)), (2, Trouble::OnOtherNodes(1))];
    let mut machine = Troubled { replay, troubles };
    // Two samples give no standard error.
    let limits = PlanLimits { first_rounds_per_process: 2, ..PlanLimits::usual() };
    let outcome =
        run(&plan(2, 2, limits, 1), &mut machine, &|| Duration::ZERO, &mut |_| true).unwrap();
    assert_eq!((outcome.stopped, outcome.rounds), (PlanStopReason::Precise, 15));
}

#[test]
fn rows_fail_like_columns() {
    let once = run_with_troubles(&[(1, Trouble::NoCpu(0))]).unwrap();
    assert!(once.unavailable.is_empty());
    assert_eq!(once.lost, ["process 1 lost its samples of row 0: it went offline"]);
    assert_eq!(processes_of(&once, 0, 1), [0, 2, 3, 4]);
    let twice = run_with_troubles(&[(1, Trouble::NoCpu(0)), (2, Trouble::NoCpu(0))]).unwrap();
    assert_eq!(twice.unavailable.keys().collect::<Vec<_>>(), [&PlanScope::Row(0)]);
    assert!(processes_of(&twice, 0, 1).is_empty());
}

#[test]
fn a_failed_cell_leaves_its_row_and_column() {
    let outcome = run_with_troubles(&[(0, Trouble::NoRoom(1, 0))]).unwrap();
    assert_eq!(
        outcome.why_not(CellIndex::new(1, 0)).map(String::as_str),
        Some("too little is free")
    );
    assert!(processes_of(&outcome, 1, 0).is_empty());
    for (row, column) in [(0, 0), (0, 1), (1, 1)] {
        assert_eq!(outcome.why_not(CellIndex::new(row, column)), None);
        assert_eq!(processes_of(&outcome, row, column), [0, 1, 2, 3, 4]);
    }
    let once = run_with_troubles(&[(2, Trouble::NoRoom(1, 0))]).unwrap();
    assert_eq!(once.lost, ["process 2 lost its samples of row 1, column 0: too little is free"]);
}

#[test]
fn deaths_after_an_interruption_are_ignored() {
    let mut machine = Troubled {
        replay: Replay::new(vec![vec![80.0; 2]; 2], ReplayNoise::default(), 1),
        troubles: vec![(0, Trouble::Death(100))],
    };
    let watch = &mut |progress: PlanProgress| progress.samples < 5;
    let outcome =
        run(&plan(2, 2, PlanLimits::usual(), 1), &mut machine, &|| Duration::ZERO, watch).unwrap();
    assert_eq!((outcome.stopped, outcome.samples.len()), (PlanStopReason::Interrupted, 5));
}
