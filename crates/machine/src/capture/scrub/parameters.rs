//! The kernel's command line: which parameters name disks, networks and hosts.

use super::names::PrivateNames;
use super::text;
use crate::addresses::without_addresses;

/// Parameters whose values are names of disks, networks, hosts, keys; "a." stands for all that
/// begin so.
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

/// What ends the kernel's own parameters: what follows is for the first program, and may be
/// anything.
const END: &str = "--";

/// The line without the values of such parameters, and without whatever else is private.
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

/// One of the first program's arguments.
fn argument(word: &str, found: &mut Vec<&'static str>) -> String {
    if word.trim().is_empty() {
        return word.to_owned();
    }
    found.push("arguments of the first program");
    text::overwritten(word)
}
