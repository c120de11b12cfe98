//! MADT: which processors there are, and which of the SRAT's ids exist.

use std::collections::BTreeMap;

use nearfar_model::ProximityDomain;

use super::fields::{hex, lines, table};
use super::{remains, runs};
use crate::Firmware;
use crate::acpi::{
    Affinity, GicDistributor, GicIts, GicMsiFrame, GicRedistributors, InterruptController,
    LocalApicAddress, LocalApicNmi, LocalX2ApicNmi, Madt, NmiSource, SourceOverride, Srat,
    TableEntry,
};

pub(super) fn sections(madt: &Madt, firmware: &Firmware) -> Vec<String> {
    let cpus: Vec<MadtCpu> = madt.entries.iter().filter_map(cpu).collect();
    vec![
        running(&cpus, &Domains::from_firmware(firmware)),
        waiting(&cpus),
        controllers(madt),
        remains::entries(&madt.entries),
    ]
}

/// A CPU, whatever the architecture.
struct MadtCpu {
    offset: usize,
    kind: &'static str,
    processor_uid: u64,
    hardware_id: u64,
    enabled: bool,
    online_capable: bool,
}

fn cpu(entry: &TableEntry<InterruptController>) -> Option<MadtCpu> {
    use InterruptController as C;
    let offset = entry.offset;
    let of = |kind, uid: u32, hardware_id, enabled, online_capable| {
        Some(MadtCpu {
            offset,
            kind,
            processor_uid: uid.into(),
            hardware_id,
            enabled,
            online_capable,
        })
    };
    match entry.known()? {
        C::LocalApic(cpu) => of(
            "local APIC",
            cpu.processor_uid.into(),
            cpu.apic_id.into(),
            cpu.enabled,
            cpu.online_capable,
        ),
        C::LocalX2Apic(cpu) => {
            of("x2APIC", cpu.processor_uid, cpu.apic_id.into(), cpu.enabled, cpu.online_capable)
        }
        C::Gicc(cpu) => of("GICC", cpu.processor_uid, cpu.mpidr, cpu.enabled, cpu.online_capable),
        C::Rintc(cpu) => {
            of("RINTC", cpu.processor_uid, cpu.hart_id, cpu.enabled, cpu.online_capable)
        }
        _ => None,
    }
}

/// The domains that a SRAT gives to CPUs, by what it calls them.
#[derive(Default)]
struct Domains {
    by_apic_id: BTreeMap<u64, ProximityDomain>,
    by_processor_uid: BTreeMap<u64, ProximityDomain>,
}

impl Domains {
    fn from_firmware(firmware: &Firmware) -> Self {
        let mut domains = Self::default();
        let Some((_, srat)) = firmware.first::<Srat>() else { return domains };
        for affinity in srat
            .content
            .entries
            .iter()
            .filter_map(TableEntry::known)
            .filter(|affinity| affinity.enabled())
        {
            match affinity {
                Affinity::LocalApic(cpu) => {
                    domains.by_apic_id.insert(cpu.apic_id.into(), cpu.domain)
                }
                Affinity::X2Apic(cpu) => domains.by_apic_id.insert(cpu.apic_id.into(), cpu.domain),
                Affinity::Gicc(cpu) => {
                    domains.by_processor_uid.insert(cpu.processor_uid.into(), cpu.domain)
                }
                Affinity::Rintc(cpu) => {
                    domains.by_processor_uid.insert(cpu.processor_uid.into(), cpu.domain)
                }
                _ => None,
            };
        }
        domains
    }

    fn domain(&self, cpu: &MadtCpu) -> String {
        let found = match cpu.kind {
            "local APIC" | "x2APIC" => self.by_apic_id.get(&cpu.hardware_id),
            _ => self.by_processor_uid.get(&cpu.processor_uid),
        };
        let otherwise = if self.by_apic_id.is_empty() && self.by_processor_uid.is_empty() {
            ""
        } else {
            "none"
        };
        found.map_or_else(|| otherwise.to_owned(), ToString::to_string)
    }
}

