//! How to run near devices, in a sentence.

use nearfar_model::{CpuSet, NodeSet};

/// Of devices that are near different nodes; `device` is one of them.
pub(crate) fn on_different_nodes(device: &str) -> String {
    format!(
        "Its devices are near different nodes: 'nearfar run --near {device} PROGRAM' starts it \
         near the one that matters most."
    )
}

/// Of devices that have these CPUs in common, and these nodes for memory.
pub(crate) fn on_one_node(devices: &[String], pid: u32, cpus: &CpuSet, homes: &NodeSet) -> String {
    let homes = if homes.is_empty() { String::new() } else { format!(" --nodes {homes}") };
    format!(
        "'nearfar run --near {} PROGRAM' starts it near; 'nearfar move {pid} --cpus {cpus}{homes}' \
         moves it now.",
        devices.join(",")
    )
}
