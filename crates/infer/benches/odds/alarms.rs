//! False alarm rates on uniform machines.

use std::fmt::Write as _;

use nearfar_infer::{Numa, THRESHOLD, verdict};

use crate::replay::{Model, Noise, Plan, survey};
use crate::rivals;
use crate::share::{count, percent};

const FAMILIES: [(usize, usize); 5] = [(1, 2), (2, 2), (2, 4), (4, 4), (8, 8)];
/// Matrices with this many cells are too large for the recorded pointer chase.
const LARGE: usize = 64;

pub(crate) fn table(surveys: u64) -> String {
    let mut text = String::from(
        "## False alarms: uniform machines called different\n\nPer cent of surveys; in brackets \
         the upper end of the 95 % interval of *detected*, at most 1.5 by design.\n\n| rows x \
         columns | noise | surveys | detected | verdict yes | verdict no | \
         spread | 20 cycles |\n|---|---|---|---|---|---|---|---|\n",
    );
    for (rows, columns) in FAMILIES {
        let chase = [Noise::recorded_chase()].into_iter().filter(|_| rows * columns < LARGE);
        for noise in Noise::all().into_iter().chain(chase) {
            eprintln!("odds: {rows} x {columns}, {}", noise.name);
            line(&mut text, &Model::uniform(rows, columns), &noise, surveys);
        }
    }
    text
}

fn line(text: &mut String, model: &Model, noise: &Noise, surveys: u64) {
    let [detected, yes, no, spread, fixed] = count(surveys, |seed| {
        let matrix = survey(model, noise, &Plan::usual(), seed);
        let verdict = verdict(&matrix, THRESHOLD, seed);
        let numa = |answer| verdict.numa == answer;
        [
            verdict.detected,
            numa(Numa::Yes),
            numa(Numa::No),
            rivals::spread(&matrix, noise, seed),
            rivals::fixed_gap(&matrix),
        ]
    });
    let _ = writeln!(
        text,
        "| {} x {} | {} | {surveys} | {} (up to {}) | {} | {} | {} | {} |",
        model.rows(),
        model.columns(),
        noise.name,
        detected.percent(),
        percent(detected.upper()),
        yes.percent(),
        no.percent(),
        spread.percent(),
        fixed.percent(),
    );
}
