//! Why tables could not be read at all. Anything less is a fault, kept beside what was read.

use std::io;
use std::path::PathBuf;

use nearfar_model::Bytes;
use thiserror::Error;

/// The largest text of `acpidump` that is read. All tables of a large server are some 10 MiB of it.
pub(crate) const MAX_DUMP_SIZE: Bytes = Bytes::mib(64);

/// Why a file of tables could not be opened, or does not tell what was asked.
#[derive(Debug, Error)]
pub enum FirmwareError {
    /// A path that should give tables is not there or may not be read.
    #[error("cannot read {}: {cause}; give a table, a folder of tables, or the text of acpidump", path.display())]
    OpenTables {
        /// What was to be read.
        path: PathBuf,
        /// Why not.
        #[source]
        cause: io::Error,
    },
    /// A file larger than any dump of tables.
    #[error("{} is larger than {MAX_DUMP_SIZE}, more than all tables of a machine: give the tables alone", path.display())]
    DumpTooLarge {
        /// The file.
        path: PathBuf,
    },
    /// A folder in which nothing is a table.
    #[error("{} holds no firmware table ({files} files looked at{why}): give a folder with tables as acpixtract or 'acpidump -b' write them", path.display())]
    NoTables {
        /// The folder.
        path: PathBuf,
        /// How many files were looked at.
        files: usize,
        /// What is wrong with the first that should be a table, after "; "; empty where none
        /// should.
        why: String,
    },
    /// A file that is nothing firmware writes, nor a captured machine: nearfar-machine opens those.
    #[error("{} is no ACPI table, no text of acpidump, no device tree, no SMBIOS table and no captured machine", path.display())]
    NotFirmware {
        /// The file.
        path: PathBuf,
    },
    /// Firmware has no such table.
    #[error("{origin} shows no {asked}; {there}")]
    NoSuchTable {
        /// What was asked for.
        asked: String,
        /// Where it was looked for.
        origin: String,
        /// What is there instead.
        there: String,
    },
    /// A table that is there and may not be read.
    #[error(
        "{path} is there, and only root may read it: read or capture it as root, or give tables \
         with --tables PATH"
    )]
    TableDenied {
        /// The file.
        path: String,
    },
    /// A table that is there and cannot be decoded.
    #[error("{path} cannot be read: {why}")]
    TableMalformed {
        /// The file.
        path: String,
        /// Why not.
        why: String,
    },
}
