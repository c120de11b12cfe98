//! Quick surveys: wrong and missing answers, by the time between processes and where others cut it
//! short.

use std::f64::consts::FRAC_1_SQRT_2;
use std::fmt::Write as _;

use nearfar_infer::{Numa, THRESHOLD, verdict};

use crate::replay::{Model, Noise, Plan, survey};
use crate::share::{Share, count, percent};

const FAMILIES: [(usize, usize); 3] = [(1, 2), (2, 4), (4, 4)];
/// True extra cost of one memory: "no" is wrong.
const DIFFERENCE: f64 = 0.08;
/// The divisor of the number of surveys in other tables.
const FEWER: u64 = 5;

pub(crate) fn table(surveys: u64) -> String {
    let surveys = (surveys / FEWER).max(1);
    let mut text = format!(
        "## Quick surveys\n\nPer cent of {surveys} surveys with `--quick` that end in each \
         verdict: of a uniform machine, where *yes* is wrong, and where one memory costs every \
         row {:.0} % more, where *no* is wrong (in brackets the upper end of the 95 % interval). \
         Processes start half a second apart. `1 s`: a second apart, in which a memory's level \
         walks farther; under other noises the two plans are the same. `cut`: other programs \
         disturb, and the promised time allows four processes.\n\n| rows x columns | noise | \
         plan | yes | no | undetermined | differs: yes | no | undetermined \
         |\n|---|---|---|---|---|---|---|---|---|\n",
        100.0 * DIFFERENCE
    );
    for (rows, columns) in FAMILIES {
        for noise in Noise::all() {
            line(&mut text, [rows, columns], &noise, ("quick", Plan::quick()), surveys);
            line(&mut text, [rows, columns], &noise, ("cut", cut()), surveys);
        }
        for noise in Noise::for_one_column().into_iter().filter(|noise| noise.column_walk > 0.0) {
            // A random walk goes as far as the root of time.
            let half = Noise { column_walk: noise.column_walk * FRAC_1_SQRT_2, ..noise };
            line(&mut text, [rows, columns], &noise, ("1 s", Plan::quick()), surveys);
            line(&mut text, [rows, columns], &half, ("quick", Plan::quick()), surveys);
            line(&mut text, [rows, columns], &half, ("cut", cut()), surveys);
        }
    }
    text
}

/// Four processes of three rounds.
fn cut() -> Plan {
    Plan { first_rounds: 12, max_rounds: 12, ..Plan::quick() }
}

fn line(
    text: &mut String,
    [rows, columns]: [usize; 2],
    noise: &Noise,
    (name, plan): (&str, Plan),
    surveys: u64,
) {
    eprintln!("odds: {rows} x {columns}, {}, {name}", noise.name);
    let ends = |model: &Model| {
        count(surveys, |seed| {
            let numa = verdict(&survey(model, noise, &plan, seed), THRESHOLD, seed).numa;
            [Numa::Yes, Numa::No, Numa::Undetermined].map(|answer| numa == answer)
        })
    };
    let wrong = |share: &Share| format!("{} ({})", share.percent(), percent(share.upper()));
    let [yes, no, open] = ends(&Model::uniform(rows, columns));
    let [found, missed, unsure] = ends(&Model::one_slow_node(rows, columns, DIFFERENCE));
    let _ = writeln!(
        text,
        "| {rows} x {columns} | {} | {name} | {} | {} | {} | {} | {} | {} |",
        noise.name,
        wrong(&yes),
        no.percent(),
        open.percent(),
        found.percent(),
        wrong(&missed),
        unsure.percent()
    );
}
