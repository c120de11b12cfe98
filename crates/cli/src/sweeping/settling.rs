//! What a sweep does to the machine, and how it is undone: cpusets around runs, settings that are
//! switched, and the guard over both.

use std::path::Path;
use std::process::Command;

use nearfar_machine::guard::{
    GuardError, GuardTask, GuardedSetting, RUN, RootedFiles, SettingValues, SettingsGuard, Settled,
    is_alive, start_time,
};
use nearfar_machine::{CpusetParent, Source, Topology};
use nearfar_sweep::cpusets::{
    Bounds, CpusetError, Cpusets, Enforcement, Traces, remove_left_behind,
};
use nearfar_sweep::{InterruptAxis, Sweep};
use nearfar_view::terminal::exit::WrongUsage;
use nearfar_view::terminal::output;

/// Where cpusets go, and how they are named: a guard that is at work before the first is made knows
/// them.
pub(super) struct CpusetPlan {
    home: CpusetParent,
    pub(super) traces: Traces,
}

impl CpusetPlan {
    /// Of this sweep; the reason where there are to be none.
    pub(super) fn new(document: &Sweep, source: &Source) -> Result<Self, CpusetError> {
        if !document.settings.cpusets {
            return Err(CpusetError::Unwanted);
        }
        let home = CpusetParent::find(source)
            .map_err(|error| CpusetError::NoHome { error: error.to_string() })?;
        let is_there = |pid, started| is_alive(source, pid, started);
        if remove_left_behind(Path::new(&home.folder), is_there) > 0 {
            output::aside(
                "nearfar: removed cpusets that an earlier sweep had left when it was killed with \
                 its guard",
            );
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
pub(super) fn cpusets(
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

/// Restores what an earlier process left. A sweep that switches settings waits for another one that
/// does: each would take the other's for those before.
pub(super) fn settle(switches: bool) -> anyhow::Result<()> {
    match nearfar_machine::guard::settle(Path::new(RUN), &RootedFiles::live()) {
        Ok(Settled::Clear) => {}
        Ok(Settled::ChangedBy(guard)) if switches => {
            return Err(WrongUsage(GuardError::AtWork(guard).to_string()).into());
        }
        Ok(Settled::ChangedBy(guard)) => output::aside(&format!(
            "nearfar: another nearfar (guard {guard}) switches settings meanwhile"
        )),
        // The user may switch nothing, which is reported next.
        Ok(Settled::Hidden(_)) if switches => {}
        Ok(Settled::Hidden(folder)) => output::aside(&format!(
            "nearfar: whether another nearfar switches settings meanwhile is unknown: {} is root's",
            folder.display()
        )),
        Ok(Settled::Restored) => output::aside(
            "nearfar: restored settings that an earlier nearfar had left when it was killed with \
             its guard",
        ),
        Err(why) if switches => return Err(why.into()),
        // It runs as well as any other program here.
        Err(why) => output::aside(&format!("nearfar: {why}")),
    }
    Ok(())
}

/// A guard over what the sweep changes, where it changes something.
pub(super) fn guard(
    document: &Sweep,
    axis: Option<&InterruptAxis>,
    program: &Path,
    cpusets: Option<&Traces>,
) -> anyhow::Result<Option<SettingsGuard<Traces>>> {
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
