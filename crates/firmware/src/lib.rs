//! What do firmware's own tables say?
//!
//! [`Firmware`] is where they are found and what they say: read from a machine (by
//! nearfar-machine), or [opened](Firmware::open) from whatever somebody sent: one table, a folder
//! of tables, the text of `acpidump`, a flattened device tree, a dump of SMBIOS. Behind it are
//! three decoders that take bytes and know no file:
//!
//! - [`acpi`]: SRAT, SLIT, HMAT, MSCT, MADT, PPTT, CEDT, and AMD's CRAT and CDIT;
//! - [`device_tree`]: `numa-node-id` and `distance-map`;
//! - [`smbios`]: sockets and slots of memory.
//!
//! Decoders keep every entry in its order, with its offset: also disabled ones, and those of types
//! that nobody knows. What is wrong is a [`Fault`] beside what could be read. What a kernel makes
//! of it all is not decided here.
//!
//! ```
//! use nearfar_firmware::Firmware;
//! use nearfar_firmware::acpi::{Affinity, Srat};
//! # let mut bytes = b"SRAT".to_vec();
//! # bytes.extend(64u32.to_le_bytes());
//! # bytes.extend([3, 0]);
//! # bytes.resize(48, 0);
//! # bytes.extend([0, 16, 1, 7, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("srat.dat");
//! # std::fs::write(&path, bytes)?;
//!
//! let firmware = Firmware::open(&path)?;
//! let (file, srat) = firmware.first::<Srat>().expect("the file is a SRAT");
//! assert_eq!(file.name, "SRAT");
//! for entry in &srat.content.entries {
//!     if let Some(Affinity::LocalApic(cpu)) = entry.known() {
//!         println!("offset {}: APIC id {} in domain {}", entry.offset, cpu.apic_id, cpu.domain);
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Nothing that is read here makes this crate panic, read past an end, or allocate more than a
//! small multiple of the input (tests/it/bounds.rs counts).

pub mod acpi;
mod byte_view;
mod collection;
pub mod device_tree;
mod error;
mod fault;
mod item;
mod layout;
pub mod smbios;

pub use collection::{
    DumpedTable, Firmware, FirmwareFile, ReadState, SkippedFile, TableFile, parse_acpidump,
};
pub use error::FirmwareError;
pub use fault::{Fault, FaultKind};
pub use item::FirmwareItem;
