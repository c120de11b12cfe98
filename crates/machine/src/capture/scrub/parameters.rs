//! The kernel's command line: removes names of disks, networks and hosts.

use super::names::PrivateNames;
use super::text;
use crate::addresses::without_addresses;

/// Parameters with private values. A trailing dot matches all parameters with this prefix.
const PRIVATE: [&str; 26] = [
    "root",
    "resume",
    "ip",
    "nfsroot",
    "nfsaddrs",
    "netroot",
    "BOOTIF",
    "BOOT_IMAGE",
    "cryptdevice",
    "cryptkey",
    "rd.",
    "systemd.hostname",
    "systemd.setenv",
    "systemd.set_credential",
    "hostname",
    "iscsi",
    "ifname",
    "nameserver",
    "ds",
    "url",
    "inst.",
    "ks",
    "autoinstall",
    "netconsole",
    "init",
    "zfs",
];

/// End of the kernel's parameters: the rest is for init and may be anything.
const END: &str = "--";

/// The line without private values and arguments of init.
pub(super) fn scrub(line: &str, names: &PrivateNames, found: &mut Vec<&'static str>) -> String {
    let mut is_kernels = true;
    let mut words = Vec::new();
    for word in line.split(' ') {
        let kept = if is_kernels { parameter(word, found) } else { argument(word, found) };
        is_kernels = is_kernels && word != END;
        words.push(kept);
    }
    let line = names.without(&words.join(" "), found);
    without_addresses(&line, found)
}

fn parameter(word: &str, found: &mut Vec<&'static str>) -> String {
    let Some((name, value)) = word.split_once('=') else { return word.to_owned() };
    let is_private = PRIVATE.iter().any(|private| match private.strip_suffix('.') {
        Some(_) => name.starts_with(private),
        None => name == *private,
    });
    if !is_private || value.is_empty() {
        return word.to_owned();
    }
    found.push("values that name disks, networks or hosts");
    format!("{name}={}", text::overwritten(value))
}

/// An argument of init.
fn argument(word: &str, found: &mut Vec<&'static str>) -> String {
    if word.trim().is_empty() {
        return word.to_owned();
    }
    found.push("arguments of the first program");
    text::overwritten(word)
}
