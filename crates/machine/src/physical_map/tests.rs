use proptest::prelude::*;

use super::*;
use crate::firmware_tables;

const MEMORY: &str = "/sys/devices/system/memory";
const NODE: &str = "/sys/devices/system/node";
const GIB: u64 = 1 << 30;

/// A SRAT with memory ranges: domain, first address, size, flags.
fn srat(ranges: &[(u32, u64, u64, u32)]) -> Vec<u8> {
    let mut bytes = b"SRAT".to_vec();
    bytes.resize(48, 0);
    bytes[8] = 3;
    for &(domain, base, size, flags) in ranges {
        let start = bytes.len();
        bytes.resize(start + 40, 0);
        bytes[start..start + 2].copy_from_slice(&[1, 40]);
        bytes[start + 2..start + 6].copy_from_slice(&domain.to_le_bytes());
        bytes[start + 8..start + 16].copy_from_slice(&base.to_le_bytes());
        bytes[start + 16..start + 24].copy_from_slice(&size.to_le_bytes());
        bytes[start + 28..start + 32].copy_from_slice(&flags.to_le_bytes());
    }
    let length = u32::try_from(bytes.len()).unwrap();
    bytes[4..8].copy_from_slice(&length.to_le_bytes());
    bytes
}

/// 2 GiB in blocks of 1 GiB, one per node; firmware's map has RAM with a gap of 1 MiB at its end.
fn machine(ranges: &[(u32, u64, u64, u32)]) -> Source {
    let mut files: Vec<(String, Vec<u8>)> =
        vec![("/sys/firmware/acpi/tables/SRAT".to_owned(), srat(ranges))];
    let mut add = |path: String, content: &str| files.push((path, content.as_bytes().to_vec()));
    add(format!("{MEMORY}/block_size_bytes"), "40000000\n");
    for block in 0..2 {
        add(format!("{MEMORY}/memory{block}/state"), "online\n");
        add(format!("{NODE}/node{block}/memory{block}/state"), "online\n");
    }
    for (number, (first, last, kind)) in
        [(0, 2 * GIB - (1 << 20) - 1, "System RAM"), (2 * GIB - (1 << 20), 2 * GIB - 1, "Reserved")]
            .iter()
            .enumerate()
    {
        let folder = format!("/sys/firmware/memmap/{number}");
        add(format!("{folder}/start"), &format!("{first:#x}"));
        add(format!("{folder}/end"), &format!("{last:#x}"));
        add(format!("{folder}/type"), kind);
    }
    Source::from_files(files)
}

fn map(source: &Source) -> PhysicalMap {
    PhysicalMap::read(&firmware_tables::read(source), Some(source), &KernelLog::default())
}

/// First address and size in MiB, domains, nodes, blocks.
fn lines(map: &PhysicalMap) -> Vec<String> {
    let line = |range: &MapRange| {
        let domains: Vec<String> = range.domains.iter().map(ToString::to_string).collect();
        let kind = range.kind.as_deref().unwrap_or("-");
        let blocks = range.blocks.as_deref().unwrap_or("-");
        let (first, size) = (range.first_address >> 20, range.size_bytes >> 20);
        format!(
            "{first}+{size} {kind} domain {} node {} block {blocks}",
            domains.join(","),
            range.nodes
        )
    };
    map.ranges.iter().map(line).collect()
}

#[test]
fn all_sources_are_combined() {
    let map =
        map(&machine(&[(0, 0, GIB, 1), (1, GIB, GIB, 1), (1, 4 * GIB, GIB, 3), (2, 0, GIB, 0)]));
    assert_eq!(
        lines(&map),
        [
            "0+1024 RAM domain 0 node 0 block 0",
            "1024+1023 RAM domain 1 node 1 block 1",
            "2047+1 Reserved domain 1 node 1 block 1",
            "4096+1024 - domain 1 node  block -",
        ]
    );
    assert!(map.ranges[3].hot_pluggable && map.missing.is_empty());
    assert_eq!((map.block_bytes, map.memory_from), (Some(GIB), Some(MapOrigin::Sysfs)));
}

#[test]
fn gaps_and_overlaps_are_shown() {
    let map = map(&machine(&[(0, 0, GIB, 1), (1, GIB / 2, GIB, 1)]));
    assert_eq!(
        lines(&map),
        [
            "0+512 RAM domain 0 node 0 block 0",
            "512+512 RAM domain 0,1 node 0 block 0",
            "1024+512 RAM domain 1 node 1 block 1",
            "1536+511 RAM domain  node 1 block 1",
            "2047+1 Reserved domain  node 1 block 1",
        ]
    );
}

#[test]
fn equal_adjacent_ranges_are_joined() {
    let map = map(&machine(&[
        (0, 0, GIB / 4, 1),
        (0, GIB / 4, GIB / 4, 1),
        (0, GIB / 2, 3 * GIB / 2, 1),
    ]));
    assert_eq!(lines(&map)[0], "0+1024 RAM domain 0 node 0 block 0");
    assert_eq!(map.ranges.len(), 3);
}

#[test]
fn tables_without_a_machine_give_a_partial_map() {
    let firmware =
        firmware_tables::read(&machine(&[(0, 0, u64::MAX, 1), (7, u64::MAX, 1, 1), (8, 5, 0, 1)]));
    let map = PhysicalMap::read(&firmware, None, &KernelLog::default());
    assert_eq!(map.missing, ["there are only tables: the kernel's nodes are unknown"]);
    let text = crate::text::physical_map(&map).plain();
    assert!(text.starts_with("Address map: 2 ranges, 16 EiB in 2 domains, RAM unknown."), "{text}");
    let (first, last) = (&map.ranges[0], &map.ranges[1]);
    assert_eq!((first.size_bytes, first.domains.len()), (u64::MAX, 1));
    assert_eq!((last.first_address, last.last_address, last.domains[0].0), (u64::MAX, u64::MAX, 7));
}

#[test]
fn number_of_ranges_is_limited() {
    let nested: Vec<_> = (0..5_000).map(|n| (n, u64::from(n), 1 << 40, 1)).collect();
    let started = std::time::Instant::now();
    let map = map(&machine(&nested));
    assert!(
        map.missing.iter().any(|why| why == "2952 ranges of the SRAT, after the first 2048"),
        "{:?}",
        map.missing
    );
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

proptest! {
    /// Ranges ascend, and each address is in the domains of its entries.
    #[test]
    fn addresses_are_in_their_domains(
        entries in prop::collection::vec((0u32..4, 0u64..40, 0u64..20, 0u32..2), 0..12),
        address in 0u64..70,
    ) {
        let files = [("/sys/firmware/acpi/tables/SRAT", srat(&entries))];
        let firmware = firmware_tables::read(&Source::from_files(files));
        let map = PhysicalMap::read(&firmware, None, &KernelLog::default());
        prop_assert!(map.ranges.windows(2).all(|two| two[0].last_address < two[1].first_address));
        let holds = |&&(_, base, size, flags): &&(u32, u64, u64, u32)| {
            flags == 1 && base <= address && address - base < size
        };
        let mut expected: Vec<u32> = entries.iter().filter(holds).map(|entry| entry.0).collect();
        expected.sort_unstable();
        expected.dedup();
        let holds_address =
            |range: &&MapRange| (range.first_address..=range.last_address).contains(&address);
        let range = map.ranges.iter().find(holds_address);
        let domains = range.into_iter().flat_map(|range| &range.domains);
        let found: Vec<u32> = domains.map(|domain| domain.0).collect();
        prop_assert_eq!(found, expected);
    }
}
