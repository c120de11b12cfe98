//! `nearfar irq set`: which CPUs serve a device's interrupts and packets.

mod options;

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{ArgGroup, Args};
use nearfar_devices::irq_set::text as irq_set;
use nearfar_devices::irq_set::{
    ChangeSet, CpuLayout, IrqSetAction, IrqSetDocument, IrqSetError, IrqTarget, LastingSetting,
    SetLock, SetRequest, UndoNote, plan, undo, undo_preview,
};
use nearfar_machine::Source;
use nearfar_machine::guard::{RUN, RootedFiles};
use nearfar_machine::interrupts::InterruptSetting;
use nearfar_model::CpuSet;
use nearfar_view::terminal::{Interrupt, output};

use crate::interrupts::SetDevice;
use options::{LastingName, ReachName, SteeringName};

/// Set which CPUs serve a device's interrupts and packets. Needs root
///
/// Sets all of a device's interrupts or none, and shows what the kernel made of it. The state
/// before is kept in /run/nearfar for --undo; a reboot resets both.
#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("asked").required(true).multiple(true)
        .args(["near", "cpus", "spread", "xps", "rps", "undo"])),
    after_help = "\
Examples:
  nearfar irq set eth0 --near --dry-run       show what would change
  nearfar irq set eth0 --near                 all interrupts on the device's node
  nearfar irq set eth0 --spread near          each queue on one CPU of the node
  nearfar irq set 0000:3b:00.0 --cpus 2-3     on listed CPUs
  nearfar irq set eth0 --xps near --rps off   queues of packets
  nearfar irq set eth0 --undo                 as before the first set
  nearfar irq set eth0 --near --as systemd    a unit for the next boot

docs/devices/irq-set.md explains managed interrupts, irqbalance and queues."
)]
pub(crate) struct SetCommand {
    /// The device: NIC0, eth0, nic:eth0, 0000:3b:00.0, /dev/sda
    #[arg(value_name = "DEVICE")]
    device: String,
    /// Run interrupts on any CPU of the device's node
    #[arg(long)]
    near: bool,
    /// Run interrupts on any of these CPUs: 2-3,8
    #[arg(long, value_name = "LIST", conflicts_with = "near")]
    cpus: Option<CpuSet>,
    /// Run each interrupt on one CPU: of the device's node, or of all
    #[arg(long, value_name = "CPUS", conflicts_with_all = ["near", "cpus"])]
    spread: Option<ReachName>,
    /// Send by the queue of the CPU (XPS): CPUs of the device's node, or all share its queues
    #[arg(long, value_name = "CPUS")]
    xps: Option<SteeringName>,
    /// Process received packets on CPUs of the device's node, or on all (RPS)
    #[arg(long, value_name = "CPUS")]
    rps: Option<SteeringName>,
    /// Leave interrupts that the kernel manages as they are, and set the others
    #[arg(long)]
    skip_managed: bool,
    /// Show what would change. Needs no root
    #[arg(long)]
    dry_run: bool,
    /// Restore the state before the first set
    #[arg(long, conflicts_with_all = ["near", "cpus", "spread", "xps", "rps", "skip_managed"])]
    undo: bool,
    /// Print what makes it last over a reboot; changes nothing
    #[arg(long = "as", value_name = "SYSTEM", conflicts_with_all = ["undo", "dry_run", "json"])]
    system: Option<LastingName>,
    /// Print JSON (nearfar.irq-set/1)
    #[arg(long)]
    json: bool,
}

