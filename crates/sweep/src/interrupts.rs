//! Interrupts of one device as an axis: near the device, or far from it.

mod axis;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use nearfar_devices::irq::{NodeCount, counts_between};
use nearfar_machine::Topology;
use nearfar_machine::guard::SettingFiles;
use nearfar_machine::interrupts::{InterruptSetting, InterruptTable};
use nearfar_model::{CpuId, CpuSet, NodeId, NodeSet};
use serde::{Deserialize, Serialize};

pub use axis::InterruptAxis;

/// The device of the axis, and where its interrupts are set to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SweepInterrupts {
    /// The device's label.
    pub device: String,
    /// Its PCI address.
    pub address: String,
    /// Its node.
    #[schemars(with = "u32")]
    pub node: NodeId,
    /// Its interrupts.
    pub interrupts: Vec<u32>,
    /// The CPUs of each value: `near`, `far`.
    pub targets: BTreeMap<String, InterruptTarget>,
    /// Interrupts that irqbalance may move; empty if it does not run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub irqbalance: Vec<u32>,
}

/// The CPUs of a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct InterruptTarget {
    /// The CPUs that may serve the interrupts.
    #[schemars(with = "String")]
    pub cpus: CpuSet,
    /// Their nodes.
    #[schemars(with = "String")]
    pub nodes: NodeSet,
}

/// A larger share of interrupts on other CPUs than set is reported.
const ELSEWHERE: f64 = 0.05;

/// The device's interrupts during a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RunInterrupts {
    /// How many were served.
    pub count: u64,
    /// By the node that served them.
    pub by_node: Vec<NodeCount>,
    /// How many were served by other CPUs than those that were set.
    pub elsewhere: u64,
    /// The CPUs that the kernel chose, after the run; empty if it does not show them.
    #[schemars(with = "String")]
    pub effective: CpuSet,
}

impl RunInterrupts {
    /// Whether they did not run where they were set. On x86 an interrupt moves when it arrives, so
    /// that each may be served once where it was.
    pub fn is_elsewhere(&self, interrupts: usize) -> bool {
        self.elsewhere > interrupts as u64 && self.elsewhere as f64 > ELSEWHERE * self.count as f64
    }
}

impl InterruptAxis {
    /// The difference of two readings; `None` if counters are new or started again.
    pub fn counted(
        &self,
        value: &str,
        [earlier, now]: [&InterruptTable; 2],
        seconds: f64,
        files: &impl SettingFiles,
    ) -> Option<RunInterrupts> {
        let set = &self.facts().targets.get(value)?.cpus;
        let mut counted = RunInterrupts::default();
        let mut nodes: BTreeMap<NodeId, u64> = BTreeMap::new();
        for number in &self.facts().interrupts {
            // An interrupt without a line had no handler.
            if now.irq(*number).is_none() && earlier.irq(*number).is_none() {
                continue;
            }
            for one in counts_between(now, earlier, seconds, *number)? {
                counted.count += one.count;
                if !set.contains(one.cpu) {
                    counted.elsewhere += one.count;
                }
                if let Some(node) = self.node_of(one.cpu) {
                    *nodes.entry(node).or_default() += one.count;
                }
            }
            counted.effective.extend(effective(*number, files).iter());
        }
        counted.by_node =
            nodes.into_iter().map(|(node, count)| NodeCount { node, count }).collect();
        Some(counted)
    }

    fn node_of(&self, cpu: CpuId) -> Option<NodeId> {
        self.nodes.iter().find(|(_, cpus)| cpus.contains(cpu)).map(|(node, _)| *node)
    }
}

fn effective(number: u32, files: &impl SettingFiles) -> CpuSet {
    let setting = InterruptSetting::Irq(number);
    let read = || setting.parse(&files.read(&setting.effective_path()?).ok()?);
    read().unwrap_or_default()
}

/// The CPUs of the farthest node: of several, or without distances, that with the lowest number.
/// `None` if all CPUs are near.
fn far_cpus(node: NodeId, near: &CpuSet, topology: &Topology) -> Option<CpuSet> {
    let online = topology.online();
    let distance = |from: NodeId| topology.distances.as_ref()?.between(from, node);
    let nodes = topology.nodes.iter().filter(|node| node.online);
    let with_cpus = nodes.map(|node| (node.id, node.cpus.intersection(&online)));
    let far = with_cpus.filter(|(_, cpus)| !cpus.is_empty() && cpus.intersection(near).is_empty());
    far.max_by_key(|(id, _)| (distance(*id), Reverse(*id))).map(|(_, cpus)| cpus)
}
