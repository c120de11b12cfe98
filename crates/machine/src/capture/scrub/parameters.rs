//! The kernel's command line: which parameters name disks, networks and hosts.

use super::names::Names;
use super::text;

/// Parameters whose values are names of disks, networks, hosts, keys; "a." stands for all that begin so.
const PRIVATE: [&str; 24] = [
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

/// The line without the values of such parameters, and without whatever else is private.
pub(super) fn scrub(line: &str, names: &Names, found: &mut Vec<&'static str>) -> String {
    let words = line.split(' ').map(|word| parameter(word, found)).collect::<Vec<_>>();
    let line = names.without(&words.join(" "), found);
    text::without_addresses(&line, found)
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
