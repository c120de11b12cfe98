//! A survey of a described machine as numbers: true costs, noise, and what inference makes of them.

use fastrand::Rng;
use nearfar_infer::claims::{ClaimCheck, DistanceClaim, check};
use nearfar_infer::classes::{LatencyClass, classes};
use nearfar_infer::links::{Links, links};
use nearfar_infer::{
    InferError, NodeCosts, SampleMatrix, THRESHOLD, normal, verdict, worst_standard_error_of,
};
use nearfar_model::{CellIndex, MatrixShape, Sample};

use super::hidden_replay::searched;
use crate::check::judged::{Judged, Statements};
use crate::machine::LabMachine;

/// Scatter of one sample; one in twenty goes up by [`TAIL`] more on average.
const SCATTER: f64 = 0.02;
const TAIL: f64 = 0.08;
/// Scatter of fresh pages, of rows and of the whole machine from process to process.
const OF_PROCESSES: f64 = 0.004;
/// A plan as surveys have it: rounds before its precision is looked at, in processes of a few
/// rounds; those of further processes; the most; and the standard error that is enough.
const FIRST_ROUNDS: [u32; 2] = [15, 3];
const FURTHER_ROUNDS: u32 = 5;
const MOST_ROUNDS: u32 = 60;
const STANDARD_ERROR: f64 = 0.005;
/// Resamples for that precision.
const DRAWS: usize = 200;
/// What is inferred of a machine, judged against its description.
pub(crate) fn replayed(machine: &LabMachine, seed: u64) -> Result<Vec<Judged>, InferError> {
    let mut noise = RunningNoise::new(seed);
    if !machine.shows_nodes() {
        return searched(machine, &mut noise, seed);
    }
    let costs = machine.slowed(&machine.latency_ns());
    let readings = readings(&costs, &mut noise, seed)?;
    let verdict = verdict(&readings, THRESHOLD, seed);
    let ids = |node: &crate::machine::NodeDescription| node.id.0;
    let nodes = |all: Vec<u32>| all.into_iter().map(Some).collect::<Vec<_>>();
    let (cpus, memory) =
        (machine.cpu_nodes().map(ids).collect(), machine.memory_nodes().map(ids).collect());
    let costs = NodeCosts::from_samples(&readings, &nodes(cpus), &nodes(memory), seed);
    let classes: Vec<LatencyClass> = classes(&costs).unwrap_or_default();
    let links: Option<Links> = links(&costs).ok();
    let claims: Vec<ClaimCheck> = machine
        .description
        .firmware
        .slit
        .iter()
        .map(|slit| check(&claim(machine, slit), &costs, &classes, seed))
        .collect();
    let statements = Statements {
        verdict: &verdict,
        classes: &classes,
        links: links.as_ref(),
        claims: &claims,
        search: None,
    };
    Ok(statements.judged(machine))
}

fn claim(machine: &LabMachine, slit: &[Vec<u8>]) -> DistanceClaim {
    let nodes: Vec<u32> = machine.nodes().iter().map(|node| node.id.0).collect();
    let rows: Vec<Vec<u32>> =
        slit.iter().map(|row| row.iter().map(|&at| u32::from(at)).collect()).collect();
    DistanceClaim::slit(&nodes, &rows)
}

/// Scatter that goes on from sample to sample.
pub(super) struct RunningNoise {
    pub(super) rng: Rng,
}

impl RunningNoise {
    pub(super) fn new(seed: u64) -> Self {
        Self { rng: Rng::with_seed(seed ^ 0x6e_6f69_7365) }
    }

    pub(super) fn of_process(&mut self) -> f64 {
        OF_PROCESSES * normal(&mut self.rng)
    }

    pub(super) fn sample(&mut self) -> f64 {
        let tail = if self.rng.f64() < 0.05 { -TAIL * (1.0 - self.rng.f64()).ln() } else { 0.0 };
        SCATTER * normal(&mut self.rng) + tail
    }
}

/// Rounds until every cell is precise enough.
fn readings(
    costs: &[Vec<f64>],
    noise: &mut RunningNoise,
    seed: u64,
) -> Result<SampleMatrix, InferError> {
    let shape = MatrixShape::new(costs.len(), costs.first().map_or(0, Vec::len));
    let (mut samples, mut rounds, mut process) = (Vec::new(), 0, 0);
    loop {
        let more = if rounds < FIRST_ROUNDS[0] { FIRST_ROUNDS[1] } else { FURTHER_ROUNDS };
        let of_rows: Vec<f64> = costs.iter().map(|_| noise.of_process()).collect();
        let of_columns: Vec<f64> = (0..shape.columns).map(|_| noise.of_process()).collect();
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
        if rounds >= MOST_ROUNDS || rounds >= FIRST_ROUNDS[0] && is_precise() {
            return Ok(readings);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::judged::objections;

    #[test]
    fn a_replay_of_a_known_machine_is_right_and_repeats_itself() {
        for name in ["xeon-2s", "hidden-2n", "firmware-interleaved", "uma-claims-8-nodes"] {
            let machine = LabMachine::load(name).unwrap();
            let judged = replayed(&machine, 1).unwrap();
            assert_eq!(objections(&judged), Vec::<String>::new(), "{name}: {judged:#?}");
            assert!(judged.iter().any(|judged| judged.right > 0), "{name}");
            assert_eq!(replayed(&machine, 1).unwrap(), judged);
        }
    }

    #[test]
    fn drawn_machines_do_not_contradict_themselves() {
        for seed in 0..300 {
            let text = crate::random::description(seed);
            LabMachine::parse(&format!("random-{seed}"), "drawn", &text)
                .unwrap_or_else(|error| panic!("{seed}: {error}\n{text}"));
        }
    }
}
