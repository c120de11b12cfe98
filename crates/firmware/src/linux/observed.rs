//! The observed result of Linux: sysfs, command line and log.

use nearfar_model::{CpuSet, DistanceMatrix, NodeId};
use serde::Serialize;

use super::command_line::CommandLine;
use super::log::{KernelLog, LogEvent, LogEventKind};
use super::prediction::NumaOutcome;

/// The observed result of Linux.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ObservedNuma {
    /// The overall result, as far as sysfs, command line and log show it. [`NumaOutcome::Unknown`]
    /// if there is one node and no explanation.
    pub outcome: NumaOutcome,
    /// Whether the kernel supports NUMA; `None` without sysfs.
    pub numa_supported: Option<bool>,
    /// The online nodes.
    pub nodes: Vec<ObservedNode>,
    /// The distances in sysfs.
    pub distances: Option<DistanceMatrix>,
    /// Whether all of them are 10 and 20: the kernel's default, or firmware with the same values.
    pub distances_are_default: Option<bool>,
    /// The log line that best explains why the kernel dropped NUMA.
    pub deciding: Option<LogEvent>,
}

/// The nodes in sysfs.
#[derive(Clone, Debug, PartialEq)]
pub struct SysfsNodes {
    /// Whether the kernel supports NUMA.
    pub numa_supported: bool,
    /// The online nodes.
    pub online: Vec<ObservedNode>,
    /// Their distances.
    pub distances: Option<DistanceMatrix>,
}

/// An online node.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ObservedNode {
    /// The kernel's number.
    pub id: NodeId,
    /// Its online CPUs; empty if only the log is known.
    pub cpus: CpuSet,
    /// Its memory in bytes, if the kernel reports it.
    pub memory_bytes: Option<u64>,
}

impl ObservedNuma {
    /// Combines sysfs, command line and log; each may be missing.
    pub fn new(
        sysfs: Option<SysfsNodes>,
        command_line: Option<&CommandLine>,
        log: &KernelLog,
    ) -> Self {
        let numa_supported = sysfs.as_ref().map(|sysfs| sysfs.numa_supported);
        let (nodes, distances) = sysfs
            .map_or_else(|| (nodes_of_log(log), None), |sysfs| (sysfs.online, sysfs.distances));
        let logged = log.command_line().map(CommandLine::parse);
        let deciding = deciding(log).cloned();
        Self {
            outcome: outcome(
                numa_supported,
                nodes.len(),
                command_line.or(logged.as_ref()),
                log,
                deciding.as_ref(),
            ),
            distances_are_default: distances.as_ref().map(are_default),
            numa_supported,
            nodes,
            distances,
            deciding,
        }
    }
}

/// The nodes with memory, from the log.
fn nodes_of_log(log: &KernelLog) -> Vec<ObservedNode> {
    let mut nodes: Vec<ObservedNode> = Vec::new();
    for event in &log.events {
        let LogEventKind::NodeMemory { node: id, first, last } = event.kind else { continue };
        let bytes = last.saturating_sub(first).saturating_add(1);
        match nodes.iter_mut().find(|node| node.id == id) {
            Some(node) => {
                node.memory_bytes = node.memory_bytes.map(|sum| sum.saturating_add(bytes));
            }
            None => nodes.push(ObservedNode { id, cpus: CpuSet::new(), memory_bytes: Some(bytes) }),
        }
    }
    nodes.sort_by_key(|node| node.id);
    nodes
}

/// The line that best explains why there is no NUMA: first one that rejects the tables, then one
/// that turns NUMA off, then one that finds nothing.
fn deciding(log: &KernelLog) -> Option<&LogEvent> {
    let first =
        |wanted: fn(&LogEventKind) -> bool| log.events.iter().find(|event| wanted(&event.kind));
    if !log.faked() {
        return None;
    }
    let names_a_rule = |kind: &LogEventKind| kind.refuses() && *kind != LogEventKind::SratNotUsed;
    first(names_a_rule)
        .or_else(|| first(LogEventKind::refuses))
        .or_else(|| first(|kind| *kind == LogEventKind::TurnedOff))
        .or_else(|| first(|kind| *kind == LogEventKind::NothingFound))
        .or_else(|| first(|kind| matches!(kind, LogEventKind::Faking { .. })))
}

fn outcome(
    supported: Option<bool>,
    nodes: usize,
    command_line: Option<&CommandLine>,
    log: &KernelLog,
    deciding: Option<&LogEvent>,
) -> NumaOutcome {
    if supported == Some(false) {
        return NumaOutcome::Impossible;
    }
    if log.events.iter().any(|event| matches!(event.kind, LogEventKind::EmulatedNode { .. })) {
        return NumaOutcome::Emulated;
    }
    if let Some(event) = deciding {
        return faked(event, command_line);
    }
    let asked = |asks: fn(&CommandLine) -> bool| command_line.is_some_and(asks);
    let failed = log.events.iter().any(|event| event.kind == LogEventKind::EmulationFailed);
    match nodes {
        0 => NumaOutcome::Unknown,
        1 if asked(|line| line.numa_off || line.no_srat || line.acpi_off) => NumaOutcome::TurnedOff,
        1 if log.has_boot() => NumaOutcome::OneDomain,
        1 => NumaOutcome::Unknown,
        _ if asked(|line| line.emulation.is_some()) && !failed => NumaOutcome::Emulated,
        _ => NumaOutcome::Visible,
    }
}

/// The reason for a single node that the kernel created.
fn faked(event: &LogEvent, command_line: Option<&CommandLine>) -> NumaOutcome {
    let off = command_line.is_some_and(|line| line.numa_off || line.no_srat || line.acpi_off);
    if event.kind.refuses() {
        NumaOutcome::Refused
    } else if off || event.kind == LogEventKind::TurnedOff {
        NumaOutcome::TurnedOff
    } else {
        NumaOutcome::Withheld
    }
}

/// Whether the distances are the kernel's default.
fn are_default(distances: &DistanceMatrix) -> bool {
    let rows = distances.rows().iter().enumerate();
    let usual = |row: usize, column: usize| if row == column { 10 } else { 20 };
    rows.into_iter().all(|(row, line)| {
        line.iter().enumerate().all(|(column, &value)| value == usual(row, column))
    })
}

#[cfg(test)]
mod tests;
