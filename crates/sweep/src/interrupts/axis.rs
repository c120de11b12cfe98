//! The settings of the axis on this machine.

use std::collections::BTreeMap;

use nearfar_devices::irq_set::{CpuLayout, DeviceFacts, IrqSetError, IrqTarget, SetRequest, plan};
use nearfar_machine::Topology;
use nearfar_machine::guard::{GuardedSetting, SettingValues};
use nearfar_machine::interrupts::{Balancer, BalancerState, InterruptSetting};
use nearfar_model::{CpuSet, NodeId};

use super::far_cpus;
use super::{InterruptTarget, SweepInterrupts};
use crate::error::SweepError;

/// The device's interrupts, planned for each value.
#[derive(Clone, Debug)]
pub struct InterruptAxis {
    facts: SweepInterrupts,
    values: BTreeMap<String, SettingValues>,
    pub(super) nodes: Vec<(NodeId, CpuSet)>,
}

impl InterruptAxis {
    /// Plans these values, `near` or `far`. Nothing is set.
    ///
    /// # Errors
    ///
    /// One node, an unknown node, or interrupts that cannot be set.
    pub fn new(
        device: &DeviceFacts,
        topology: &Topology,
        balancer: &Balancer,
        values: &[String],
    ) -> Result<Self, SweepError> {
        let online = topology.online();
        let nodes = topology.nodes.iter().filter(|node| node.online);
        let nodes = nodes.map(|node| (node.id, node.cpus.intersection(&online)));
        let nodes: Vec<(NodeId, CpuSet)> = nodes.filter(|(_, cpus)| !cpus.is_empty()).collect();
        if nodes.len() < 2 {
            return Err(SweepError::AllCpusNear(device.label.clone()));
        }
        let unknown = || SweepError::UnknownDeviceNode(device.label.clone());
        let node = device.node.ok_or_else(unknown)?;
        if device.near.is_empty() {
            return Err(unknown());
        }
        let layout = CpuLayout::new(topology);
        let (mut planned, mut targets) = (BTreeMap::new(), BTreeMap::new());
        let mut interrupts: Vec<u32> = Vec::new();
        for value in values {
            let target = target(value, node, device, topology, &layout)?;
            let request = SetRequest { irqs: Some(target), ..SetRequest::default() };
            let changes = plan(device, &layout, &request).map_err(in_sweeps)?;
            let cpus: CpuSet = changes.iter().flat_map(|change| change.cpus.iter()).collect();
            let target_nodes = nodes.iter().filter(|(_, own)| !own.intersection(&cpus).is_empty());
            let target = InterruptTarget { nodes: target_nodes.map(|(id, _)| *id).collect(), cpus };
            targets.insert(value.clone(), target);
            interrupts = changes.iter().filter_map(|change| number(&change.setting)).collect();
            let settings = changes.into_iter().map(|change| {
                let text = change.setting.file_text(&change.cpus);
                let device = device.address;
                (GuardedSetting::Interrupts { device, setting: change.setting }, text)
            });
            planned.insert(value.clone(), settings.collect());
        }
        let facts = SweepInterrupts {
            device: device.label.clone(),
            address: device.address.to_string(),
            node,
            irqbalance: moved(&interrupts, balancer),
            interrupts,
            targets,
        };
        Ok(Self { facts, values: planned, nodes })
    }

    /// What the document keeps.
    pub fn facts(&self) -> &SweepInterrupts {
        &self.facts
    }

    /// The settings of all interrupts.
    pub fn settings(&self) -> Vec<GuardedSetting> {
        let all = self.values.values().flat_map(SettingValues::iter);
        let mut settings: Vec<GuardedSetting> = all.map(|(setting, _)| setting.clone()).collect();
        settings.sort();
        settings.dedup();
        settings
    }

    /// The texts of a value.
    pub fn values(&self, value: &str) -> Option<&SettingValues> {
        self.values.get(value)
    }
}

fn target(
    value: &str,
    node: NodeId,
    device: &DeviceFacts,
    topology: &Topology,
    layout: &CpuLayout,
) -> Result<IrqTarget, SweepError> {
    if value == "near" {
        return Ok(IrqTarget::Near);
    }
    let far = far_cpus(node, &device.near, topology);
    let far = far.ok_or_else(|| SweepError::AllCpusNear(device.label.clone()))?;
    Ok(IrqTarget::Cpus(layout.usable(&far)))
}

/// Options of `irq set` are no options of a sweep.
fn in_sweeps(error: IrqSetError) -> SweepError {
    SweepError::Interrupts(error.without_options().to_string())
}

fn number(setting: &InterruptSetting) -> Option<u32> {
    match setting {
        InterruptSetting::Irq(number) => Some(*number),
        InterruptSetting::Xps { .. } | InterruptSetting::Rps { .. } => None,
    }
}

fn moved(interrupts: &[u32], balancer: &Balancer) -> Vec<u32> {
    if balancer.state != BalancerState::Running {
        return Vec::new();
    }
    let is_left_alone = |irq: &&u32| balancer.banned_interrupts.contains(irq);
    interrupts.iter().filter(|irq| !is_left_alone(irq)).copied().collect()
}
