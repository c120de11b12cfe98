//! Removes data that identifies the machine or its owner, and keeps what describes the hardware.
//!
//! Formats are kept: a table keeps its length and checksum, a structure its fields, a line its
//! words. Removed data is overwritten, never cut, so that offsets in messages and tables stay
//! valid.

mod acpi;
mod log;
mod names;
mod parameters;
mod process;
mod smbios;
mod text;
mod tree;

use std::collections::BTreeMap;

use crate::addresses::NumberedAddresses;
use crate::source::{RecordedPath, Source};
use names::PrivateNames;

/// A file's content after scrubbing, and descriptions of the removed data.
type Scrubbed = (Vec<u8>, Vec<&'static str>);

/// Removes private data, given the machine's own names.
pub(super) struct Scrub {
    names: PrivateNames,
    /// Addresses in paths, which must stay distinct.
    in_paths: NumberedAddresses,
}

impl Scrub {
    /// Collects the machine's names, to remove them from all files.
    pub(super) fn for_machine(source: &Source, seen: &BTreeMap<String, RecordedPath>) -> Self {
        let mut in_paths = NumberedAddresses::default();
        for (path, what) in seen {
            in_paths.learn(path);
            match what {
                RecordedPath::Folder(names) => names.iter().for_each(|name| in_paths.learn(name)),
                RecordedPath::Link(target) => in_paths.learn(target),
                RecordedPath::File(_) | RecordedPath::Denied | RecordedPath::Exists => {}
            }
        }
        Self { names: PrivateNames::new(source, seen), in_paths }
    }

    /// A path without UUIDs and MAC addresses, which are in names of container cgroups.
    pub(super) fn path(&self, path: &str) -> String {
        self.in_paths.written(path, &mut Vec::new())
    }

    /// Scrubs a file according to its format.
    pub(super) fn file(&self, path: &str, bytes: Vec<u8>) -> Scrubbed {
        let (bytes, mut removed) = match path {
            "/sys/firmware/dmi/tables/DMI" => smbios::scrub(bytes),
            "/sys/firmware/dmi/tables/smbios_entry_point" => (bytes, Vec::new()),
            "/sys/firmware/fdt" => tree::scrub(bytes, &self.names),
            "/proc/mounts" => on_text(&bytes, process::mounts),
            "/proc/self/status" => on_text(&bytes, process::status),
            "/proc/cmdline" => {
                on_text(&bytes, |text, found| parameters::scrub(text, &self.names, found))
            }
            "/proc/cpuinfo" => on_text(&bytes, process::cpuinfo),
            "/proc/version" => {
                on_text(&bytes, |text, found| log::version(text, &self.names, found))
            }
            _ if path.starts_with("/sys/firmware/acpi/tables/") => acpi::scrub(bytes),
            _ if is_identity(path) => identity(&bytes),
            _ if is_log(path) => {
                on_text(&bytes, |text, found| log::scrub(text, &self.names, found))
            }
            _ => self.other(bytes),
        };
        removed.sort_unstable();
        removed.dedup();
        (bytes, removed)
    }

    /// Any other file: a kernel attribute. It may contain a path, as `/proc/self/cgroup` does.
    fn other(&self, bytes: Vec<u8>) -> Scrubbed {
        match std::str::from_utf8(&bytes) {
            Ok(attribute) => {
                on_text(attribute.as_bytes(), |text, found| self.in_paths.written(text, found))
            }
            // A binary property of a device tree.
            Err(_) => (bytes, Vec::new()),
        }
    }
}

fn on_text(bytes: &[u8], scrub: impl Fn(&str, &mut Vec<&'static str>) -> String) -> Scrubbed {
    let mut found = Vec::new();
    let text = scrub(&String::from_utf8_lossy(bytes), &mut found);
    (text.into_bytes(), found)
}

/// Files with only a serial number, an address or a UUID, in DMI's folder and in device trees.
fn is_identity(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let endings = [
        "_serial",
        "_uuid",
        "_asset_tag",
        "serial-number",
        "mac-address",
        "asset-tag",
        "-seed",
        "uuid",
    ];
    endings.iter().any(|ending| name.ends_with(ending))
}

fn identity(bytes: &[u8]) -> Scrubbed {
    (vec![b'0'; bytes.len()], vec!["all of it"])
}

/// Whether it is a path of [`kernel_log`](crate::kernel_log).
fn is_log(path: &str) -> bool {
    path.starts_with("/var/log/") || path.starts_with("/dmesg") || path == "/dev/kmsg"
}

#[cfg(test)]
mod tests;
