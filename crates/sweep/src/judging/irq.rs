//! What interrupts near their device gain: configurations that are equal but for the axis.

use nearfar_infer::trials::{Difference, Trials};

use super::smt::without;
use crate::answers::{IrqGain, SweepFinding};
use crate::configuration::Configuration;
use crate::document::Sweep;
use crate::interrupts::{RunInterrupts, SweepInterrupts};
use crate::record::SweepRun;
use crate::system::SystemSetting;

/// Below one interrupt a second a device is idle, as in `nearfar irq`.
const IDLE_PER_SECOND: f64 = 1.0;

/// Every pair, in the order of the configurations with near interrupts.
pub(super) fn gains(sweep: &Sweep, trials: &Trials) -> Vec<IrqGain> {
    let all: Vec<&Configuration> =
        sweep.configurations.iter().map(|configuration| &configuration.configuration).collect();
    let set_to = |at: usize, value: &str| {
        all[at].system.get(&SystemSetting::Irq).is_some_and(|set| set == value)
    };
    let of = |at: usize| (without(all[at], SystemSetting::Irq), all[at].jobs);
    let far_of = |near: usize| (0..all.len()).find(|&at| set_to(at, "far") && of(at) == of(near));
    let near = (0..all.len()).filter(|&at| set_to(at, "near"));
    let pairs: Vec<(usize, usize)> = near.filter_map(|at| Some((at, far_of(at)?))).collect();
    let gain = |one: Difference| {
        let (of, jobs) = of(one.of);
        IrqGain { of, jobs, compared: sweep.objective.compared(one.compared) }
    };
    trials.median_differences_of(&pairs).into_iter().map(gain).collect()
}

/// What follows of near and far, and what weakens it.
pub(super) fn findings(sweep: &Sweep, gains: &[IrqGain]) -> Vec<SweepFinding> {
    let Some(facts) = &sweep.interrupts else { return Vec::new() };
    let device = || facts.device.clone();
    let all = sweep.configurations.iter().map(|configuration| &configuration.configuration);
    let set = all.filter(|one| one.system.contains_key(&SystemSetting::Irq));
    let runs: Vec<&SweepRun> = set.flat_map(Configuration::successes).collect();
    let counted = runs.iter().filter_map(|run| Some((run.wall_s, run.interrupts.as_ref()?)));
    let counted: Vec<(f64, &RunInterrupts)> = counted.collect();
    let mut found = Vec::new();
    match idle_per_second(&counted) {
        Some(per_second) => found.push(SweepFinding::IrqIdle { device: device(), per_second }),
        None => found.extend(by_placement(facts, gains)),
    }
    let is_elsewhere = |one: &&(f64, &RunInterrupts)| one.1.is_elsewhere(facts.interrupts.len());
    let elsewhere = counted.iter().filter(is_elsewhere).count();
    if elsewhere > 0 {
        let (runs, counted) = (elsewhere, counted.len());
        found.push(SweepFinding::IrqElsewhere { device: device(), runs, counted });
    }
    if counted.len() < runs.len() {
        let runs = runs.len() - counted.len();
        found.push(SweepFinding::IrqUncounted { device: device(), runs });
    }
    if !facts.irqbalance.is_empty() {
        let interrupts = facts.irqbalance.clone();
        found.push(SweepFinding::Irqbalance { device: device(), interrupts });
    }
    found
}

/// One for each placement.
fn by_placement(facts: &SweepInterrupts, gains: &[IrqGain]) -> Vec<SweepFinding> {
    let mut found: Vec<(String, Vec<IrqGain>)> = Vec::new();
    for gain in gains {
        match found.iter_mut().find(|(of, _)| *of == gain.of) {
            Some((_, gains)) => gains.push(gain.clone()),
            None => found.push((gain.of.clone(), vec![gain.clone()])),
        }
    }
    let finding = |(of, gains): (String, Vec<IrqGain>)| SweepFinding::Irq {
        of,
        device: facts.device.clone(),
        gains,
    };
    found.into_iter().map(finding).collect()
}

/// The rate of an idle device; none without runs.
fn idle_per_second(counted: &[(f64, &RunInterrupts)]) -> Option<f64> {
    let seconds: f64 = counted.iter().map(|(wall_s, _)| wall_s).sum();
    let count: u64 = counted.iter().map(|(_, one)| one.count).sum();
    Some(count as f64 / seconds).filter(|rate| *rate < IDLE_PER_SECOND)
}
