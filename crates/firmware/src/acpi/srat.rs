//! SRAT: which proximity domain each processor and each range of memory belongs to.
//!
//! Layouts: ACPI 6.6, section 5.2.16.

use nearfar_model::ProximityDomain;
use serde::Serialize;

use super::entries::{Entry, Hex};

mod layout;

/// The entries of a SRAT.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Srat {
    /// The field after the header. The specification wants 1 for old systems' sake; nobody looks.
    pub table_revision: Option<u32>,
    /// All entries, in order.
    pub entries: Vec<Entry<Affinity>>,
}

/// What belongs to a domain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "entry", rename_all = "kebab-case")]
pub enum Affinity {
    /// Type 0: an x86 CPU by its APIC id.
    LocalApic(LocalApicAffinity),
    /// Type 1: a range of memory.
    Memory(MemoryAffinity),
    /// Type 2: an x86 CPU by its x2APIC id.
    X2Apic(X2ApicAffinity),
    /// Type 3: an Arm CPU.
    Gicc(GiccAffinity),
    /// Type 4: an Arm interrupt translator.
    GicIts(ItsAffinity),
    /// Type 5: a device that starts accesses, without a CPU.
    GenericInitiator(GenericAffinity),
    /// Type 6: a port behind which devices may appear, such as a CXL host bridge.
    GenericPort(GenericAffinity),
    /// Type 7: a RISC-V CPU.
    Rintc(RintcAffinity),
}

/// Type 0: an x86 CPU by its APIC id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LocalApicAffinity {
    /// The domain as Linux reads it: 8 bits in tables of revision 1 and below, 32 bits else.
    pub domain: ProximityDomain,
    /// All 32 bits, whatever the revision.
    pub domain_raw: u32,
    /// The CPU's APIC id.
    pub apic_id: u8,
    /// For Itanium: the upper part of the id.
    pub sapic_eid: u8,
    /// The flags as they stand.
    pub flags: u32,
    /// Whether the entry counts.
    pub enabled: bool,
    /// The domain whose clocks run together.
    pub clock_domain: u32,
}

/// Type 1: a range of memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemoryAffinity {
    /// The domain as Linux reads it: 8 bits in tables of revision 1 and below, 32 bits else.
    pub domain: ProximityDomain,
    /// All 32 bits, whatever the revision.
    pub domain_raw: u32,
    /// First physical address.
    pub base_address: u64,
    /// How many bytes.
    pub size_bytes: u64,
    /// The flags as they stand.
    pub flags: u32,
    /// Whether the entry counts.
    pub enabled: bool,
    /// Whether memory may be added and removed there while the machine runs.
    pub hot_pluggable: bool,
    /// Whether it keeps its content without power.
    pub non_volatile: bool,
    /// Whether it is meant for a special purpose (bit 3; ACPI 6.6).
    pub specific_purpose: bool,
}

impl MemoryAffinity {
    /// The last physical address; none for an empty range, or one that runs past the end of the address space.
    pub fn last_address(&self) -> Option<u64> {
        self.base_address.checked_add(self.size_bytes.checked_sub(1)?)
    }
}

/// Type 2: an x86 CPU by its x2APIC id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct X2ApicAffinity {
    /// The domain.
    pub domain: ProximityDomain,
    /// The CPU's x2APIC id.
    pub apic_id: u32,
    /// The flags as they stand.
    pub flags: u32,
    /// Whether the entry counts.
    pub enabled: bool,
    /// The domain whose clocks run together.
    pub clock_domain: u32,
}

/// Type 3: an Arm CPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GiccAffinity {
    /// The domain.
    pub domain: ProximityDomain,
    /// The CPU, by the number that the MADT gives it.
    pub processor_uid: u32,
    /// The flags as they stand.
    pub flags: u32,
    /// Whether the entry counts.
    pub enabled: bool,
    /// The domain whose clocks run together.
    pub clock_domain: u32,
}

/// Type 4: an Arm interrupt translator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ItsAffinity {
    /// The domain.
    pub domain: ProximityDomain,
    /// The translator, by the number that the MADT gives it.
    pub its_id: u32,
}

/// Types 5 and 6: a generic initiator or port.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GenericAffinity {
    /// The domain.
    pub domain: ProximityDomain,
    /// Which device it is.
    pub handle: DeviceHandle,
    /// The flags as they stand.
    pub flags: u32,
    /// Whether the entry counts.
    pub enabled: bool,
    /// Whether the device orders its accesses as CPUs do (bit 1; ACPI 6.4).
    pub architectural_transactions: bool,
}

/// How types 5 and 6 name a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeviceHandle {
    /// By ACPI's names.
    Acpi {
        /// `_HID`: eight letters at most, such as "ACPI0016" for a CXL host bridge.
        hid: String,
        /// `_UID`.
        uid: u32,
    },
    /// By its place on PCI.
    Pci {
        /// The segment.
        segment: u16,
        /// The bus.
        bus: u8,
        /// The device, 0 to 31.
        device: u8,
        /// The function, 0 to 7.
        function: u8,
    },
    /// In a way that the specification does not know.
    Unknown {
        /// Which way.
        kind: u8,
        /// The 16 bytes of the name.
        bytes: Hex,
    },
}

/// Type 7: a RISC-V CPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RintcAffinity {
    /// The domain.
    pub domain: ProximityDomain,
    /// The CPU, by the number that the MADT gives it.
    pub processor_uid: u32,
    /// The flags as they stand.
    pub flags: u32,
    /// Whether the entry counts.
    pub enabled: bool,
    /// The domain whose clocks run together.
    pub clock_domain: u32,
}

impl Affinity {
    /// The domain that the entry names.
    pub fn domain(&self) -> ProximityDomain {
        match self {
            Self::LocalApic(entry) => entry.domain,
            Self::Memory(entry) => entry.domain,
            Self::X2Apic(entry) => entry.domain,
            Self::Gicc(entry) => entry.domain,
            Self::GicIts(entry) => entry.domain,
            Self::GenericInitiator(entry) | Self::GenericPort(entry) => entry.domain,
            Self::Rintc(entry) => entry.domain,
        }
    }

    /// Whether the entry counts. One of an interrupt translator has no flag for it, and does.
    pub fn enabled(&self) -> bool {
        match self {
            Self::LocalApic(entry) => entry.enabled,
            Self::Memory(entry) => entry.enabled,
            Self::X2Apic(entry) => entry.enabled,
            Self::Gicc(entry) => entry.enabled,
            Self::GicIts(_) => true,
            Self::GenericInitiator(entry) | Self::GenericPort(entry) => entry.enabled,
            Self::Rintc(entry) => entry.enabled,
        }
    }

    /// Whether the entry is about a CPU.
    pub fn is_cpu(&self) -> bool {
        matches!(self, Self::LocalApic(_) | Self::X2Apic(_) | Self::Gicc(_) | Self::Rintc(_))
    }
}
