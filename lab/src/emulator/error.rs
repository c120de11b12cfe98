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
    Start { qemu: PathBuf, cause: io::Error },
    /// It does not report its version.
    #[error("{} does not report its version: is it QEMU?", qemu.display())]
    NoVersion { qemu: PathBuf },
    /// It lacks what the lab needs.
    #[error(
        "{} is QEMU {found}, and the lab needs {least} or later: install a newer one",
        qemu.display()
    )]
    TooOld { qemu: PathBuf, found: QemuVersion, least: QemuVersion },
    /// It did not write its device tree, and wrote this to stderr.
    #[error("{} wrote no device tree to {}: {stderr}", qemu.display(), file.display())]
    NoDeviceTree { qemu: PathBuf, file: PathBuf, stderr: String },
    /// What it wrote is none.
    #[error("{} is no device tree: {why}: is this QEMU damaged?", file.display())]
    DeviceTree { file: PathBuf, why: &'static str },
    /// A file for QEMU cannot be written.
    #[error("cannot write {}: {cause}: is the disk full?", file.display())]
    Write { file: PathBuf, cause: io::Error },
}
