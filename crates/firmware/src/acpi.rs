//! ACPI tables about memory, processors and distances, decoded entry by entry.
//!
//! Each table has one file. [`decode`] expects one type of table; [`AcpiTable::decode`] goes by the
//! signature.

mod aml;
mod cdit;
mod cedt;
mod crat;
mod entries;
mod fadt;
mod header;
mod hmat;
mod madt;
mod msct;
mod namespace;
mod pptt;
mod slit;
mod srat;

use serde::Serialize;

pub use aml::{AcpiDevice, AmlValue, DefinitionBlock, PciRoot, ProximityClaim, UndecodedCode};
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
pub use namespace::{AcpiNamespace, InheritedDomain};
pub use pptt::{Pptt, PpttCache, PpttStructure, PpttVendor, ProcessorHierarchy};
pub use slit::Slit;
pub use srat::{
    Affinity, DeviceHandle, GenericAffinity, ItsAffinity, LocalApicAffinity, MemoryAffinity,
    ProcessorAffinity, Srat, X2ApicAffinity,
};

use super::byte_view::ByteView;
use super::fault::{Fault, Faults};

/// A decoded table and its problems.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Decoded<T> {
    /// The table's header.
    pub header: TableHeader,
    /// Its content.
    #[serde(flatten)]
    pub content: T,
    /// Its problems, in the order of detection.
    pub faults: Vec<Fault>,
}

/// A table that is being read: its bytes up to its claimed length, its revision, and the faults so
/// far.
#[derive(Debug)]
pub struct TableReader<'a> {
    bytes: ByteView<'a>,
    revision: u8,
    faults: Faults,
}

/// The content of one type of table.
pub trait TableContent: Sized {
    /// The signatures of this type of table: one, or two for definition blocks.
    const SIGNATURES: &'static [&'static str];

    /// Reads what follows the header. Never fails: problems become faults.
    fn read(table: &mut TableReader<'_>) -> Self;

    /// The table, if it has this type.
    fn from_table(table: &AcpiTable) -> Option<&Decoded<Self>>;
}

/// Decodes one type of table.
///
/// # Errors
///
/// [`NotATable`] if the bytes are no ACPI table, or another one. Anything else that is wrong is in
/// [`Decoded::faults`].
///
/// # References
///
/// ACPI 6.6, section 5.2.6 (header); Documentation/ABI/testing/sysfs-firmware-acpi
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
    if !T::SIGNATURES.contains(&header.signature.as_str()) {
        return Err(NotATable::Another { found: header.signature, wanted: T::SIGNATURES[0] });
    }
    let mut reading = TableReader { bytes, revision: header.revision, faults };
    let content = T::read(&mut reading);
    Ok(Decoded { header, content, faults: reading.faults.into_list() })
}

/// Any ACPI table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
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
    /// DSDT or SSDT.
    DefinitionBlock(Decoded<DefinitionBlock>),
    /// Any other table: only its header is decoded.
    Other(Decoded<HeaderOnly>),
}

/// The content of a table that is not decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct HeaderOnly {}

macro_rules! tables {
    ($($kind:ident $($signature:literal)|+),* $(,)?) => {
        impl AcpiTable {
            /// Decodes a table by its signature.
            ///
            /// # Errors
            ///
            /// [`NotATable`] if the bytes are too short for a header or have no signature.
            ///
            /// # References
            ///
            /// ACPI 6.6, section 5.2.6
            pub fn decode(bytes: &[u8]) -> Result<Self, NotATable> {
                match signature(bytes) {
                    $(Some($($signature)|+) => decode(bytes).map(Self::$kind),)*
                    _ => header_only(bytes).map(Self::Other),
                }
            }

            /// The table's header.
            pub fn header(&self) -> &TableHeader {
                match self {
                    $(Self::$kind(table) => &table.header,)*
                    Self::Other(table) => &table.header,
                }
            }

            /// Its problems.
            pub fn faults(&self) -> &[Fault] {
                match self {
                    $(Self::$kind(table) => &table.faults,)*
                    Self::Other(table) => &table.faults,
                }
            }
        }

        $(impl TableContent for $kind {
            const SIGNATURES: &'static [&'static str] = &[$($signature),+];

            fn read(table: &mut TableReader<'_>) -> Self {
                Self::read(table)
            }

            fn from_table(table: &AcpiTable) -> Option<&Decoded<Self>> {
                match table {
                    AcpiTable::$kind(table) => Some(table),
                    _ => None,
                }
            }
        })*
    };
}

tables! {
    Srat "SRAT", Slit "SLIT", Hmat "HMAT", Msct "MSCT", Madt "APIC", Pptt "PPTT", Cedt "CEDT",
    Crat "CRAT", Cdit "CDIT", DefinitionBlock "DSDT" | "SSDT",
}

fn header_only(bytes: &[u8]) -> Result<Decoded<HeaderOnly>, NotATable> {
    let mut faults = Faults::default();
    let (header, _) = header::read(bytes, &mut faults)?;
    Ok(Decoded { header, content: HeaderOnly {}, faults: faults.into_list() })
}
