//! The rate of undetermined surveys without options.

use std::fmt::Write as _;

use nearfar_infer::{Numa, THRESHOLD, verdict, worst_standard_error};

use crate::replay::{Model, Noise, Plan, survey};
use crate::share::count;

/// The target error of a survey without options.
const AIM: f64 = 0.005;

pub(crate) fn table(surveys: u64) -> String {
    let surveys = (surveys / 10).max(1);
    let mut text = format!(
        "## Without an answer\n\nPer cent of {surveys} surveys, with their plan's precision \
         (standard error 0.5 %, or 60 rounds), that end in each verdict; *precise*: those whose \
         cells all reached 0.5 %; *undetermined, precise*: of all surveys, those that did and \
         still have no answer.\n\nA survey that reaches its precision has an answer in \
         every family. Two kinds have none. Large uniform machines whose fresh pages differ by 1.5 \
         %, or whose rows drift by 2 %: sixty rounds do not bring the largest of hundreds of \
         contrasts below 5 %. Machines whose hypervisor moves CPUs between nodes at every \
         hundredth visit: no single answer exists.\n\n| machine | rows x columns | noise | yes | \
         no | undetermined | precise | undetermined, precise \
         |\n|---|---|---|---|---|---|---|---|\n"
    );
    let machines = [
        Model::uniform(4, 4),
        Model::uniform(8, 8),
        Model::one_slow_node(4, 4, 0.08),
        Model::epyc_9224(),
        Model::fully_linked(8),
        Model::epyc_7451(),
    ];
    for model in &machines {
        for noise in Noise::all() {
            eprintln!(
                "odds: {} {} x {}, {}",
                model.name,
                model.rows(),
                model.columns(),
                noise.name
            );
            line(&mut text, model, &noise, surveys);
        }
    }
    text
}

fn line(text: &mut String, model: &Model, noise: &Noise, surveys: u64) {
    let [yes, no, undetermined, precise, both] = count(surveys, |seed| {
        let matrix = survey(model, noise, &Plan::usual(), seed);
        let numa = verdict(&matrix, THRESHOLD, seed).numa;
        let precise = worst_standard_error(&matrix, seed).is_some_and(|error| error <= AIM);
        let open = numa == Numa::Undetermined;
        [numa == Numa::Yes, numa == Numa::No, open, precise, open && precise]
    });
    let _ = writeln!(
        text,
        "| {} | {} x {} | {} | {} | {} | {} | {} | {} |",
        model.name,
        model.rows(),
        model.columns(),
        noise.name,
        yes.percent(),
        no.percent(),
        undetermined.percent(),
        precise.percent(),
        both.percent()
    );
}
