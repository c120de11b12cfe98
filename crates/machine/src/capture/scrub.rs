//! Keeps what rules read, in the shape that they read; everything else is overwritten and counted.
//!
//! Formats are kept: a table keeps its length and checksum, a structure its fields, a log its line
//! numbers, so that offsets and line numbers stay valid.

mod acpi;
mod log;
mod process;
mod smbios;
#[cfg(test)]
mod tests;
mod tree;
mod words;

use std::collections::BTreeMap;

use nearfar_firmware::linux::KernelParameters;

use crate::addresses::NumberedAddresses;
use crate::cgroup;
use crate::source::{RecordedPath, Source};
use words::{Grammar, Words};

/// The folders of device trees.
const TREES: [&str; 2] = ["/sys/firmware/devicetree/", "/proc/device-tree/"];
/// The folders of ACPI's tables.
const TABLES: &str = "/sys/firmware/acpi/tables/";
/// Files that have counters of 64 bits.
const COUNTERS: [&str; 9] = [
    "/proc/stat",
    "/proc/vmstat",
    "/proc/softirqs",
    "/proc/interrupts",
    "/sys/fs/cgroup/",
    "/sys/fs/resctrl/",
    "/sys/devices/system/node/",
    "/sys/kernel/irq/",
    "/cgroup/",
];

/// What was removed from a file.
#[derive(Debug, Default)]
pub(super) struct Removed {
    what: Vec<String>,
    /// Names of parameters that are read, whose value was not sent.
    pub(super) not_sent: Vec<String>,
    /// Messages of the log that are read, and were not sent.
    pub(super) messages: usize,
}

impl Removed {
    fn note(&mut self, what: &str) {
        if !self.what.iter().any(|known| known == what) {
            self.what.push(what.to_owned());
        }
    }

    fn count(&mut self, what: &str, count: usize) {
        // "1 other word", "2 other words".
        let one = |what: &str| match what.find("s ").or_else(|| what.rfind('s')) {
            Some(at) => what[..at].to_owned() + &what[at + 1..],
            None => what.to_owned(),
        };
        match count {
            0 => {}
            1 => self.note(&format!("1 {}", one(what))),
            _ => self.note(&format!("{count} {what}")),
        }
    }

    /// Descriptions, one a kind.
    pub(super) fn what(&self) -> &[String] {
        &self.what
    }
}

/// Removes private data, given the machine's own names.
pub(super) struct Scrub {
    words: Words,
    /// Addresses in paths, which must stay distinct.
    in_paths: NumberedAddresses,
    /// Where control groups are mounted: their names have users and containers.
    groups: Vec<String>,
}

impl Scrub {
    /// Collects the names in the machine's paths, which must stay distinct.
    pub(super) fn for_machine(source: &Source, seen: &BTreeMap<String, RecordedPath>) -> Self {
        let source = source.unrecorded();
        let points = cgroup::mount_points(source).into_iter();
        let mut scrub = Self {
            words: Words::default(),
            in_paths: NumberedAddresses::default(),
            groups: points.map(|(_, point)| point).collect(),
        };
        for (path, what) in seen {
            scrub.learn(path);
            match what {
                RecordedPath::Folder(names) => {
                    names.iter().for_each(|name| scrub.learn(&format!("{path}/{name}")));
                }
                RecordedPath::Link(target) => scrub.learn(target),
                RecordedPath::File(_) | RecordedPath::Denied | RecordedPath::Exists => {}
            }
        }
        scrub
    }

    fn learn(&mut self, path: &str) {
        self.in_paths.learn(path);
        let path = self.in_paths.written(path, &mut Vec::new());
        let (point, group) = self.split(&path);
        self.words.learn(point);
        group.split('/').for_each(|name| self.words.learn_name(name));
    }

