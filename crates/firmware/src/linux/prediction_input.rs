//! The input of Linux's decision.

use nearfar_model::CpuId;
use serde::Serialize;

use super::KernelVersion;
use super::command_line::CommandLine;
use super::memory_map::MemoryMap;
use crate::Firmware;
use crate::acpi::{InterruptController, Madt};
use crate::device_tree::DeviceTree;
use crate::linux::memory_map::is_okay;

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
            cpus: from_firmware(firmware, architecture),
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

impl PresentCpu {
    /// Parses `/proc/cpuinfo`: blocks of "processor : 0" and, further down, "apicid : 0". Empty
    /// without hardware IDs (all but x86).
    ///
    /// # References
    ///
    /// arch/x86/kernel/cpu/proc.c: show_cpuinfo
    pub fn from_cpuinfo(text: &str) -> Vec<Self> {
        let mut cpus = Vec::new();
        let mut current = None;
        for line in text.lines() {
            let Some((name, value)) = line.split_once(':') else { continue };
            match (name.trim(), value.trim().parse::<u32>()) {
                ("processor", Ok(number)) => current = Some(CpuId(number)),
                ("apicid", Ok(hardware_id)) => {
                    let present =
                        |id| Self { id, hardware_id: hardware_id.into(), processor_uid: None };
                    cpus.extend(current.take().map(present));
                }
                _ => {}
            }
        }
        cpus
    }
}

/// From the MADT, else from the device tree, in the order of their entries. The boot CPU comes
/// first, as firmware nearly always lists it.
fn from_firmware(firmware: &Firmware, architecture: Architecture) -> Vec<PresentCpu> {
    let from_madt =
        firmware.first::<Madt>().map(|(_, madt)| from_madt(&madt.content, architecture));
    let tree = firmware.device_tree.as_ref().and_then(|part| part.state.decoded());
    from_madt.filter(|cpus| !cpus.is_empty()).or_else(|| tree.map(from_tree)).unwrap_or_default()
}

fn from_madt(madt: &Madt, architecture: Architecture) -> Vec<PresentCpu> {
    let usable = madt.entries.iter().filter_map(|entry| usable(entry.known()?, architecture));
    let mut seen = std::collections::BTreeSet::new();
    // A CPU may have an entry as a local APIC and one as an x2APIC.
    let distinct = usable.filter(|(hardware_id, _)| seen.insert(*hardware_id));
    numbered(distinct.collect())
}

fn usable(entry: &InterruptController, architecture: Architecture) -> Option<(u64, Option<u32>)> {
    use InterruptController as C;
    match (architecture, entry) {
        (Architecture::X86, C::LocalApic(cpu)) if cpu.enabled => {
            Some((cpu.apic_id.into(), Some(cpu.processor_uid.into())))
        }
        (Architecture::X86, C::LocalX2Apic(cpu)) if cpu.enabled => {
            Some((cpu.apic_id.into(), Some(cpu.processor_uid)))
        }
        (Architecture::Arm64, C::Gicc(cpu)) if cpu.enabled => {
            Some((cpu.mpidr, Some(cpu.processor_uid)))
        }
        (Architecture::Riscv, C::Rintc(cpu)) if cpu.enabled => {
            Some((cpu.hart_id, Some(cpu.processor_uid)))
        }
        _ => None,
    }
}

fn from_tree(tree: &DeviceTree) -> Vec<PresentCpu> {
    let usable = tree.cpus.iter().filter(|cpu| is_okay(cpu.status.as_deref()));
    numbered(usable.map(|cpu| (cpu.hardware_id.unwrap_or_default(), None)).collect())
}

fn numbered(cpus: Vec<(u64, Option<u32>)>) -> Vec<PresentCpu> {
    let number = |((hardware_id, processor_uid), id)| PresentCpu {
        id: CpuId(id),
        hardware_id,
        processor_uid,
    };
    cpus.into_iter().zip(0..).map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn apic_ids_are_parsed_from_cpuinfo() {
        let text = "processor\t: 0\napicid\t\t: 0\ninitial apicid\t: 0\n\nprocessor\t: \
                    7\napicid\t\t: 18\n";
        let ids: Vec<_> =
            PresentCpu::from_cpuinfo(text).iter().map(|cpu| (cpu.id.0, cpu.hardware_id)).collect();
        assert_eq!(ids, [(0, 0), (7, 18)]);
        assert_eq!(PresentCpu::from_cpuinfo("processor : 0\nBogoMIPS : 1\n"), []);
    }
}
