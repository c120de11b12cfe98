//! Machines with a changing level of one memory during the survey: columns are not exchangeable.

use std::fmt::Write as _;

use nearfar_infer::{Numa, THRESHOLD, verdict};

use crate::replay::{Model, Noise, Plan, survey};
use crate::share::{count, percent};

const FAMILIES: [(usize, usize); 4] = [(1, 2), (2, 2), (4, 4), (8, 8)];
/// True extra cost of one memory.
const DIFFERENCES: [f64; 3] = [0.1, 0.2, 0.5];
/// The divisor of the number of surveys in other tables.
const FEWER: u64 = 5;

pub(crate) fn table(surveys: u64) -> String {
    let surveys = (surveys / FEWER).max(1);
    let mut text = format!(
        "## One memory whose level changes: columns are not exchangeable\n\nPer cent of {surveys} \
         surveys. Of uniform machines, *detected*: columns differed while they were measured; \
         *yes* is wrong (in brackets the upper end of its 95 % interval). Then *yes* where one \
         memory truly costs every row more. A quick survey often ends before the memory \
         steps.\n\n| rows x columns | noise | plan | detected | verdict yes | verdict no |"
    );
    for difference in DIFFERENCES {
        let _ = write!(text, " yes at {:.0} % |", 100.0 * difference);
    }
    let _ = write!(text, "\n|---|---|---|---|---|---|{}\n", "---|".repeat(DIFFERENCES.len()));
    for (rows, columns) in FAMILIES {
        for noise in Noise::for_one_column() {
            for (name, plan) in [("usual", Plan::usual()), ("quick", Plan::quick())] {
                eprintln!("odds: {rows} x {columns}, {}, {name}", noise.name);
                let _ = write!(text, "| {rows} x {columns} | {} | {name} |", noise.name);
                text += &uniform(&Model::uniform(rows, columns), &noise, &plan, surveys);
                for difference in DIFFERENCES {
                    let model = Model::one_slow_node(rows, columns, difference);
                    let yes = |seed| {
                        [verdict(&survey(&model, &noise, &plan, seed), THRESHOLD, seed).numa
                            == Numa::Yes]
                    };
                    let [yes] = count(surveys / 2, yes);
                    let _ = write!(text, " {} |", yes.percent());
                }
                text.push('\n');
            }
        }
    }
    text
}

fn uniform(model: &Model, noise: &Noise, plan: &Plan, surveys: u64) -> String {
    let [detected, yes, no] = count(surveys, |seed| {
        let verdict = verdict(&survey(model, noise, plan, seed), THRESHOLD, seed);
        [verdict.detected, verdict.numa == Numa::Yes, verdict.numa == Numa::No]
    });
    format!(
        " {} | {} ({}) | {} |",
        detected.percent(),
        yes.percent(),
        percent(yes.upper()),
        no.percent()
    )
}
