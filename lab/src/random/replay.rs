//! A survey of a described machine as numbers: true costs, noise, and what inference makes of them.

use nearfar_infer::{InferError, SampleMatrix, worst_standard_error_of};
use nearfar_model::{CellIndex, MatrixShape, Sample};
use nearfar_survey::Survey;

use super::document::{self, ReplayedPlan};
use super::hidden_replay::searched;
use super::noise::RunningNoise;
use crate::check::judged::{Judged, Statements};
use crate::machine::LabMachine;
use crate::sentences::{self, Slack};

/// A plan as surveys have it: rounds before its precision is looked at, in processes of a few
/// rounds; those of further processes; the most; and the standard error that is enough.
const FIRST_ROUNDS: [u32; 2] = [15, 3];
const FURTHER_ROUNDS: u32 = 5;
const MAX_ROUNDS: u32 = 60;
const STANDARD_ERROR: f64 = 0.005;
/// Resamples for that precision.
const DRAWS: usize = 200;

/// A machine's replay, judged against its description.
#[derive(Debug, PartialEq)]
pub(crate) struct Replay {
    pub(crate) statements: Vec<Judged>,
    /// What users read of it; nothing of hidden nodes.
    pub(crate) sentences: Vec<Judged>,
}

/// What is inferred of a machine, and what is printed of it.
pub(crate) fn replayed(machine: &LabMachine, seed: u64) -> Result<Replay, InferError> {
    if !machine.shows_nodes() {
        let statements = searched(machine, &mut RunningNoise::new(seed), seed)?;
        return Ok(Replay { statements, sentences: Vec::new() });
    }
    let survey = replayed_survey(machine, seed)?;
    Ok(Replay {
        statements: Statements::from_survey(&survey).judged(machine),
        sentences: sentences::survey::judged(&survey, machine, Slack::REPLAY),
    })
}

/// A survey of a machine that shows its nodes.
pub(crate) fn replayed_survey(machine: &LabMachine, seed: u64) -> Result<Survey, InferError> {
    let costs = machine.slowed(&machine.latency_ns());
    let plan = plan(&costs, &mut RunningNoise::new(seed), seed)?;
    document::survey(machine, &plan, seed)
}

/// Rounds until every cell is precise enough.
fn plan(
    costs: &[Vec<f64>],
    noise: &mut RunningNoise,
    seed: u64,
) -> Result<ReplayedPlan, InferError> {
    let shape = MatrixShape::new(costs.len(), costs.first().map_or(0, Vec::len));
    let (mut samples, mut rounds, mut process) = (Vec::new(), 0, 0);
    loop {
        let more = if rounds < FIRST_ROUNDS[0] { FIRST_ROUNDS[1] } else { FURTHER_ROUNDS };
        let of_rows: Vec<f64> = costs.iter().map(|_| noise.for_process()).collect();
        let of_columns: Vec<f64> = (0..shape.columns).map(|_| noise.for_process()).collect();
        for round in rounds..rounds + more {
            let mut places: Vec<(usize, usize)> = (0..shape.rows)
                .flat_map(|row| (0..shape.columns).map(move |column| (row, column)))
                .collect();
            noise.rng.shuffle(&mut places);
            for (row, column) in places {
                let log = of_rows[row] + of_columns[column] + noise.sample();
                samples.push(Sample::new(
                    process,
                    round,
                    CellIndex::new(row, column),
                    costs[row][column] * log.exp(),
                ));
            }
        }
        (rounds, process) = (rounds + more, process + 1);
        let readings = SampleMatrix::new(shape, &samples)?;
        let is_precise = || {
            worst_standard_error_of(&readings, DRAWS, seed)
                .is_some_and(|error| error <= STANDARD_ERROR)
        };
        if rounds >= MAX_ROUNDS || rounds >= FIRST_ROUNDS[0] && is_precise() {
            return Ok(ReplayedPlan { samples, rounds, processes: process });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Family;
    use super::*;
    use crate::check::judged::objections;

    #[test]
    fn a_replay_of_a_known_machine_is_right_and_repeats_itself() {
        for name in ["xeon-2s", "hidden-2n", "firmware-interleaved", "uma-claims-8-nodes"] {
            let machine = LabMachine::load(name).unwrap();
            let replay = replayed(&machine, 1).unwrap();
            let wrong = objections(&replay.statements);
            assert_eq!(wrong, Vec::<String>::new(), "{name}: {replay:#?}");
            assert!(replay.statements.iter().any(|judged| judged.right > 0), "{name}");
            assert_eq!(replayed(&machine, 1).unwrap(), replay);
        }
    }

    #[test]
    fn drawn_machines_do_not_contradict_themselves() {
        for (family, seed) in
            Family::ALL.into_iter().flat_map(|one| (0..60).map(move |at| (one, at)))
        {
            let text = crate::random::description(seed, family);
            LabMachine::parse(&format!("random-{seed}"), "drawn", &text)
                .unwrap_or_else(|error| panic!("{seed}: {error}\n{text}"));
        }
    }
}
