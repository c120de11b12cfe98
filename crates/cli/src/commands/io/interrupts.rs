//! `--irq`: the interrupts of all targets' disks, set near and far while a guard holds them.

use std::path::{Path, PathBuf};

use nearfar_devices::irq_set::SetLock;
use nearfar_machine::Source;
use nearfar_machine::guard::{
    GuardError, GuardTask, GuardedSetting, RUN, RootedFiles, SettingFiles, SettingValues,
    SettingsGuard, Settled, settle,
};
use nearfar_machine::interrupts::InterruptSetting;
use nearfar_probe::io::{InterruptPlace, InterruptPlaces};
use nearfar_sweep::InterruptAxis;
use nearfar_sweep::cpusets::Traces;
use nearfar_view::terminal::exit::WrongUsage;
use nearfar_view::terminal::output;

use crate::commands::measuring::this_program;
use crate::interrupts::SetDevice;

/// The settings of all targets; nothing is set yet.
pub(super) struct IrqPlan {
    /// Of each target; or why its interrupts cannot be set, and are counted only.
    axes: Vec<Result<InterruptAxis, String>>,
    names: Vec<String>,
}

/// Interrupts that are restored when this is dropped, and after a kill.
pub(super) struct HeldInterrupts {
    _guard: SettingsGuard<Traces>,
    _lock: SetLock,
}

impl IrqPlan {
    /// Plans these places for each target. Fails if no target has interrupts that can be set.
    pub(super) fn new(targets: &[PathBuf], names: &[String]) -> anyhow::Result<Self> {
        let source = Source::live();
        let axis = |target: &PathBuf| -> anyhow::Result<InterruptAxis> {
            let path = target.canonicalize().unwrap_or_else(|_| target.clone());
            let found = SetDevice::find(&source, &path.to_string_lossy())?;
            Ok(InterruptAxis::new(&found.facts, &found.topology, &found.balancer, names)?)
        };
        let mut axes = Vec::new();
        let mut first_error = None;
        for found in targets.iter().map(axis) {
            axes.push(found.as_ref().map(Clone::clone).map_err(ToString::to_string));
            first_error = first_error.or(found.err());
        }
        let this = Self { axes, names: names.to_vec() };
        if let Some(error) = first_error.filter(|_| this.settable().next().is_none()) {
            return Err(error);
        }
        this.check_permission()?;
        if this.settable().any(|axis| !axis.facts().irqbalance.is_empty()) {
            output::aside(
                "nearfar: warning: irqbalance runs, and may move interrupts: visits whose \
                 interrupts ran elsewhere are dropped",
            );
        }
        Ok(this)
    }

    /// What a target's interrupts are set to, in the order of the names.
    pub(super) fn places(&self, target: usize) -> Vec<InterruptPlaces> {
        let Some(Ok(axis)) = self.axes.get(target) else { return Vec::new() };
        let place = |(setting, text): (&GuardedSetting, &str)| match setting {
            GuardedSetting::Interrupts { setting, .. } => match setting {
                InterruptSetting::Irq(number) => {
                    Some(InterruptPlace { number: *number, cpus: setting.parse(text)? })
                }
                InterruptSetting::Xps { .. } | InterruptSetting::Rps { .. } => None,
            },
            GuardedSetting::Switch(_) => None,
        };
        let places = |name: &String| InterruptPlaces {
            name: name.clone(),
            interrupts: axis
                .values(name)
                .into_iter()
                .flat_map(SettingValues::iter)
                .filter_map(place)
                .collect(),
        };
        self.names.iter().map(places).collect()
    }

    /// Why a target's interrupts cannot be set.
    pub(super) fn why_not(&self, target: usize) -> Option<String> {
        self.axes.get(target)?.as_ref().err().cloned()
    }

    fn settable(&self) -> impl Iterator<Item = &InterruptAxis> {
        self.axes.iter().flatten()
    }

    /// Starts the guard. Restores first what an earlier one could not.
    pub(super) fn hold(&self) -> anyhow::Result<HeldInterrupts> {
        let files = RootedFiles::live();
        if let Settled::ChangedBy(guard) = settle(Path::new(RUN), &files)? {
            return Err(WrongUsage(GuardError::AtWork(guard).to_string()).into());
        }
        let lock = SetLock::take(Path::new(RUN))?;
        let before =
            SettingValues::read(self.settable().flat_map(InterruptAxis::settings), &files)?;
        let task = GuardTask { before, files, run: RUN.into(), leftovers: None };
        Ok(HeldInterrupts {
            _guard: SettingsGuard::start(this_program("guard"), task)?,
            _lock: lock,
        })
    }

    fn check_permission(&self) -> Result<(), WrongUsage> {
        let files = RootedFiles::live();
        self.settable().flat_map(InterruptAxis::settings).try_for_each(|setting| {
            let path = setting.path();
            files.check_writable(&path).map_err(|why| {
                WrongUsage(format!("--irq needs root: {path} cannot be written ({why})"))
            })
        })
    }
}
