//! Values of options.

use clap::ValueEnum;
use nearfar_devices::irq_set::{CpuReach, LastingSystem};

/// `near` or `all`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum ReachName {
    /// CPUs of the device's node
    Near,
    /// All online CPUs
    All,
}

impl ReachName {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Near => "near",
            Self::All => "all",
        }
    }
}

impl From<ReachName> for CpuReach {
    fn from(name: ReachName) -> Self {
        match name {
            ReachName::Near => Self::Near,
            ReachName::All => Self::All,
        }
    }
}

/// `near`, `all` or `off`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum SteeringName {
    /// CPUs of the device's node
    Near,
    /// All online CPUs
    All,
    /// No CPUs: the kernel chooses
    Off,
}

impl SteeringName {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Near => "near",
            Self::All => "all",
            Self::Off => "off",
        }
    }

    /// The CPUs; `None` for off.
    pub(super) fn reach(self) -> Option<CpuReach> {
        match self {
            Self::Near => Some(CpuReach::Near),
            Self::All => Some(CpuReach::All),
            Self::Off => None,
        }
    }
}

/// Programs that set interrupts at boot.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum LastingName {
    /// A unit
    Systemd,
    /// A rule
    Udev,
    /// A policy script
    Irqbalance,
    /// A profile of TuneD
    Tuned,
}

impl From<LastingName> for LastingSystem {
    fn from(name: LastingName) -> Self {
        match name {
            LastingName::Systemd => Self::Systemd,
            LastingName::Udev => Self::Udev,
            LastingName::Irqbalance => Self::Irqbalance,
            LastingName::Tuned => Self::Tuned,
        }
    }
}
