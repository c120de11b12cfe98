//! A setting that lasts over a reboot, in the files of other programs.
//!
//! Interrupt numbers change from boot to boot. So each file names the device by its PCI address,
//! and what it starts looks the numbers up.

mod irqbalance;
mod systemd;
mod tuned;
mod udev;

use std::ffi::OsString;

use nearfar_machine::PciAddress;
use nearfar_model::{CommandLine, NodeId, UnwritableWord};

/// A program that can set interrupts at boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastingSystem {
    /// A unit.
    Systemd,
    /// A rule.
    Udev,
    /// A policy script.
    Irqbalance,
    /// A profile of TuneD.
    Tuned,
}

/// What is set of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastingSetting {
    /// The device's label.
    pub label: String,
    /// Its function.
    pub address: PciAddress,
    /// Path of nearfar.
    pub program: OsString,
    /// The options after the device: `--near`.
    pub options: Vec<String>,
    /// The node for interrupts that may run anywhere on it; `None` for other targets.
    pub node: Option<NodeId>,
    /// Whether the device has network interfaces.
    pub is_network: bool,
}

impl LastingSetting {
    /// The text of the file, with a comment on where it goes.
    ///
    /// # Errors
    ///
    /// A path of nearfar that the file cannot have unchanged.
    pub fn text(&self, system: LastingSystem) -> Result<String, UnwritableWord> {
        match system {
            LastingSystem::Systemd => systemd::unit(self),
            LastingSystem::Udev => udev::rule(self),
            LastingSystem::Irqbalance => irqbalance::policy(self),
            LastingSystem::Tuned => tuned::profile(self),
        }
    }

    /// The command that sets it.
    fn set_command(&self) -> Result<CommandLine, UnwritableWord> {
        self.command(&self.options)
    }

    fn undo_command(&self) -> Result<CommandLine, UnwritableWord> {
        self.command(&["--undo".to_owned()])
    }

    fn command(&self, options: &[String]) -> Result<CommandLine, UnwritableWord> {
        let address = self.address.to_string();
        let words = [self.program.clone(), "irq".into(), "set".into(), address.into()].into_iter();
        CommandLine::new(words.chain(options.iter().map(OsString::from)))
    }
}

#[cfg(test)]
mod tests;
