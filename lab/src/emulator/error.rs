//! Why QEMU cannot be had for a machine.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::QemuVersion;

/// Why there are no arguments for QEMU.
#[derive(Debug, Error)]
pub(crate) enum EmulatorError {
    /// It does not start.
    #[error("cannot start {}: {cause}: install QEMU (./dev lab-setup)", qemu.display())]
    Start {
        /// The program.
        qemu: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// It does not say which QEMU it is.
    #[error("{} does not tell its version: is it QEMU?", qemu.display())]
    NoVersion {
        /// The program.
        qemu: PathBuf,
    },
    /// It lacks what the lab needs.
    #[error("{} is QEMU {found}, and the lab needs {least} or later: install a newer one", qemu.display())]
    TooOld {
        /// The program.
        qemu: PathBuf,
        /// Its version.
        found: QemuVersion,
        /// The oldest that will do.
        least: QemuVersion,
    },
    /// It did not write its device tree.
    #[error("{} wrote no device tree to {}: {said}", qemu.display(), file.display())]
    NoDeviceTree {
        /// The program.
        qemu: PathBuf,
        /// Where it was to write.
        file: PathBuf,
        /// What it said instead.
        said: String,
    },
    /// What it wrote is none.
    #[error("{} is no device tree: {why}: is this QEMU damaged?", file.display())]
    DeviceTree {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        why: &'static str,
    },
    /// A file for QEMU cannot be written.
    #[error("cannot write {}: {cause}: is the disk full?", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// Why.
        cause: io::Error,
    },
}
