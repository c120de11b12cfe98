//! What interrupts near their device gain, and what weakens the answer.

use nearfar_model::{CpuId, CpuSet};
use nearfar_view::text::percent::share;

use crate::Objective;
use crate::answers::IrqGain;

/// "unbound: interrupts near NIC0 gain 4.0 % against far ones."
pub(super) fn gains(of: &str, device: &str, own: &[IrqGain], objective: &Objective) -> String {
    let is_gain = |one: &IrqGain| (one.compared.ratio > 0.0) == objective.higher_is_better;
    let jobs = |one: &IrqGain| match (own.len(), one.jobs) {
        (1, _) => String::new(),
        (_, 1) => " with one job".to_owned(),
        (_, jobs) => format!(" with {jobs} jobs"),
    };
    let better = |gain: bool| match (objective.metric.is_some(), gain) {
        (false, true) => "faster",
        (false, false) => "slower",
        (true, true) => "better",
        (true, false) => "worse",
    };
    let mut parts: Vec<String> = Vec::new();
    for one in own.iter().filter(|one| one.compared.real) {
        let by = share(one.compared.ratio.abs());
        parts.push(format!("{by} {} than far from it{}", better(is_gain(one)), jobs(one)));
    }
    let alike: Vec<String> = own.iter().filter(|one| !one.compared.real).map(jobs).collect();
    if !alike.is_empty() {
        parts.push(format!("no difference beyond chance{}", alike.join(",")));
    }
    format!("{of}: interrupts near {device}: {}.", parts.join("; "))
}

pub(super) fn idle(device: &str, per_second: f64) -> String {
    format!(
        "{device} had {per_second:.1} interrupts a second during runs: that is too few to decide \
         whether near or far matters."
    )
}

pub(super) fn elsewhere(device: &str, runs: usize, counted: usize) -> String {
    format!(
        "In {runs} of {counted} runs, interrupts of {device} did not run where they were set. The \
         comparison of near and far is unreliable."
    )
}

pub(super) fn uncounted(device: &str, runs: usize) -> String {
    let runs = if runs == 1 { "1 run".to_owned() } else { format!("{runs} runs") };
    format!(
        "Where interrupts of {device} ran is unknown for {runs}: their counters were not readable, \
         or started again."
    )
}

pub(super) fn irqbalance(device: &str, interrupts: &[u32]) -> String {
    let set: CpuSet = interrupts.iter().map(|number| CpuId(*number)).collect();
    let verb = if set.len() == 1 { "interrupt" } else { "interrupts" };
    format!(
        "irqbalance ran at the start, and may move {verb} {set} of {device} within 10 s: stop it \
         during a sweep."
    )
}
