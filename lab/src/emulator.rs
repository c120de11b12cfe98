//! QEMU's arguments for a machine, and what differs between its versions.
//!
//! x86_64 machines are a Q35 whose ACPI tables QEMU writes (`numa`, `hmat`, `devices`), but for an
//! SRAT with entries that QEMU does not know (`srat`); aarch64 machines are a `virt` board with a
//! device tree, to which `numa_tree` adds nodes, for QEMU itself cannot leave gaps between their
//! ids.

mod aarch64;
mod device_tree;
mod devices;
mod error;
mod hmat;
mod host_clock;
mod installed;
mod numa;
mod numa_tree;
pub(crate) mod srat;
#[cfg(test)]
mod tests;
mod version;
mod x86_64;

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

pub(crate) use error::EmulatorError;
pub(crate) use version::QemuVersion;

use crate::machine::{Arch, LabMachine};

/// The machine itself: board, CPUs, memory, nodes, devices, tables. Files that QEMU is to read are
/// written to `scratch`; for an aarch64 machine with nodes that takes a run of QEMU, a tenth of a
/// second.
pub(crate) fn arguments(
    machine: &LabMachine,
    qemu: &Path,
    version: QemuVersion,
    scratch: &Path,
) -> Result<Vec<OsString>, EmulatorError> {
    version.check(qemu)?;
    match machine.arch() {
        Arch::X86_64 => Ok(x86_64::arguments(machine, scratch)),
        Arch::Aarch64 => aarch64::arguments(machine, qemu, scratch),
    }
}

/// What the machine asks of the kernel; console and verbosity are the launcher's.
pub(crate) fn kernel_arguments(machine: &LabMachine) -> String {
    let asked = machine.description.kernel_args.trim();
    match machine.arch() {
        // The emulated clocks disagree with each other, and the kernel would fall back to a slow
        // one; the TSC is the host's. A kernel at a random address takes 45 MiB from a random node.
        // On a busy host the emulated timer may be too late for the kernel's check of it.
        Arch::X86_64 => {
            let tsc = host_clock::tsc_khz()
                .map(|khz| format!("tsc_early_khz={khz} "))
                .unwrap_or_default();
            // Addresses of mapped registers are to be what they are, and no hashes.
            let pointers = match machine.description.device_access {
                Some(_) => "no_hash_pointers ",
                None => "",
            };
            format!("tsc=reliable {tsc}no_timer_check nokaslr {pointers}{asked}")
                .trim_end()
                .to_owned()
        }
        Arch::Aarch64 => asked.to_owned(),
    }
}

/// Words of a command line.
#[derive(Debug, Default)]
struct Words(Vec<OsString>);

impl Words {
    /// An option and its value.
    fn option(&mut self, name: &str, value: impl Into<OsString>) {
        self.0.push(name.into());
        self.0.push(value.into());
    }
}

/// A path as a part of an option's value: QEMU takes a single comma for the end of it.
pub(crate) fn in_a_value(path: &Path) -> OsString {
    let parts: Vec<&[u8]> = path.as_os_str().as_bytes().split(|&byte| byte == b',').collect();
    OsString::from_vec(parts.join(b",,".as_slice()))
}
