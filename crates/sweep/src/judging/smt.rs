//! What hardware threads gain: configurations that are equal but for the machine's switch.
//!
//! Comparing one job a core with all CPUs is another question: siblings that idle leave the core to
//! the job, but threads that are switched off also leave the kernel fewer places to put it. Nothing
//! is claimed of SMT where it was not switched.

use nearfar_infer::trials::Trials;

use crate::answers::{SmtGain, SweepFinding};
use crate::configuration::Configuration;
use crate::document::Sweep;
use crate::system::SystemSetting;

/// Every pair, in the order of the configurations with hardware threads on.
pub(super) fn gains(sweep: &Sweep, trials: &Trials) -> Vec<SmtGain> {
    let all: Vec<&Configuration> =
        sweep.configurations.iter().map(|configuration| &configuration.configuration).collect();
    let by_cpus = sweep.axes.jobs.is_empty();
    let set_to = |at: usize, value: &str| {
        all[at].system.get(&SystemSetting::Smt).is_some_and(|set| set == value)
    };
    let of = |at: usize| without(all[at], SystemSetting::Smt);
    let off_of = |on: usize| {
        let mut off = (0..all.len()).filter(|&at| set_to(at, "off"));
        off.find(|&at| of(at) == of(on) && (by_cpus || all[at].jobs == all[on].jobs))
    };
    let on = (0..all.len()).filter(|&at| set_to(at, "on"));
    let pairs: Vec<(usize, usize)> = on.filter_map(|on| Some((on, off_of(on)?))).collect();
    let objective = &sweep.objective;
    let gain = |one: nearfar_infer::trials::Difference| SmtGain {
        of: without(all[one.of], SystemSetting::Smt),
        jobs: all[one.of].jobs,
        jobs_off: all[one.to].jobs,
        compared: objective.compared(one.compared),
    };
    trials.median_differences_of(&pairs).into_iter().map(gain).collect()
}

/// The curve's name without a setting.
pub(super) fn without(configuration: &Configuration, setting: SystemSetting) -> String {
    let mut without = configuration.clone();
    without.runs.clear();
    without.system.remove(&setting);
    without.curve()
}

/// One for each placement.
pub(super) fn findings(gains: &[SmtGain]) -> Vec<SweepFinding> {
    let mut found: Vec<SweepFinding> = Vec::new();
    for gain in gains {
        let known = found.iter_mut().find_map(|known| match known {
            SweepFinding::Smt { of, gains } => (*of == gain.of).then_some(gains),
            _ => None,
        });
        match known {
            Some(gains) => gains.push(gain.clone()),
            None => {
                found.push(SweepFinding::Smt { of: gain.of.clone(), gains: vec![gain.clone()] });
            }
        }
    }
    found
}
