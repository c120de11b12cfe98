//! Factors of crossed designs, and nearest nodes: wrong differences and power.

use std::fmt::Write as _;

use nearfar_infer::{
    AccessDesign, DesignCell, FactorEffect, FactorVerdict, NearestVerdict, SampleMatrix,
    factor_effects, nearest_node,
};

use crate::replay::{Model, Noise, Plan, survey};
use crate::share::{count, percent};

/// The smallest effect that counts.
const THRESHOLD: f64 = 0.02;
/// True extra cost of a level.
const EFFECTS: [f64; 2] = [0.05, 0.10];
/// Levels of program, buffer and interrupts.
const DESIGNS: [(&str, usize); 2] = [("2 x 2", 1), ("2 x 2 x 2", 2)];
const PROCESSES: [u32; 2] = [6, 20];
const ROUNDS_PER_PROCESS: u32 = 3;
/// Nodes of a nearest one.
const NODES: [usize; 2] = [2, 4];
/// Kinds of access that decide together on the nearest node.
const KINDS: usize = 2;
/// The divisor of the number of surveys in other tables.
const FEWER: f64 = 2.5;

pub(crate) fn table(surveys: u64) -> String {
    let surveys = ((surveys as f64 / FEWER) as u64).max(1);
    let mut text = format!(
        "## Factors: program, buffer and interrupts of disks and GPUs\n\nPer cent of {surveys} \
         runs of {ROUNDS_PER_PROCESS} rounds a process. *wrong*: some factor of a uniform machine \
         is called slower or faster beyond 2 % (in brackets the upper end of the 95 % interval, \
         5 by design). *same*: all of its factors are called the same. Then *slower* where \
         programs of one node, or its buffers, cost this much more. `uneven CPUs`: each process \
         draws a CPU for each row, and half of a row's CPUs are a fifth slower. `one row uneven`: \
         those of one row alone, with the same mean of both rows. Under `moves` a row \
         keeps the speed that its CPU was moved to: rows of that run do differ, and that is \
         found.\n\n| design | noise | processes \
         | wrong | same |"
    );
    for effect in EFFECTS {
        let percent = 100.0 * effect;
        let _ = write!(text, " program {percent:.0} % | buffer {percent:.0} % |");
    }
    let _ = write!(text, "\n|---|---|---|---|---|{}\n", "---|---|".repeat(EFFECTS.len()));
    for (name, places) in DESIGNS {
        for noise in noises() {
            for processes in PROCESSES {
                eprintln!("odds: factors {name}, {}, {processes} processes", noise.name);
                let _ = write!(text, "| {name} | {} | {processes} |", noise.name);
                text += &line(places, &noise, processes, surveys);
            }
        }
    }
    text + &fewest(surveys) + &nearest(surveys)
}

fn noises() -> Vec<Noise> {
    let own = [Noise::recorded_chase(), Noise::uneven(2), one_row_uneven()];
    [Noise::all().as_slice(), &own].concat()
}

fn one_row_uneven() -> Noise {
    Noise { name: "one row uneven", ..Noise::uneven(1) }
}

fn plan(processes: u32) -> Plan {
    let rounds = ROUNDS_PER_PROCESS * processes;
    Plan {
        first_rounds: rounds,
        first_rounds_per_process: ROUNDS_PER_PROCESS,
        max_rounds: rounds,
        standard_error: 0.0,
        ..Plan::usual()
    }
}

/// Rows are nodes of the program. Each column is a node of the buffer and a place of interrupts.
/// If one row alone is uneven, the others have the mean of its CPUs.
fn machine(rows: usize, columns: usize, noise: &Noise) -> Model {
    let mut model = Model::uniform(rows, columns);
    if (1..rows).contains(&noise.uneven_rows) {
        let others = model.costs.iter_mut().skip(noise.uneven_rows).flatten();
        others.for_each(|ns| *ns *= Noise::UNEVEN.sqrt());
    }
    model
}

fn effects(matrix: &SampleMatrix, places: usize, seed: u64) -> Vec<FactorEffect> {
    let mut design = Vec::new();
    for (row, column) in (0..2).flat_map(|row| (0..2 * places).map(move |column| (row, column))) {
        let levels = [row, column / places, column % places].map(|level| level as u32).to_vec();
        design.push(DesignCell { row, column, levels });
    }
    factor_effects(matrix, &design, &[0, 0, 0], THRESHOLD, seed)
}

fn differs(effect: &FactorEffect) -> bool {
    matches!(effect.verdict, FactorVerdict::Slower | FactorVerdict::Faster)
}

