//! ACPI's tables about memory, processors and distance, decoded: every entry as it stands there.
//!
//! One file a table. [`decode`] reads bytes as the table one expects, [`AcpiTable::decode`] as the
//! one they say they are.

mod cdit;
mod cedt;
mod crat;
mod entries;
mod fadt;
mod header;
mod hmat;
mod madt;
mod msct;
mod pptt;
mod slit;
mod srat;

use serde::Serialize;

pub use cdit::Cdit;
pub use cedt::{Cedt, CxlStructure, FixedMemoryWindow, HostBridge, PortAssociation, XorMath};
pub use crat::{ComputeUnit, Crat, CratCache, CratEntry, CratMemory, IoLink};
pub use entries::{EntryBody, HexBytes, MAX_ENTRIES, TableEntry};
pub use fadt::{FADT, PowerProfile};
pub(super) use header::signature;
pub use header::{HEADER_BYTES, NotATable, TableHeader};
pub use hmat::{Hmat, HmatStructure, Locality, LocalityData, MemoryAttributes, MemorySideCache};
pub use madt::{
    GicDistributor, GicIts, GicMsiFrame, GicRedistributors, Gicc, InterruptController, IoApic,
    LocalApic, LocalApicAddress, LocalApicNmi, LocalX2Apic, LocalX2ApicNmi, Madt, NmiSource, Rintc,
    SourceOverride,
};
pub use msct::{DomainMaximum, Msct};
pub use pptt::{Pptt, PpttCache, PpttStructure, PpttVendor, ProcessorHierarchy};
pub use slit::Slit;
pub use srat::{
    Affinity, DeviceHandle, GenericAffinity, ItsAffinity, LocalApicAffinity, MemoryAffinity,
    ProcessorAffinity, Srat, X2ApicAffinity,
};

use super::byte_view::ByteView;
use super::fault::{Fault, Faults};

/// A table and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Decoded<T> {
    /// What the table says of itself.
    pub header: TableHeader,
    /// What it holds.
    #[serde(flatten)]
    pub content: T,
    /// What is wrong with it, in the order in which it was found.
    pub faults: Vec<Fault>,
}

/// A table while it is read: its bytes up to the end it claims, its revision, the faults found so
/// far.
#[derive(Debug)]
pub struct TableReader<'a> {
    bytes: ByteView<'a>,
    revision: u8,
    faults: Faults,
}

/// What can stand after a table's header.
pub trait TableContent: Sized {
    /// The four letters that the table begins with.
    const SIGNATURE: &'static str;

    /// Reads what follows the header. Never fails: what is wrong is kept as a fault.
    fn read(table: &mut TableReader<'_>) -> Self;

    /// This table, if it is one of this kind.
    fn of(table: &AcpiTable) -> Option<&Decoded<Self>>;
}

/// Decodes bytes as the table one expects. Fails only where they are no table, or another one.
///
/// ```
/// use nearfar_firmware::acpi::{Slit, decode};
///
/// let mut bytes = b"SLIT".to_vec();
/// bytes.extend(48u32.to_le_bytes());
/// bytes.resize(36, 0);
/// bytes.extend(2u64.to_le_bytes());
/// bytes.extend([10, 21, 21, 10]);
/// let slit = decode::<Slit>(&bytes)?;
/// assert_eq!(slit.content.distance(0, 1), Some(21));
/// assert_eq!(slit.header.checksum_holds, Some(false));
/// # Ok::<(), nearfar_firmware::acpi::NotATable>(())
/// ```
pub fn decode<T: TableContent>(bytes: &[u8]) -> Result<Decoded<T>, NotATable> {
    let mut faults = Faults::default();
    let (header, bytes) = header::read(bytes, &mut faults)?;
    if header.signature != T::SIGNATURE {
        return Err(NotATable::Another { found: header.signature, wanted: T::SIGNATURE });
    }
    let mut reading = TableReader { bytes, revision: header.revision, faults };
    let content = T::read(&mut reading);
    Ok(Decoded { header, content, faults: reading.faults.into_list() })
}

/// Any ACPI table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[allow(missing_docs)] // Each is named after its table.
pub enum AcpiTable {
    Srat(Decoded<Srat>),
    Slit(Decoded<Slit>),
    Hmat(Decoded<Hmat>),
    Msct(Decoded<Msct>),
    Madt(Decoded<Madt>),
    Pptt(Decoded<Pptt>),
    Cedt(Decoded<Cedt>),
    Crat(Decoded<Crat>),
    Cdit(Decoded<Cdit>),
    /// A table that says nothing about NUMA, or nothing that is known here: its header only.
    Other(Decoded<HeaderOnly>),
}

/// A table whose content is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct HeaderOnly {}

macro_rules! tables {
    ($($kind:ident $signature:literal),* $(,)?) => {
        impl AcpiTable {
            /// Decodes bytes as the table that they say they are.
            pub fn decode(bytes: &[u8]) -> Result<Self, NotATable> {
                match signature(bytes) {
                    $(Some($signature) => decode(bytes).map(Self::$kind),)*
                    _ => header_only(bytes).map(Self::Other),
                }
            }

            /// What the table says of itself.
            pub fn header(&self) -> &TableHeader {
                match self {
                    $(Self::$kind(table) => &table.header,)*
                    Self::Other(table) => &table.header,
                }
            }

            /// What is wrong with it.
            pub fn faults(&self) -> &[Fault] {
                match self {
                    $(Self::$kind(table) => &table.faults,)*
                    Self::Other(table) => &table.faults,
                }
            }
        }

        $(impl TableContent for $kind {
            const SIGNATURE: &'static str = $signature;

            fn read(table: &mut TableReader<'_>) -> Self {
                Self::read(table)
            }

            fn of(table: &AcpiTable) -> Option<&Decoded<Self>> {
                match table {
                    AcpiTable::$kind(table) => Some(table),
                    _ => None,
                }
            }
        })*
    };
}

tables! {
    Srat "SRAT", Slit "SLIT", Hmat "HMAT", Msct "MSCT", Madt "APIC", Pptt "PPTT", Cedt "CEDT", Crat "CRAT", Cdit "CDIT",
}

fn header_only(bytes: &[u8]) -> Result<Decoded<HeaderOnly>, NotATable> {
    let mut faults = Faults::default();
    let (header, _) = header::read(bytes, &mut faults)?;
    Ok(Decoded { header, content: HeaderOnly {}, faults: faults.into_list() })
}
