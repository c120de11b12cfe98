//! `nvidia-smi topo -m` and `npu-smi info -t topo`: the CPUs and the node near each device. Nodes
//! without devices are not in it.

use std::collections::BTreeMap;

use nearfar_model::{CpuSet, NodeId};

use crate::smi_table::SmiTable;
use crate::source::MachineFiles;

pub(super) fn begins(line: &str) -> bool {
    SmiTable::is_begun_by(line, SmiTable::GPUS)
}

pub(super) fn begins_npus(line: &str) -> bool {
    SmiTable::is_begun_by(line, SmiTable::NPUS)
}

pub(super) fn read(text: &str, files: &mut MachineFiles) -> bool {
    let Ok(table) = SmiTable::parse(text) else { return false };
    let mut near: BTreeMap<NodeId, CpuSet> = BTreeMap::new();
    for place in &table.places {
        // Near several nodes, the CPUs of each are not known.
        let Some(nodes) = place.nodes.as_ref().filter(|nodes| nodes.len() == 1) else { continue };
        if let (Some(node), Some(cpus)) = (nodes.first(), &place.cpus) {
            near.entry(node).or_insert_with(|| cpus.clone());
        }
    }
    for (node, cpus) in &near {
        files.node(*node, cpus, None);
        cpus.iter().for_each(|cpu| {
            files.cpus.insert(cpu);
        });
    }
    true
}