fn line(places: usize, noise: &Noise, processes: u32, surveys: u64) -> String {
    let plan = plan(processes);
    let uniform = machine(2, 2 * places, noise);
    let [wrong, same] = count(surveys, |seed| {
        let effects = effects(&survey(&uniform, noise, &plan, seed), places, seed);
        let is_same = |effect: &FactorEffect| effect.verdict == FactorVerdict::Same;
        [effects.iter().any(differs), effects.iter().all(is_same)]
    });
    let mut text =
        format!(" {} ({}) | {} |", wrong.percent(), percent(wrong.upper()), same.percent());
    for effect in EFFECTS {
        for factor in 0..2 {
            let mut model = uniform.clone();
            for (row, costs) in model.costs.iter_mut().enumerate() {
                for (column, ns) in costs.iter_mut().enumerate() {
                    let level = [row, column / places][factor];
                    *ns *= if level == 1 { 1.0 + effect } else { 1.0 };
                }
            }
            let [slower] = count(surveys, |seed| {
                let effects = effects(&survey(&model, noise, &plan, seed), places, seed);
                let own = effects.iter().find(|effect| effect.factor == factor);
                [own.is_some_and(|effect| effect.verdict == FactorVerdict::Slower)]
            });
            let _ = write!(text, " {} |", slower.percent());
        }
    }
    text.push('\n');
    text
}

/// Wrong differences by the number of processes.
fn fewest(surveys: u64) -> String {
    const FEW: [u32; 6] = [2, 3, 4, 5, 6, 8];
    let mut text = String::from(
        "\nFew processes draw few CPUs, and may draw the same each time: per cent of runs of a \
         uniform machine (2 x 2) that are called slower or faster. Fewer than six processes \
         decide nothing.\n\n| noise |",
    );
    for processes in FEW {
        let _ = write!(text, " {processes} processes |");
    }
    let _ = write!(text, "\n|---|{}\n", "---|".repeat(FEW.len()));
    for noise in [Noise::drift(), Noise::uneven(2), one_row_uneven()] {
        let _ = write!(text, "| {} |", noise.name);
        for processes in FEW {
            let (model, plan) = (machine(2, 2, &noise), plan(processes));
            let [wrong] = count(surveys, |seed| {
                [effects(&survey(&model, &noise, &plan, seed), 1, seed).iter().any(differs)]
            });
            let _ = write!(text, " {} ({}) |", wrong.percent(), percent(wrong.upper()));
        }
        text.push('\n');
    }
    text
}

/// Nearest nodes of a device, by the node of the program.
fn nearest(surveys: u64) -> String {
    let mut text = format!(
        "\nNearest node of a device, by the node of the program, in {KINDS} kinds of access with \
         two columns each. *wrong*: a uniform machine has a nearest node, or kinds contradict. \
         Then runs in which the nearest node is found where all others cost this much more in \
         both kinds.\n\n| nodes | noise | processes | wrong | same |"
    );
    for effect in EFFECTS {
        let _ = write!(text, " {:.0} % |", 100.0 * effect);
    }
    let _ = write!(text, "\n|---|---|---|---|---|{}\n", "---|".repeat(EFFECTS.len()));
    for nodes in NODES {
        for noise in noises() {
            for processes in PROCESSES {
                eprintln!("odds: nearest of {nodes}, {}, {processes} processes", noise.name);
                let _ = write!(text, "| {nodes} | {} | {processes} |", noise.name);
                text += &nearest_line(nodes, &noise, processes, surveys);
            }
        }
    }
    text
}

fn nearest_line(nodes: usize, noise: &Noise, processes: u32, surveys: u64) -> String {
    let plan = plan(processes);
    let uniform = machine(nodes, 2 * KINDS, noise);
    let decide = |model: &Model, seed: u64| {
        let samples = survey(model, noise, &plan, seed);
        let cell = |row: usize, column: usize| DesignCell {
            row,
            column,
            levels: vec![row as u32, column as u32 % 2],
        };
        let kind = |kind: usize| AccessDesign {
            samples: &samples,
            cells: (0..nodes)
                .flat_map(|row| [2 * kind, 2 * kind + 1].map(|column| cell(row, column)))
                .collect(),
            factor: 0,
        };
        nearest_node(&(0..KINDS).map(kind).collect::<Vec<_>>(), THRESHOLD, seed)
    };
    let [wrong, same] = count(surveys, |seed| {
        let verdict = decide(&uniform, seed).verdict;
        let is_wrong = matches!(verdict, NearestVerdict::Nearest | NearestVerdict::Contradiction);
        [is_wrong, verdict == NearestVerdict::Same]
    });
    let mut text =
        format!(" {} ({}) | {} |", wrong.percent(), percent(wrong.upper()), same.percent());
    for effect in EFFECTS {
        let mut model = uniform.clone();
        model.costs.iter_mut().skip(1).flatten().for_each(|ns| *ns *= 1.0 + effect);
        let [found] = count(surveys, |seed| {
            let nearest = decide(&model, seed);
            [nearest.verdict == NearestVerdict::Nearest && nearest.nodes == [0]]
        });
        let _ = write!(text, " {} |", found.percent());
    }
    text.push('\n');
    text
}
