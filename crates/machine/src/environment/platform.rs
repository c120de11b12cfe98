//! What firmware and vendors installed: versions of BIOS and microcode, memory modules.

use std::collections::{BTreeMap, BTreeSet};

use nearfar_firmware::smbios::Smbios;
use nearfar_model::Bytes;
use serde::Serialize;

use crate::attribute::Attributes;
use crate::source::Source;

/// Versions of firmware, and memory modules.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct PlatformVersions {
    /// Version of the BIOS.
    pub bios_version: Option<String>,
    /// Its date: "08/21/2024".
    pub bios_date: Option<String>,
    /// Microcode of the CPUs: "0xa101148"; several revisions are separated by commas.
    pub microcode: Option<String>,
    /// Memory modules by size and configured speed: "16 x 64 GiB at 4800 MT/s". The kernel shows
    /// SMBIOS to root only.
    pub memory_modules: Option<String>,
}

/// # References
///
/// Documentation/ABI/testing/sysfs-class-dmi, Documentation/ABI/testing/sysfs-firmware-dmi-tables
pub(super) fn read(read: &Attributes<'_>, source: &Source) -> PlatformVersions {
    let smbios = source.read("/sys/firmware/dmi/tables/DMI");
    PlatformVersions {
        bios_version: read.text("/sys/class/dmi/id/bios_version"),
        bios_date: read.text("/sys/class/dmi/id/bios_date"),
        microcode: read.text("/proc/cpuinfo").and_then(|cpuinfo| microcode(&cpuinfo)),
        memory_modules: smbios.and_then(|table| memory_modules(&Smbios::decode(&table))),
    }
}

fn microcode(cpuinfo: &str) -> Option<String> {
    let revision = |line: &str| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == "microcode").then(|| value.trim().to_owned())
    };
    let revisions: BTreeSet<String> = cpuinfo.lines().filter_map(revision).collect();
    (!revisions.is_empty()).then(|| Vec::from_iter(revisions).join(", "))
}

/// `None` if the size of a slot is unknown, or no slot has a module.
fn memory_modules(smbios: &Smbios) -> Option<String> {
    let mut modules: BTreeMap<(u64, Option<u32>), usize> = BTreeMap::new();
    for slot in smbios.system_memory() {
        let size = slot.size_bytes?;
        if size > 0 {
            *modules.entry((size, slot.configured_speed_mt_per_s)).or_default() += 1;
        }
    }
    let shown = |((size, speed), count): (&(u64, Option<u32>), &usize)| match speed {
        Some(speed) => format!("{count} x {} at {speed} MT/s", Bytes(*size)),
        None => format!("{count} x {}", Bytes(*size)),
    };
    (!modules.is_empty()).then(|| modules.iter().rev().map(shown).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn versions(files: &[(&str, &[u8])]) -> PlatformVersions {
        let source = Source::from_files(files.iter().copied());
        super::read(&Attributes::new(&source), &source)
    }

    /// A memory slot: its size in MiB and its speed in the fields of SMBIOS 2.7.
    fn slot(mib: u16, speed: u16) -> Vec<u8> {
        let mut slot = vec![0; 34];
        slot[..4].copy_from_slice(&[17, 34, 1, 0]);
        slot[12..14].copy_from_slice(&mib.to_le_bytes());
        slot[32..34].copy_from_slice(&speed.to_le_bytes());
        [slot, vec![0, 0]].concat()
    }

    #[test]
    fn modules_and_revisions_are_counted() {
        let end = vec![127, 4, 9, 0, 0, 0];
        let table = [slot(16384, 4800), slot(0, 0), slot(16384, 4800), slot(8192, 0), end].concat();
        let found = versions(&[
            ("/sys/class/dmi/id/bios_version", b"2.4a\n"),
            ("/sys/class/dmi/id/bios_date", b"08/21/2024\n"),
            ("/proc/cpuinfo", b"microcode\t: 0x2b\n\nmicrocode\t: 0x2a\nmicrocode\t: 0x2b\n"),
            ("/sys/firmware/dmi/tables/DMI", &table),
        ]);
        assert_eq!(found.bios_version.as_deref(), Some("2.4a"));
        assert_eq!(found.bios_date.as_deref(), Some("08/21/2024"));
        assert_eq!(found.microcode.as_deref(), Some("0x2a, 0x2b"));
        let modules = "2 x 16 GiB at 4800 MT/s, 1 x 8 GiB";
        assert_eq!(found.memory_modules.as_deref(), Some(modules));
    }

    #[test]
    fn what_is_not_readable_is_none() {
        let found = versions(&[("/proc/cpuinfo", b"processor : 0\n")]);
        let PlatformVersions { bios_version, bios_date, microcode, memory_modules } = found;
        assert_eq!([bios_version, bios_date, microcode, memory_modules], [const { None }; 4]);
        // An unknown size: nothing is counted.
        let table = slot(0xffff, 4800);
        assert_eq!(versions(&[("/sys/firmware/dmi/tables/DMI", &table)]).memory_modules, None);
    }
}
