//! Why a path gave no tables at all.

use std::io;
use std::path::PathBuf;

use nearfar_model::Bytes;
use thiserror::Error;

use super::path::MOST_IN_A_DUMP;

/// Why a path gave no tables at all. Anything less is kept beside what was found.
#[derive(Debug, Error)]
pub enum FirmwareError {
    /// The path is not there or may not be read.
    #[error("cannot read {}: {cause}; give a table, a folder of tables, or the text of acpidump", path.display())]
    Read {
        /// What was to be read.
        path: PathBuf,
        /// Why not.
        #[source]
        cause: io::Error,
    },
    /// The file is larger than any dump.
    #[error("{} is larger than {MOST_IN_A_DUMP}, more than all tables of a machine: give the tables alone", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// How large it is, as far as known.
        size: Bytes,
    },
    /// A folder in which nothing is a table.
    #[error("{} holds no firmware table ({files} files looked at): give a folder with tables as acpixtract or 'acpidump -b' write them", path.display())]
    NoTables {
        /// The folder.
        path: PathBuf,
        /// How many files were looked at.
        files: usize,
    },
    /// A file that is nothing firmware writes.
    #[error("{} is no ACPI table, no text of acpidump, no device tree, no SMBIOS table and no captured machine", path.display())]
    NotATable {
        /// The file.
        path: PathBuf,
    },
}
