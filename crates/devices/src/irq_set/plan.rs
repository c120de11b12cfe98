//! Which file gets which CPUs. Pure.

use nearfar_machine::interrupts::{InterruptSetting, SettableInterface};
use nearfar_model::CpuSet;

use crate::irq_set::CpuLayout;
use crate::irq_set::applying::SettingChange;
use crate::irq_set::error::IrqSetError;
use crate::irq_set::shares::{one_each, shares};
use crate::irq_set::{DeviceFacts, IrqFacts, IrqFreedom};

/// How far CPUs may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CpuReach {
    /// The CPUs of the device's node, or of the nearest node with CPUs.
    Near,
    /// All online CPUs.
    All,
}

/// Where interrupts shall run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IrqTarget {
    /// On any CPU of the device's node.
    Near,
    /// On any of these CPUs.
    Cpus(CpuSet),
    /// Each on one CPU.
    Spread(CpuReach),
}

/// What shall be set. For XPS and RPS the inner `None` turns it off.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SetRequest {
    /// The interrupts.
    pub irqs: Option<IrqTarget>,
    /// The queues that CPUs send by.
    pub xps: Option<Option<CpuReach>>,
    /// The CPUs that process received packets.
    pub rps: Option<Option<CpuReach>>,
    /// Whether managed interrupts stay as they are, and are no error.
    pub skips_managed: bool,
}

/// The changes for a device, never empty.
///
/// # Errors
///
/// Why nothing can be set.
pub fn plan(
    device: &DeviceFacts,
    cpus: &CpuLayout,
    request: &SetRequest,
) -> Result<Vec<SettingChange>, IrqSetError> {
    let mut changes = Vec::new();
    if let Some(target) = &request.irqs {
        changes.extend(irqs(device, cpus, target, request.skips_managed)?);
    }
    if request.xps.is_some() || request.rps.is_some() {
        if device.interfaces.is_empty() {
            return Err(IrqSetError::NoInterface(device.label.clone()));
        }
        for interface in &device.interfaces {
            if let Some(reach) = request.xps {
                changes.extend(xps(interface, reach, device, cpus)?);
            }
            if let Some(reach) = request.rps {
                changes.extend(rps(interface, reach, device, cpus)?);
            }
        }
    }
    if changes.is_empty() {
        return Err(IrqSetError::NoInterrupts(device.label.clone()));
    }
    Ok(changes)
}

fn irqs(
    device: &DeviceFacts,
    cpus: &CpuLayout,
    target: &IrqTarget,
    skips_managed: bool,
) -> Result<Vec<SettingChange>, IrqSetError> {
    let label = || device.label.clone();
    let of = |freedom: IrqFreedom| {
        device.interrupts.iter().filter(move |interrupt| interrupt.freedom == freedom)
    };
    let numbers = |freedom| of(freedom).map(|one| one.number).collect::<Vec<_>>();
    let managed = numbers(IrqFreedom::Managed);
    let others = device.interrupts.len() - managed.len();
    if !managed.is_empty() && (!skips_managed || others == 0) {
        return Err(IrqSetError::Managed { label: label(), numbers: managed, others });
    }
    let fixed = numbers(IrqFreedom::Fixed);
    if !fixed.is_empty() {
        return Err(IrqSetError::Fixed { label: label(), numbers: fixed });
    }
    let free: Vec<&IrqFacts> =
        device.interrupts.iter().filter(|one| one.freedom != IrqFreedom::Managed).collect();
    if free.is_empty() {
        return Err(IrqSetError::NoInterrupts(label()));
    }
    let change = |irq: &&IrqFacts, cpus: CpuSet| SettingChange {
        setting: InterruptSetting::Irq(irq.number),
        name: irq.name.clone(),
        cpus,
    };
    let wanted = match target {
        IrqTarget::Near => reached(CpuReach::Near, device, cpus)?,
        IrqTarget::Cpus(list) => {
            let offline = list.difference(&cpus.online());
            if !offline.is_empty() || list.is_empty() {
                return Err(IrqSetError::Offline { cpus: offline, online: cpus.online() });
            }
            list.clone()
        }
        IrqTarget::Spread(reach) => {
            let order = cpus.cores_first(&reached(*reach, device, cpus)?);
            let mut each = one_each(&order, &free);
            return Ok(free
                .iter()
                .filter_map(|irq| Some(change(irq, each.remove(&irq.number)?)))
                .collect());
        }
    };
    Ok(free.iter().map(|irq| change(irq, wanted.clone())).collect())
}

/// Each CPU sends by one queue.
///
/// # References
///
/// Documentation/networking/scaling.rst: an exclusive mapping of CPUs to queues where there are
/// enough queues, else CPUs that share a cache share a queue.
fn xps(
    interface: &SettableInterface,
    reach: Option<CpuReach>,
    device: &DeviceFacts,
    cpus: &CpuLayout,
) -> Result<Vec<SettingChange>, IrqSetError> {
    let queues = &interface.transmit;
    let each = match reach {
        Some(reach) => shares(&cpus.by_core(&reached(reach, device, cpus)?), queues.len()),
        None => vec![CpuSet::new(); queues.len()],
    };
    let change = |(queue, cpus): (&u32, CpuSet)| SettingChange {
        setting: InterruptSetting::Xps { interface: interface.name.clone(), queue: *queue },
        name: String::new(),
        cpus,
    };
    Ok(queues.iter().zip(each).map(change).collect())
}

/// All CPUs in reach process the packets of each queue.
///
/// # References
///
/// Documentation/networking/scaling.rst: the CPUs of the same memory domain as the CPU of the
/// interrupt.
fn rps(
    interface: &SettableInterface,
    reach: Option<CpuReach>,
    device: &DeviceFacts,
    cpus: &CpuLayout,
) -> Result<Vec<SettingChange>, IrqSetError> {
    let wanted = match reach {
        Some(reach) => reached(reach, device, cpus)?,
        None => CpuSet::new(),
    };
    let change = |queue: &u32| SettingChange {
        setting: InterruptSetting::Rps { interface: interface.name.clone(), queue: *queue },
        name: String::new(),
        cpus: wanted.clone(),
    };
    Ok(interface.receive.iter().map(change).collect())
}

fn reached(reach: CpuReach, device: &DeviceFacts, cpus: &CpuLayout) -> Result<CpuSet, IrqSetError> {
    let wanted = match reach {
        CpuReach::Near => cpus.usable(&device.near),
        CpuReach::All => cpus.usable(&cpus.online()),
    };
    if wanted.is_empty() { Err(IrqSetError::UnknownNode(device.label.clone())) } else { Ok(wanted) }
}

#[cfg(test)]
mod tests;