impl SetCommand {
    /// Sets, undoes or prints.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        // The machine's own files only: nothing of a captured machine can be set.
        let source = Source::live();
        let device = SetDevice::find(&source, &self.device)?;
        let document = match (self.system, self.undo) {
            (Some(system), _) => {
                self.check_lasting(&device)?;
                let text = self.lasting(&device)?.text(system.into())?;
                return Ok(output::data(&text)?);
            }
            (None, true) => self.put_back(&device)?,
            (None, false) => self.set(&device)?,
        };
        match self.json {
            true => output::json(&document)?,
            false => output::text(&irq_set::text(&document))?,
        }
        match document.refused.first() {
            Some(refused) => bail!("{}", refused.why),
            None => Ok(()),
        }
    }

    fn set(&self, device: &SetDevice) -> anyhow::Result<IrqSetDocument> {
        let facts = &device.facts;
        let changes = plan(facts, &CpuLayout::new(&device.topology), &self.request())?;
        let files = RootedFiles::live();
        let checked = ChangeSet::new(&facts.label, changes.clone(), &files)?;
        let (action, settings) = if self.dry_run {
            (IrqSetAction::DryRun, checked.preview(&files))
        } else {
            checked.check_permission(&files)?;
            // Ctrl-C waits for the last write.
            let _interrupt = Interrupt::listen().context("cannot listen for Ctrl-C")?;
            let _lock = SetLock::take(Path::new(RUN))?;
            // Another process may have set them before the lock.
            let changes = ChangeSet::new(&facts.label, changes, &files)?;
            (IrqSetAction::Set, changes.apply(&files, &self.note(device))?)
        };
        let document = IrqSetDocument::new(action, facts);
        Ok(document.with_settings(settings, facts, &device.balancer))
    }

    fn put_back(&self, device: &SetDevice) -> anyhow::Result<IrqSetDocument> {
        let (facts, note) = (&device.facts, self.note(device));
        let is_of_device = |setting: &InterruptSetting| match setting {
            InterruptSetting::Irq(number) => device.numbers.contains(number),
            InterruptSetting::Xps { interface, .. } | InterruptSetting::Rps { interface, .. } => {
                facts.interfaces.iter().any(|one| one.name == *interface)
            }
        };
        if self.dry_run {
            let preview = undo_preview(&facts.label, &note, is_of_device)?;
            return Ok(IrqSetDocument::new(IrqSetAction::UndoDryRun, facts).with_undo(preview));
        }
        let _interrupt = Interrupt::listen().context("cannot listen for Ctrl-C")?;
        // Without a note there is no need for a lock, which only root can take.
        undo_preview(&facts.label, &note, is_of_device)?;
        let _lock = SetLock::take(Path::new(RUN))?;
        let undone = undo(&facts.label, &RootedFiles::live(), &note, is_of_device)?;
        Ok(IrqSetDocument::new(IrqSetAction::Undo, facts).with_undo(undone))
    }

    fn note(&self, device: &SetDevice) -> PathBuf {
        UndoNote::path(Path::new(RUN), device.facts.address)
    }

    fn request(&self) -> SetRequest {
        let irqs = match (self.near, &self.cpus, self.spread) {
            (true, ..) => Some(IrqTarget::Near),
            (_, Some(cpus), _) => Some(IrqTarget::Cpus(cpus.clone())),
            (.., spread) => spread.map(|reach| IrqTarget::Spread(reach.into())),
        };
        let steering = |name: Option<SteeringName>| name.map(SteeringName::reach);
        SetRequest {
            irqs,
            xps: steering(self.xps),
            rps: steering(self.rps),
            skips_managed: self.skip_managed,
        }
    }

    /// What is refused now would be at boot, too; interrupts may come with the driver.
    fn check_lasting(&self, device: &SetDevice) -> anyhow::Result<()> {
        match plan(&device.facts, &CpuLayout::new(&device.topology), &self.request()) {
            Ok(_) | Err(IrqSetError::NoInterrupts(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// The same options, for another program to start at boot.
    fn lasting(&self, device: &SetDevice) -> anyhow::Result<LastingSetting> {
        let program = env::current_exe().context("cannot find the path of nearfar")?;
        let facts = &device.facts;
        let mut options = Vec::new();
        if self.near {
            options.push("--near".to_owned());
        }
        let valued = [
            ("--cpus", self.cpus.as_ref().map(CpuSet::to_string)),
            ("--spread", self.spread.map(|reach| reach.name().to_owned())),
            ("--xps", self.xps.map(|reach| reach.name().to_owned())),
            ("--rps", self.rps.map(|reach| reach.name().to_owned())),
        ];
        for (name, value) in valued {
            options.extend(value.into_iter().flat_map(|value| [name.to_owned(), value]));
        }
        if self.skip_managed {
            options.push("--skip-managed".to_owned());
        }
        Ok(LastingSetting {
            label: facts.label.clone(),
            address: facts.address,
            program: program.into_os_string(),
            options,
            node: facts.node.filter(|_| self.near),
            is_network: !facts.interfaces.is_empty(),
        })
    }
}
