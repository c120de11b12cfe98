//! The present CPUs, in the order of Linux's numbers.

use nearfar_model::CpuId;

use super::{Architecture, PresentCpu};
use crate::Firmware;
use crate::acpi::{InterruptController, Madt};
use crate::device_tree::DeviceTree;
use crate::linux::memory_map::is_okay;

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
pub(super) fn from_firmware(firmware: &Firmware, architecture: Architecture) -> Vec<PresentCpu> {
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
