//! The memory map of a machine.

use nearfar_firmware::device_tree::DeviceTree;
use nearfar_firmware::linux::{KernelLog, MemoryMap};

use crate::source::Source;

/// Firmware's original map: a folder for each range (x86; readable by everyone).
const FOLDER: &str = "/sys/firmware/memmap";

/// The memory map from sysfs, else the log, else the device tree; `None` without any. `source` is
/// `None` if there are only tables.
///
/// # References
///
/// Documentation/ABI/testing/sysfs-firmware-memmap
pub fn memory_map(
    source: Option<&Source>,
    log: &KernelLog,
    tree: Option<&DeviceTree>,
) -> Option<MemoryMap> {
    let from_sysfs = source.and_then(from_sysfs);
    from_sysfs
        .or_else(|| MemoryMap::from_log(log))
        .or_else(|| tree.and_then(MemoryMap::from_device_tree))
}

fn from_sysfs(source: &Source) -> Option<MemoryMap> {
    let numbers = source.list(FOLDER);
    let field = |number: &str, name: &str| source.text(&format!("{FOLDER}/{number}/{name}"));
    MemoryMap::from_sysfs(
        numbers.iter().map(|number| ["start", "end", "type"].map(|name| field(number, name))),
    )
}

#[cfg(test)]
mod tests {
    use nearfar_firmware::linux::MapOrigin;

    use super::*;

    #[test]
    fn log_is_used_without_sysfs() {
        let log =
            KernelLog::parse(b"BIOS-e820: [mem 0x0000000000000000-0x000000000009fbff] usable\n");
        let range = [("start", "0x100000\n"), ("end", "0x7ffdffff\n"), ("type", "System RAM\n")];
        let files = range.map(|(name, content)| (format!("{FOLDER}/0/{name}"), content));
        let map_of = |source: &Source| {
            let map = memory_map(Some(source), &log, None).unwrap();
            (map.origin, map.ranges[0].last)
        };
        assert_eq!(map_of(&Source::from_files(files)), (MapOrigin::Sysfs, 0x7ffd_ffff));
        assert_eq!(map_of(&Source::from_files([("/x", "")])), (MapOrigin::Log, 0x9_fbff));
        assert_eq!(memory_map(None, &KernelLog::default(), None), None);
    }
}
