//! `--irq`: the device, and whether its interrupts may be set.

use std::path::Path;

use nearfar_devices::irq::IrqControl;
use nearfar_devices::irq_set::SetLock;
use nearfar_machine::Source;
use nearfar_machine::guard::{RUN, RootedFiles, SettingFiles};
use nearfar_sweep::{InterruptAxis, Sweep, SystemSetting};
use nearfar_view::terminal::exit::WrongUsage;
use nearfar_view::terminal::output;

use super::SweepRequest;
use crate::interrupts::{MachineSetup, SetDevice, snapshot};

/// Devices that an error lists.
const MAX_LISTED: usize = 8;

/// The axis, where interrupts are varied.
pub(super) fn axis(
    request: &SweepRequest,
    source: &Source,
) -> anyhow::Result<Option<InterruptAxis>> {
    let irq = request.switches.iter().find(|(setting, _)| *setting == SystemSetting::Irq);
    let Some((_, values)) = irq else { return Ok(None) };
    let Some(device) = &request.irq_device else {
        return Err(WrongUsage(format!("--irq needs --irq-device: {}", candidates(source)?)).into());
    };
    let found = SetDevice::find(source, device)?;
    let axis = InterruptAxis::new(&found.facts, &found.topology, &found.balancer, values)?;
    if !axis.facts().irqbalance.is_empty() {
        output::aside(&format!(
            "nearfar: warning: irqbalance runs, and may move interrupts of {} within 10 s: stop it \
             during the sweep",
            axis.facts().device
        ));
    }
    Ok(Some(axis))
}

/// The axis of a sweep that is resumed.
pub(super) fn axis_again(
    document: &Sweep,
    source: &Source,
) -> anyhow::Result<Option<InterruptAxis>> {
    let Some(facts) = &document.interrupts else { return Ok(None) };
    let values = document.axes.system.get(&SystemSetting::Irq).cloned().unwrap_or_default();
    let found = SetDevice::find(source, &facts.address)?;
    let axis = InterruptAxis::new(&found.facts, &found.topology, &found.balancer, &values)?;
    let now = axis.facts();
    if (&now.interrupts, &now.targets) != (&facts.interrupts, &facts.targets) {
        return Err(WrongUsage(format!(
            "interrupts of {} changed since: run a new sweep, and compare the two",
            facts.device
        ))
        .into());
    }
    Ok(Some(axis))
}

/// Refuses, before anything runs, what this user may not set.
pub(super) fn check_permission(axis: Option<&InterruptAxis>) -> Result<(), WrongUsage> {
    let files = RootedFiles::live();
    axis.into_iter().flat_map(InterruptAxis::settings).try_for_each(|setting| {
        let path = setting.path();
        files.check_writable(&path).map_err(|why| {
            WrongUsage(format!("--irq needs root: {path} cannot be written ({why})"))
        })
    })
}

/// No other nearfar sets interrupts during the sweep.
pub(super) fn lock(axis: Option<&InterruptAxis>) -> anyhow::Result<Option<SetLock>> {
    Ok(axis.map(|_| SetLock::take(Path::new(RUN))).transpose()?)
}

/// Devices whose interrupts may be set, the busiest first.
fn candidates(source: &Source) -> anyhow::Result<String> {
    let machine = MachineSetup::read(source)?;
    let document = machine.document(&snapshot(source)?, None, &[]);
    let mut devices: Vec<_> = document
        .devices
        .iter()
        .filter(|device| device.address.is_some() && !device.interrupts.is_empty())
        .filter(|device| {
            let mut controls = device.interrupts.iter().map(|irq| irq.control);
            controls.all(|control| matches!(control, IrqControl::Free | IrqControl::Unknown))
        })
        .collect();
    devices.sort_by_key(|device| std::cmp::Reverse(device.count));
    let name = |one: &&nearfar_devices::irq::IrqDevice| match one.names.first() {
        Some(name) => format!("{} ({name})", one.label),
        None => one.label.clone(),
    };
    let names: Vec<String> = devices.iter().take(MAX_LISTED).map(name).collect();
    Ok(match names.is_empty() {
        true => "no device here has interrupts that can be set".to_owned(),
        false => format!("one of {}", names.join(", ")),
    })
}