    /// A path as far as control groups' mount point, and the names below.
    fn split<'p>(&self, path: &'p str) -> (&'p str, &'p str) {
        let points = self.groups.iter().filter(|point| {
            path.strip_prefix(point.as_str()).is_some_and(|rest| rest.starts_with('/'))
        });
        let end = points.map(String::len).max().unwrap_or(path.len());
        path.split_at(end)
    }

    /// A path without names of users, containers and devices.
    pub(super) fn path(&self, path: &str) -> String {
        if let Some(name) = path.strip_prefix(TABLES).filter(|name| is_table(name)) {
            return format!("{TABLES}{name}");
        }
        let path = self.in_paths.written(path, &mut Vec::new());
        let (point, group) = self.split(&path);
        self.words.path(point) + &self.words.group(group, &mut 0)
    }

    /// Scrubs a file according to its format.
    pub(super) fn file(&self, path: &str, bytes: Vec<u8>) -> (Vec<u8>, Removed) {
        let mut removed = Removed::default();
        let kept = self.kept(path, bytes, &mut removed);
        (kept, removed)
    }

    fn kept(&self, path: &str, bytes: Vec<u8>, removed: &mut Removed) -> Vec<u8> {
        match path {
            "/sys/firmware/dmi/tables/DMI" => return smbios::scrub(bytes, removed),
            // The same structures, a file for each.
            _ if path.starts_with("/sys/firmware/dmi/entries/") && path.ends_with("/raw") => {
                return smbios::scrub(bytes, removed);
            }
            "/sys/firmware/dmi/tables/smbios_entry_point" => {
                return smbios::entry_point(bytes, removed);
            }
            "/sys/firmware/fdt" => return tree::scrub(&bytes, removed),
            _ if path.starts_with(TABLES) => return acpi::scrub(bytes, removed),
            _ if is_log(path) => return log::scrub(&bytes, &self.words, removed),
            _ => {}
        }
        let name = path.rsplit('/').next().unwrap_or_default();
        if TREES.iter().any(|folder| path.starts_with(folder)) {
            return tree::property(name, &bytes, removed);
        }
        if is_identity(name) || words::has_wide_letters(&bytes) && name != "cmdline" {
            removed.note("all of it");
            return vec![b'0'; bytes.len()];
        }
        self.kept_text(path, name, &String::from_utf8_lossy(&bytes), removed).into_bytes()
    }

    fn kept_text(&self, path: &str, name: &str, text: &str, removed: &mut Removed) -> String {
        match path {
            "/proc/mounts" => self.mounts(text, removed),
            "/proc/self/status" => process::status(text, removed),
            "/proc/self/cgroup" | "/proc/self/cpuset" => self.groups(text, removed),
            "/proc/cmdline" => scrub(text, removed),
            "/proc/cpuinfo" => process::cpuinfo(text, &self.words, removed),
            "/proc/version" => process::version(text, &self.words, removed),
            "/proc/stat" => self.text(&process::times(text, removed), Grammar::Counters, removed),
            "/nearfar/acpi-claims" => self.text(text, Grammar::AcpiNames, removed),
            _ if path.starts_with("/etc/") => {
                self.text(&process::options(text, removed), Grammar::Numbers, removed)
            }
            _ if path.contains("/firmware_node/") => self.text(text, Grammar::AcpiNames, removed),
            _ if path.contains("/dmi/id/") => self.text(text, Grammar::Models, removed),
            _ if COUNTERS.iter().any(|start| path.starts_with(start)) || name == "stat" => {
                self.text(text, Grammar::Counters, removed)
            }
            _ => self.text(text, Grammar::Numbers, removed),
        }
    }

    /// The known words of a text.
    fn text(&self, text: &str, grammar: Grammar, removed: &mut Removed) -> String {
        let mut addresses = Vec::new();
        let text = self.in_paths.written(text, &mut addresses);
        addresses.iter().for_each(|what| removed.note(what));
        let mut others = 0;
        let kept = self.words.text(&text, grammar, &mut others);
        removed.count("other words", others);
        kept
    }
}

/// "SRAT", "SSDT12", "dynamic/SSDT1".
fn is_table(name: &str) -> bool {
    let name = name.strip_prefix("dynamic/").unwrap_or(name);
    name.len() >= 4
        && name.bytes().take(4).all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        && name.len() <= 7
        && name.bytes().skip(4).all(|byte| byte.is_ascii_digit())
}

/// Files with only a serial number, an address or a UUID.
fn is_identity(name: &str) -> bool {
    const ENDINGS: [&str; 9] =
        ["serial", "uuid", "asset_tag", "number", "address", "asset-tag", "-seed", "wwid", "nqn"];
    ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Whether it is a path of [`kernel_log`](crate::kernel_log).
fn is_log(path: &str) -> bool {
    path.starts_with("/var/log/") || path.starts_with("/dmesg") || path == "/dev/kmsg"
}

/// The line's known parameters.
fn scrub(line: &str, removed: &mut Removed) -> String {
    let parameters = KernelParameters::parse(line);
    removed.count("other parameters", parameters.others);
    removed.count("values of another shape", parameters.not_understood.len());
    removed.not_sent.extend(parameters.not_understood.iter().cloned());
    let end = if line.ends_with('\n') { "\n" } else { "" };
    parameters.text() + end
}
