//! The two architectures of the lab.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a machine's CPUs speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Arch {
    /// A PC whose firmware speaks ACPI.
    #[serde(rename = "x86_64")]
    X86_64,
    /// An Arm board that a device tree describes.
    Aarch64,
}

impl Arch {
    pub(crate) fn qemu(self) -> &'static str {
        match self {
            Self::X86_64 => "qemu-system-x86_64",
            Self::Aarch64 => "qemu-system-aarch64",
        }
    }

    /// What the guest's kernel calls the first serial line.
    pub(crate) fn console(self) -> &'static str {
        match self {
            Self::X86_64 => "ttyS0",
            Self::Aarch64 => "ttyAMA0",
        }
    }

    /// Where memory begins in the guest's physical addresses.
    pub(crate) fn memory_start(self) -> u64 {
        match self {
            Self::X86_64 => 0,
            Self::Aarch64 => 1 << 30,
        }
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}
