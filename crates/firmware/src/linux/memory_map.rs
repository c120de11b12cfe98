//! Firmware's memory map, from sysfs, the log or the device tree.

use serde::Serialize;

use super::MemoryKind;
use super::log::{KernelLog, LogEventKind};
use crate::device_tree::DeviceTree;

/// Maximum number of ranges; no firmware has more.
const MAX_RANGES: usize = 10_000;
const PAGE: u64 = 4096;
/// The first page belongs to the BIOS, and the range from here to 1 MiB to its devices.
const BIOS_FROM: u64 = 0xa_0000;
const BIOS_TO: u64 = 0x10_0000;

/// The map of physical memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemoryMap {
    /// Its source.
    pub origin: MapOrigin,
    /// All ranges, by first address.
    pub ranges: Vec<MemoryRange>,
}

/// The source of a memory map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MapOrigin {
    /// `/sys/firmware/memmap`.
    Sysfs,
    /// The kernel's log.
    Log,
    /// The device tree.
    DeviceTree,
    /// Given by the caller.
    Given,
}

/// A range of physical addresses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemoryRange {
    /// First address.
    pub first: u64,
    /// Last address.
    pub last: u64,
    /// The kind of memory.
    pub kind: MemoryKind,
}

impl MemoryMap {
    /// A map with only RAM, from first and last addresses.
    pub fn from_ram(ranges: &[(u64, u64)]) -> Self {
        let ram = |&(first, last): &(u64, u64)| MemoryRange { first, last, kind: MemoryKind::Ram };
        Self::sorted(MapOrigin::Given, ranges.iter().map(ram).collect())
    }

    /// From `/sys/firmware/memmap`: the content of the files `start`, `end` and `type` of each
    /// range. `None` without a valid range.
    ///
    /// # References
    ///
    /// Documentation/ABI/testing/sysfs-firmware-memmap
    pub fn from_sysfs(ranges: impl IntoIterator<Item = [Option<String>; 3]>) -> Option<Self> {
        let range = |[start, end, kind]: [Option<String>; 3]| {
            let kind = MemoryKind::from_words(&kind?);
            Some(MemoryRange { first: hexadecimal(&start?)?, last: hexadecimal(&end?)?, kind })
        };
        Self::if_any(
            MapOrigin::Sysfs,
            ranges.into_iter().take(MAX_RANGES).filter_map(range).collect(),
        )
    }

    /// From the log's lines "BIOS-e820:" or, without these, those of EFI's map. `None` without such
    /// lines.
    ///
    /// # References
    ///
    /// arch/x86/kernel/e820.c: e820__print_table; arch/x86/platform/efi/efi.c: efi_print_memmap
    pub fn from_log(log: &KernelLog) -> Option<Self> {
        let of = |wanted_efi: bool| {
            let range = |event: &super::LogEvent| match &event.kind {
                LogEventKind::MemoryRange { first, last, kind, efi } if *efi == wanted_efi => {
                    Some(MemoryRange { first: *first, last: *last, kind: kind.clone() })
                }
                _ => None,
            };
            Self::if_any(MapOrigin::Log, log.events.iter().filter_map(range).collect())
        };
        of(false).or_else(|| of(true))
    }

    /// From the memory nodes of a device tree. `None` without usable memory.
    ///
    /// # References
    ///
    /// drivers/of/fdt.c: early_init_dt_scan_memory
    pub fn from_device_tree(tree: &DeviceTree) -> Option<Self> {
        let usable =
            tree.memory.iter().filter(|memory| memory.typed && is_okay(memory.status.as_deref()));
        let ranges = usable.flat_map(|memory| &memory.ranges).filter_map(|range| {
            let last = range.base_address.checked_add(range.size_bytes.checked_sub(1)?)?;
            Some(MemoryRange { first: range.base_address, last, kind: MemoryKind::Ram })
        });
        Self::if_any(MapOrigin::DeviceTree, ranges.take(MAX_RANGES).collect())
    }

    /// The ranges of ordinary memory: first and last address.
    pub fn ram_ranges(&self) -> Vec<[u64; 2]> {
        self.ram(false).into_iter().map(|(first, end)| [first, end - 1]).collect()
    }

    /// RAM as Linux uses it: whole pages, merged; on x86 (`bios`) without the first page and the
    /// range from 640 KiB to 1 MiB. Half-open ranges. Sources: `e820__memblock_setup`,
    /// `trim_bios_range`.
    pub(super) fn ram(&self, bios: bool) -> Vec<(u64, u64)> {
        let ram = self
            .ranges
            .iter()
            .filter(|range| range.kind == MemoryKind::Ram && range.first <= range.last);
        let mut whole: Vec<(u64, u64)> = Vec::new();
        for range in ram {
            let end = range.last.saturating_add(1);
            match whole.last_mut() {
                Some(before) if range.first <= before.1 => before.1 = before.1.max(end),
                _ => whole.push((range.first, end)),
            }
        }
        if bios {
            whole = without(&without(&whole, 0, PAGE), BIOS_FROM, BIOS_TO);
        }
        let pages = whole
            .into_iter()
            .map(|(start, end)| (start.div_ceil(PAGE).saturating_mul(PAGE), end & !(PAGE - 1)));
        pages.filter(|(start, end)| start < end).collect()
    }

    fn if_any(origin: MapOrigin, ranges: Vec<MemoryRange>) -> Option<Self> {
        (!ranges.is_empty()).then(|| Self::sorted(origin, ranges))
    }

    fn sorted(origin: MapOrigin, mut ranges: Vec<MemoryRange>) -> Self {
        ranges.sort_by_key(|range| (range.first, range.last));
        Self { origin, ranges }
    }
}

/// Removes a range from ranges.
fn without(ranges: &[(u64, u64)], from: u64, to: u64) -> Vec<(u64, u64)> {
    let parts =
        ranges.iter().flat_map(|&(start, end)| [(start, end.min(from)), (start.max(to), end)]);
    parts.filter(|(start, end)| start < end).collect()
}

/// Whether a node of the device tree is enabled.
pub(super) fn is_okay(status: Option<&str>) -> bool {
    matches!(status, None | Some("okay" | "ok"))
}

fn hexadecimal(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

#[cfg(test)]
mod tests;