fn running(cpus: &[MadtCpu], domains: &Domains) -> String {
    let line = |cpu: &MadtCpu| {
        let id = if cpu.kind.ends_with("APIC") {
            cpu.hardware_id.to_string()
        } else {
            hex(cpu.hardware_id)
        };
        let uid = cpu.processor_uid.to_string();
        [uid, cpu.kind.to_owned(), id, domains.domain(cpu), cpu.offset.to_string()]
    };
    let lines: Vec<_> = cpus.iter().filter(|cpu| cpu.enabled).map(line).collect();
    if lines.is_empty() {
        return "No CPU is enabled.\n".to_owned();
    }
    let title = format!("CPUs that are enabled: {} of {}", lines.len(), cpus.len());
    table(&title, [">UID", "kind", ">id", ">domain (SRAT)", ">offset"], lines)
}

/// CPUs that are not enabled, together: boards keep an entry for each that could be there.
fn waiting(cpus: &[MadtCpu]) -> String {
    let mut kinds: BTreeMap<(&str, bool), Vec<&MadtCpu>> = BTreeMap::new();
    for cpu in cpus.iter().filter(|cpu| !cpu.enabled) {
        kinds.entry((cpu.kind, cpu.online_capable)).or_default().push(cpu);
    }
    let line = |((kind, online_capable), cpus): ((&str, bool), Vec<&MadtCpu>)| {
        let state = if online_capable { "may come online later" } else { "disabled" };
        let ids = runs::hexadecimal(cpus.iter().map(|cpu| cpu.hardware_id));
        [kind.to_owned(), state.to_owned(), cpus.len().to_string(), ids]
    };
    let lines = kinds.into_iter().map(line).collect();
    table("CPUs that are not enabled", ["kind", "state", ">entries", "ids"], lines)
}

fn controllers(madt: &Madt) -> String {
    let line = |entry: &InterruptController, offset| {
        let (kind, what) = controller(entry)?;
        Some([kind.to_owned(), what, offset])
    };
    table(
        "Interrupt controllers and lines",
        ["kind", "what", ">offset"],
        lines(&madt.entries, line),
    )
}

fn controller(entry: &InterruptController) -> Option<(&'static str, String)> {
    use InterruptController as C;
    Some(match entry {
        C::LocalApic(_) | C::LocalX2Apic(_) | C::Gicc(_) | C::Rintc(_) => return None,
        C::IoApic(apic) => {
            let (id, place, first) = (apic.io_apic_id, hex(apic.address), apic.interrupt_base);
            ("I/O APIC", format!("id {id}, registers at {place}, interrupts from {first}"))
        }
        C::SourceOverride(SourceOverride { bus, source, interrupt, flags }) => (
            "source override",
            format!("bus {bus} interrupt {source} goes to {interrupt}, flags {flags:#x}"),
        ),
        C::NmiSource(NmiSource { flags, interrupt }) => {
            ("NMI source", format!("interrupt {interrupt}, flags {flags:#x}"))
        }
        C::LocalApicNmi(LocalApicNmi { processor_uid, flags, lint }) => {
            ("local APIC NMI", format!("UID {processor_uid}, LINT {lint}, flags {flags:#x}"))
        }
        C::LocalApicAddress(LocalApicAddress { address }) => ("local APIC address", hex(*address)),
        C::LocalX2ApicNmi(LocalX2ApicNmi { flags, processor_uid, lint }) => {
            ("x2APIC NMI", format!("UID {processor_uid}, LINT {lint}, flags {flags:#x}"))
        }
        C::GicDistributor(GicDistributor { gic_id, base_address, version, .. }) => (
            "GIC distributor",
            format!("id {gic_id}, version {version}, registers at {}", hex(*base_address)),
        ),
        C::GicMsiFrame(GicMsiFrame { frame_id, base_address, spi_count, spi_base, .. }) => {
            let place = hex(*base_address);
            (
                "GIC MSI frame",
                format!(
                    "id {frame_id}, registers at {place}, {spi_count} interrupts from {spi_base}"
                ),
            )
        }
        C::GicRedistributors(GicRedistributors { base_address, size_bytes }) => (
            "GIC redistributors",
            format!("registers at {}, {size_bytes} bytes", hex(*base_address)),
        ),
        C::GicIts(GicIts { its_id, base_address }) => {
            ("interrupt translator", format!("id {its_id}, registers at {}", hex(*base_address)))
        }
    })
}
