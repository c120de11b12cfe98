//! Claims: whether a cell agrees with a table's claim.

use nearfar_infer::claims::{CellCheck, ClaimCheck, ClaimKind};

use super::{Judged, SAME};
use crate::machine::LabMachine;

pub(super) fn judge(checks: &[ClaimCheck], machine: &LabMachine) -> Judged {
    let mut judged = Judged::new("claims");
    let mut open = 0;
    for check in checks {
        for cell in &check.cells {
            let Some(truth) = truth(check.kind, cell, machine) else { continue };
            // Absolute costs carry the emulator's own time, ratios hardly.
            if check.kind == ClaimKind::Slit {
                judged.interval(cell.ci95, truth);
            }
            let [low, high] = check.kind.tolerance();
            let off = truth / cell.claimed;
            let (is_false, is_true) =
                (off < low / SAME || off > high * SAME, off > low * SAME && off < high / SAME);
            let named = || {
                format!(
                    "{} of node {}'s memory from node {}",
                    check.kind.name(),
                    cell.memory_node,
                    cell.cpu_node
                )
            };
            match cell.agrees {
                Some(true) => judged.state(!is_false, || {
                    format!(
                        "{} is accepted: {:.2} is claimed, {truth:.2} was put in",
                        named(),
                        cell.claimed
                    )
                }),
                Some(false) => judged.state(!is_true, || {
                    format!(
                        "{} is refuted: {:.2} is claimed, {truth:.2} was put in",
                        named(),
                        cell.claimed
                    )
                }),
                None => open += usize::from(is_false),
            }
        }
    }
    if open > 0 {
        judged.missed.push(format!("{open} claims that are false"));
    }
    judged
}

/// What is true of a claimed cell, in the claim's unit; not known of bandwidths, which share what
/// passes between nodes.
fn truth(kind: ClaimKind, cell: &CellCheck, machine: &LabMachine) -> Option<f64> {
    let cost = |cpus: u32, memory: u32| {
        let row = machine.cpu_nodes().position(|node| node.id.0 == cpus)?;
        let column = machine.memory_nodes().position(|node| node.id.0 == memory)?;
        machine.slowed(&machine.latency_ns()).get(row)?.get(column).copied()
    };
    match kind {
        ClaimKind::Slit => {
            Some(cost(cell.cpu_node, cell.memory_node)? / cost(cell.cpu_node, cell.cpu_node)?)
        }
        ClaimKind::HmatLatency => cost(cell.cpu_node, cell.memory_node),
        ClaimKind::HmatBandwidth => None,
    }
}
