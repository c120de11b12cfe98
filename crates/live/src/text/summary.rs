//! The lines above the tables.

use nearfar_machine::pmu::text::refusal;
use nearfar_model::Bytes;
use nearfar_view::terminal::printable;
use nearfar_view::text::count;

use super::amount;
use crate::{MachineRates, PmuState, ProcessCounts, Prompt, Tick, View};

/// Length of "2026-11-26".
const DAY: usize = 10;

/// The lines, the most important first.
pub(super) fn lines(tick: &Tick, view: &View) -> Vec<String> {
    let mut lines = vec![title(tick, view), activity(&tick.machine)];
    lines.extend(others(tick.counts));
    lines.extend(tick.pmu.as_ref().map(uncounted).unwrap_or_default());
    lines.push(survey(tick));
    lines.retain(|line| !line.is_empty());
    lines
}

fn title(tick: &Tick, view: &View) -> String {
    let time: String = tick.time.chars().skip(DAY + 1).take(8).collect();
    // What hides rows stands first: a narrow screen cuts the end.
    let mut parts = filters(view);
    parts.extend(view.paused.then(|| "PAUSED".to_owned()));
    parts.push(printable::line(&time).into_owned());
    parts.push(match &tick.cgroups {
        Some(groups) if view.groups => count(groups.len(), "control group"),
        _ if tick.counts.matching == tick.counts.readable => count(tick.counts.readable, "process"),
        _ => format!("{} of {}", tick.counts.matching, count(tick.counts.readable, "process")),
    });
    let inverted = if view.inverted { ", inverted" } else { "" };
    parts.push(format!("by {}{inverted}", view.sort.name()));
    parts.join("  ")
}

/// The active filters.
fn filters(view: &View) -> Vec<String> {
    let cursor = |prompt| if view.prompt == Some(prompt) { "_" } else { "" };
    let text = |name: &str, value: &str, prompt: Prompt| {
        let is_shown = !value.is_empty() || view.prompt == Some(prompt);
        is_shown.then(|| format!("{name}: {}{}", printable::line(value), cursor(prompt)))
    };
    let pids = view.pids.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    let pids = (!pids.is_empty()).then(|| format!("PID: {pids}"));
    let filter = text("filter", &view.filter, Prompt::Filter);
    let user = text("user", &view.user, Prompt::User);
    [filter, user, pids].into_iter().flatten().collect()
}

/// What the kernel does with pages; what it does not count is left out.
fn activity(machine: &MachineRates) -> String {
    let bytes = |name: &str, rate: Option<f64>| {
        rate.map(|rate| format!("{name} {}", amount::byte_rate(rate)))
    };
    let some_bytes = |name: &str, rate: Option<f64>| bytes(name, rate.filter(|rate| *rate > 0.0));
    let local =
        machine.hint_faults_local_share.map(|share| format!(", {} local", amount::percent(share)));
    let faults = machine.hint_faults_per_s.map(|faults| {
        format!("hint faults {}/s{}", amount::number(faults), local.unwrap_or_default())
    });
    let wait =
        machine.memory_wait_some.map(|share| format!("memory wait {}", amount::percent(share)));
    let parts = [
        bytes("migrated", machine.migrated_bytes_per_s),
        bytes("balanced", machine.balanced_bytes_per_s),
        faults,
        some_bytes("promoted", machine.promoted_bytes_per_s),
        some_bytes("demoted", machine.demoted_bytes_per_s),
        wait,
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("  ")
}

fn others(counts: ProcessCounts) -> Option<String> {
    match counts.of_others {
        Some(0) => None,
        Some(others) => Some(format!("own processes only: root also sees {others} of other users")),
        None => Some("other processes may be hidden: 'nearfar doctor' shows why".to_owned()),
    }
}

/// Why nodes have no fills, and no DRAM; one line if the reason is the same.
pub fn uncounted(pmu: &PmuState) -> Vec<String> {
    let fills = pmu.refusal.as_ref().map(|reason| ("fills", reason));
    let dram = pmu.dram_refusal.as_ref().filter(|reason| pmu.refusal.as_ref() != Some(*reason));
    let line = |(what, reason)| format!("no {what}: {}", printable::line(&refusal(reason)));
    fills.into_iter().chain(dram.map(|reason| ("DRAM traffic", reason))).map(line).collect()
}

/// Nodes that have memory, or may have some.
pub(super) fn nodes_with_memory(tick: &Tick) -> usize {
    let has_memory = |total: Option<Bytes>| total.is_none_or(|total| total.0 > 0);
    tick.nodes.iter().filter(|node| has_memory(node.total_bytes)).count()
}

/// Why there are costs, or none. On one node nothing is remote, whatever surveys are kept.
fn survey(tick: &Tick) -> String {
    let Some(basis) = &tick.survey else {
        return match nodes_with_memory(tick) {
            0 | 1 => "remote cost: none, one node has all memory".to_owned(),
            _ => "remote cost: unknown, no kept survey has latencies of this machine's remote \
                  memory ('nearfar survey')"
                .to_owned(),
        };
    };
    let day: String = basis.started.chars().take(DAY).collect();
    format!(
        "cost if all pages are used equally: remote up to {:.2} times local ({})",
        basis.remote_ratio,
        printable::line(&day)
    )
}
