//! All that Linux's decision hangs on.

use nearfar_firmware::Firmware;
use nearfar_model::CpuId;
use serde::Serialize;

use super::command_line::CommandLine;
use super::memory_map::MemoryMap;
use super::version::KernelVersion;

mod cpus;

/// All that Linux's decision hangs on. [`new`](Self::new) assumes a kernel of today with NUMA and
/// an empty command line; what is better known is set.
#[derive(Clone, Debug)]
pub struct PredictionInput<'a> {
    /// The tables.
    pub firmware: &'a Firmware,
    /// Whose rules apply.
    pub architecture: Architecture,
    /// The kernel's version.
    pub kernel: KernelVersion,
    /// The kernel's command line.
    pub command_line: CommandLine,
    /// Where there is memory; without it, what is not covered and how much a node has stay
    /// undecided.
    pub memory_map: Option<&'a MemoryMap>,
    /// The CPUs that are there, in the kernel's order; empty where they are not known.
    pub cpus: Vec<PresentCpu>,
    /// `CONFIG_NUMA`.
    pub numa_configured: bool,
    /// `1 << CONFIG_NODES_SHIFT`: how many nodes the kernel has room for.
    pub max_nodes: u32,
}

/// Whose rules apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Architecture {
    /// x86, 32 and 64 bits.
    X86,
    /// 64-bit Arm.
    Arm64,
    /// RISC-V, which follows Arm's rules.
    Riscv,
    /// Any other: its rules are not known here.
    Other,
}

/// A CPU that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PresentCpu {
    /// The kernel's number.
    pub id: CpuId,
    /// APIC id on x86, MPIDR on Arm, hart id on RISC-V.
    pub hardware_id: u64,
    /// The number that the MADT gives it, where known: SRAT entries of Arm and RISC-V name CPUs by
    /// it.
    pub processor_uid: Option<u32>,
}

impl<'a> PredictionInput<'a> {
    /// A kernel of today, with NUMA, an empty command line and the CPUs of the MADT or the device
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
            // So many nodes have kernels of distributions room for: `CONFIG_MAXSMP` on x86; 16 and
            // more on Arm.
            max_nodes: if architecture == Architecture::X86 { 1024 } else { 16 },
        }
    }
}

impl Architecture {
    /// From the kernel's word for it: "x86_64", "aarch64", "riscv64".
    pub fn from_name(name: &str) -> Self {
        match name {
            "x86_64" | "x86" | "i386" | "i486" | "i586" | "i686" => Self::X86,
            "aarch64" | "arm64" => Self::Arm64,
            "riscv64" | "riscv" => Self::Riscv,
            _ => Self::Other,
        }
    }
}
