//! Errors that prevent reading tables. Smaller problems are faults beside the decoded content.

use std::io;
use std::path::PathBuf;

use nearfar_model::Bytes;
use thiserror::Error;

/// The largest accepted `acpidump` text. All tables of a large server take about 10 MiB.
pub(crate) const MAX_DUMP_SIZE: Bytes = Bytes::mib(64);

/// Why tables cannot be opened, or why a requested table is not available.
#[derive(Debug, Error)]
pub enum FirmwareError {
    /// The path does not exist or is not readable.
    #[error(
        "cannot read {}: {cause}; give a table, a folder of tables, or the text of acpidump",
        path.display()
    )]
    OpenTables {
        /// The path.
        path: PathBuf,
        /// The reason.
        cause: io::Error,
    },
    /// The file is larger than any dump of tables.
    #[error(
        "{} is larger than {MAX_DUMP_SIZE}, more than all tables of a machine: give the tables \
         alone",
        path.display()
    )]
    DumpTooLarge {
        /// The file.
        path: PathBuf,
    },
    /// No file of the folder is a table.
    #[error(
        "{} has no firmware table ({files} files examined{why}): give a folder that \
         acpixtract or 'acpidump -b' wrote",
        path.display()
    )]
    NoTables {
        /// The folder.
        path: PathBuf,
        /// Number of files in the folder.
        files: usize,
        /// The problem of the first file that is named like a table, after "; ". Empty if there is
        /// none.
        why: String,
    },
    /// The file has no known firmware format. Captured machines are opened by nearfar-machine.
    #[error(
        "{} is not an ACPI table, acpidump text, device tree, SMBIOS table or captured machine",
        path.display()
    )]
    NotFirmware {
        /// The file.
        path: PathBuf,
    },
    /// Firmware has no table of this name.
    #[error("{origin} has no {asked}; {there}")]
    NoSuchTable {
        /// The requested name.
        asked: String,
        /// The machine or path that was searched.
        origin: String,
        /// The names that exist.
        there: String,
    },
    /// The table exists and only root may read it.
    #[error(
        "{path} exists, and only root may read it: read or capture it as root, or give tables \
         with --tables PATH"
    )]
    TableDenied {
        /// The file.
        path: String,
    },
    /// The table exists and is malformed.
    #[error("{path} cannot be read: {why}")]
    TableMalformed {
        /// The file.
        path: String,
        /// The reason.
        why: String,
    },
}
