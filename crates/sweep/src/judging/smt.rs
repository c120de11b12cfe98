//! What hardware threads gain: configurations that are equal but for the machine's switch.
//!
//! One job a core beside all CPUs is another question: siblings that idle leave the core to the job, but threads that are switched off
//! also leave the kernel fewer places to put it. Nothing is claimed of SMT where nobody switched it.

use nearfar_infer::trials::Trials;
use nearfar_machine::Switch;

use crate::answers::SmtGain;
use crate::configuration::Configuration;
use crate::document::Sweep;

/// Every pair, in the order of the configurations with hardware threads on.
pub(super) fn gains(sweep: &Sweep, trials: &Trials) -> Vec<SmtGain> {
    let all: Vec<&Configuration> = sweep.configurations.iter().map(|one| &one.configuration).collect();
    let by_cpus = sweep.axes.jobs.is_empty();
    let set_to = |at: usize, value: &str| all[at].system.get(&Switch::Smt).is_some_and(|set| set == value);
    let off_of = |on: usize| {
        let mut off = (0..all.len()).filter(|&at| set_to(at, "off"));
        off.find(|&at| of(all[at]) == of(all[on]) && (by_cpus || all[at].jobs == all[on].jobs))
    };
    let on = (0..all.len()).filter(|&at| set_to(at, "on"));
    let pairs: Vec<(usize, usize)> = on.filter_map(|on| Some((on, off_of(on)?))).collect();
    let objective = &sweep.objective;
    let gain = |one: nearfar_infer::trials::Difference| SmtGain {
        of: of(all[one.of]),
        jobs: all[one.of].jobs,
        jobs_off: all[one.to].jobs,
        ratio: objective.ratio(one.ratio),
        ci95: objective.ratios(one.ci95),
        p: one.p,
        real: one.real,
    };
    trials.differences_of(&pairs).into_iter().map(gain).collect()
}

/// What a curve is of, but for the switch.
fn of(configuration: &Configuration) -> String {
    let mut without = configuration.clone();
    without.runs.clear();
    without.system.remove(&Switch::Smt);
    without.curve()
}

/// One sentence for each placement: with how many jobs they gain, cost, or do neither beyond chance.
pub(super) fn words(sweep: &Sweep, gains: &[SmtGain]) -> Vec<String> {
    let mut names: Vec<&str> = Vec::new();
    for one in gains {
        if !names.contains(&one.of.as_str()) {
            names.push(&one.of);
        }
    }
    names.into_iter().map(|of| sentence(sweep, of, gains)).collect()
}

fn sentence(sweep: &Sweep, of: &str, gains: &[SmtGain]) -> String {
    let own: Vec<&SmtGain> = gains.iter().filter(|one| one.of == of).collect();
    let is_gain = |one: &SmtGain| (one.ratio > 0.0) == sweep.objective.higher_is_better;
    let with = |one: &SmtGain, rather: bool| {
        let jobs = match (one.jobs == one.jobs_off, own.len()) {
            (true, 1) => String::new(),
            (true, _) => format!(" with {}", counted(one.jobs)),
            (false, _) => format!(" with {} against {} without", counted(one.jobs), one.jobs_off),
        };
        if rather { format!("{:.1} %{jobs}", 100.0 * one.ratio.abs()) } else { jobs }
    };
    let told = |real: bool, gain: bool| {
        let some = own.iter().filter(|one| one.real == real && (!real || is_gain(one) == gain));
        some.map(|one| with(one, real)).collect::<Vec<_>>().join(", ")
    };
    let mut said = Vec::new();
    for (verb, gain) in [("gains", true), ("costs", false)] {
        let list = told(true, gain);
        if !list.is_empty() {
            said.push(format!("{verb} {list}"));
        }
    }
    if own.iter().any(|one| !one.real) {
        said.push(format!("makes no difference beyond chance{}", told(false, false)));
    }
    format!("{of}: SMT {}.", said.join("; "))
}

fn counted(jobs: usize) -> String {
    if jobs == 1 { "one job".to_owned() } else { format!("{jobs} jobs") }
}
