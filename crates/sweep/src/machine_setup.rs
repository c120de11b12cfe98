//! What a sweep does to the machine, and how it is undone: cpusets around runs, settings that are
//! switched, and the guard over both.

use std::path::Path;
use std::process::Command;

use nearfar_machine::guard::{
    GuardError, GuardTask, GuardedSetting, RUN, RootedFiles, SettingValues, SettingsGuard,
    is_alive, start_time,
};
use nearfar_machine::{CpusetParent, Source, Topology};

use crate::cpusets::{Bounds, CpusetError, Cpusets, Enforcement, Traces, remove_left_behind};
use crate::document::Sweep;
use crate::interrupts::InterruptAxis;

/// Where cpusets go, and how they are named: a guard that is at work before the first is made knows
/// them.
#[derive(Debug)]
pub struct CpusetPlan {
    home: CpusetParent,
    /// What is made.
    pub traces: Traces,
}

impl CpusetPlan {
    /// Of this sweep; the reason where there are to be none. Cpusets that an earlier sweep left are
    /// removed, and `removed` is called if there were some.
    pub fn new(
        document: &Sweep,
        source: &Source,
        removed: impl FnOnce(),
    ) -> Result<Self, CpusetError> {
        if !document.settings.cpusets {
            return Err(CpusetError::Unwanted);
        }
        let home = CpusetParent::find(source)
            .map_err(|error| CpusetError::NoHome { error: error.to_string() })?;
        if remove_left_behind(Path::new(&home.folder), |pid, started| {
            is_alive(source, pid, started)
        }) > 0
        {
            removed();
        }
        let pid = std::process::id();
        let owner = Traces::owner(pid, start_time(source, pid).unwrap_or(0));
        let traces = Traces::new(&home, owner);
        Ok(Self { home, traces })
    }

    fn begin(self, topology: &Topology) -> Result<Cpusets, CpusetError> {
        // Whatever the sweep itself may use can be had by its programs, if anything can.
        let all =
            Bounds { cpus: topology.allowed.cpus.clone(), nodes: topology.allowed.nodes.clone() };
        Cpusets::begin(self.home, self.traces, &all)
    }
}

/// Cpusets, where they are wanted and can be had; the document records the result.
pub fn cpusets(
    document: &mut Sweep,
    plan: Result<CpusetPlan, CpusetError>,
    topology: &Topology,
) -> Option<Cpusets> {
    let made = plan.and_then(|plan| plan.begin(topology));
    let had = made.as_ref().map(Cpusets::interface).map_err(Clone::clone);
    document.enforcement =
        Some(Enforcement::from_cpusets(had).after(document.enforcement.as_ref()));
    made.ok()
}

/// A guard over what the sweep changes, where it changes something.
pub fn guard(
    document: &Sweep,
    axis: Option<&InterruptAxis>,
    program: &Path,
    cpusets: Option<&Traces>,
) -> Result<Option<SettingsGuard<Traces>>, GuardError> {
    let files = RootedFiles::live();
    let switches = document.axes.system.keys().filter_map(|setting| setting.switch());
    let irqs = axis.into_iter().flat_map(InterruptAxis::settings);
    let before = SettingValues::read(switches.map(GuardedSetting::Switch).chain(irqs), &files)?;
    if before.is_empty() && cpusets.is_none() {
        return Ok(None);
    }
    let mut command = Command::new(program);
    command.arg("guard");
    let task = GuardTask { before, files, run: RUN.into(), leftovers: cpusets.cloned() };
    Ok(Some(SettingsGuard::start(command, task)?))
}
