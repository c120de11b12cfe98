//! Decoders of firmware tables: ACPI, device tree and SMBIOS.
//!
//! [`Firmware`] holds all tables of one machine, with the file that each came from. nearfar-machine
//! reads it from a machine; [`Firmware::open`] reads it from one table, a folder of tables, the
//! text of `acpidump`, a flattened device tree or an SMBIOS dump. Three decoders take bytes and
//! open no file:
//!
//! - [`acpi`]: SRAT, SLIT, HMAT, MSCT, MADT, PPTT, CEDT, AMD's CRAT and CDIT, and which domains
//!   devices claim in DSDT and SSDT;
//! - [`device_tree`]: `numa-node-id` and `distance-map`;
//! - [`smbios`]: sockets and memory slots.
//!
//! Decoders keep every entry in order, with its offset: disabled entries and unknown types too.
//! What is wrong with a table is a [`Fault`] beside the decoded content. How a kernel interprets
//! the tables is decided in [`linux`].
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
//! No input makes this crate panic, read out of bounds, or allocate more than a small multiple of
//! the input's size (tests/it/bounds.rs measures it).

pub mod acpi;
mod byte_view;
mod collection;
pub mod device_tree;
mod error;
mod fault;
mod item;
mod layout;
pub mod linux;
pub mod smbios;
pub mod text;

pub use collection::{
    DumpedTable, Firmware, FirmwareFile, ReadState, SkippedFile, TableFile, parse_acpidump,
};
pub use error::FirmwareError;
pub use fault::{Fault, FaultKind};
pub use item::FirmwareItem;

/// Runs the examples of the README as doctests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
