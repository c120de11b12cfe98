//! What hardware threads gain: with how many jobs they gain, cost, or do neither beyond chance.

use crate::Objective;
use crate::answers::SmtGain;

use nearfar_view::text::percent::share;

pub(super) fn sentence(of: &str, own: &[SmtGain], objective: &Objective) -> String {
    let is_gain = |one: &SmtGain| (one.compared.ratio > 0.0) == objective.higher_is_better;
    let with = |one: &SmtGain, rather: bool| {
        let jobs = match (one.jobs == one.jobs_off, own.len()) {
            (true, 1) => String::new(),
            (true, _) => format!(" with {}", counted(one.jobs)),
            (false, _) => format!(" with {} against {} without", counted(one.jobs), one.jobs_off),
        };
        if rather { format!("{}{jobs}", share(one.compared.ratio.abs())) } else { jobs }
    };
    let marked = |real: bool, gain: bool| {
        let some =
            own.iter().filter(|one| one.compared.real == real && (!real || is_gain(one) == gain));
        some.map(|one| with(one, real)).collect::<Vec<_>>().join(", ")
    };
    let mut sentences = Vec::new();
    for (verb, gain) in [("gains", true), ("costs", false)] {
        let list = marked(true, gain);
        if !list.is_empty() {
            sentences.push(format!("{verb} {list}"));
        }
    }
    if own.iter().any(|one| !one.compared.real) {
        sentences.push(format!("makes no difference beyond chance{}", marked(false, false)));
    }
    format!("{of}: SMT {}.", sentences.join("; "))
}

fn counted(jobs: usize) -> String {
    if jobs == 1 { "one job".to_owned() } else { format!("{jobs} jobs") }
}
