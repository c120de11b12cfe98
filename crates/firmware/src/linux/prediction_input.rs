//! The input of Linux's decision.

use nearfar_model::CpuId;
use serde::Serialize;

use super::command_line::CommandLine;
use super::memory_map::MemoryMap;
use super::version::KernelVersion;
use crate::Firmware;

mod cpus;

/// The input of Linux's decision. [`new`](Self::new) assumes a current kernel with NUMA and an
/// empty command line; set the fields that are known.
#[derive(Clone, Debug)]
pub struct PredictionInput<'a> {
    /// The tables.
    pub firmware: &'a Firmware,
    /// The architecture, which selects the rules.
    pub architecture: Architecture,
    /// The kernel's version.
    pub kernel: KernelVersion,
    /// The kernel's command line.
    pub command_line: CommandLine,
    /// The memory map. Without it, coverage and the size of nodes stay undecided.
    pub memory_map: Option<&'a MemoryMap>,
    /// The present CPUs, in the kernel's order; empty if unknown.
    pub cpus: Vec<PresentCpu>,
    /// `CONFIG_NUMA`.
    pub numa_configured: bool,
    /// `1 << CONFIG_NODES_SHIFT`: the kernel's maximum number of nodes.
    pub max_nodes: u32,
}

/// The architecture, which selects the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Architecture {
    /// x86, 32 and 64 bits.
    X86,
    /// 64-bit Arm.
    Arm64,
    /// RISC-V, which follows Arm's rules.
    Riscv,
    /// Any other: its rules are not implemented.
    Other,
}

/// A present CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PresentCpu {
    /// The kernel's number.
    pub id: CpuId,
    /// APIC ID on x86, MPIDR on Arm, hart ID on RISC-V.
    pub hardware_id: u64,
    /// Its UID in the MADT, if known: SRAT entries of Arm and RISC-V use it.
    pub processor_uid: Option<u32>,
}

impl<'a> PredictionInput<'a> {
    /// A current kernel with NUMA, an empty command line and the CPUs of the MADT or the device
    /// tree.
    pub fn new(firmware: &'a Firmware, architecture: Architecture) -> Self {
        Self {
            firmware,
            architecture,
            kernel: KernelVersion::default(),
            command_line: CommandLine::default(),
            memory_map: None,
            cpus: cpus::from_firmware(firmware, architecture),
            numa_configured: true,
            // Defaults of distributions: `CONFIG_MAXSMP` on x86; at least 16 on Arm.
            max_nodes: if architecture == Architecture::X86 { 1024 } else { 16 },
        }
    }
}

impl Architecture {
    /// From the kernel's name: "x86_64", "aarch64", "riscv64".
    pub fn from_name(name: &str) -> Self {
        match name {
            "x86_64" | "x86" | "i386" | "i486" | "i586" | "i686" => Self::X86,
            "aarch64" | "arm64" => Self::Arm64,
            "riscv64" | "riscv" => Self::Riscv,
            _ => Self::Other,
        }
    }
}
