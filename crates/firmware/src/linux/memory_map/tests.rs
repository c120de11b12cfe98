use super::*;

/// The map of a QEMU guest with 2 GiB.
const QEMU: [(u64, u64, &str); 5] = [
    (0, 0x9fbff, "System RAM"),
    (0x9fc00, 0x9ffff, "Reserved"),
    (0x10_0000, 0x7ffd_ffff, "System RAM"),
    (0x7ffe_0000, 0x7fff_ffff, "Reserved"),
    (0xfffc_0000, 0xffff_ffff, "Reserved"),
];

#[test]
fn ranges_from_sysfs_are_sorted() {
    let ranges = QEMU.iter().rev().map(|(first, last, kind)| {
        [format!("{first:#x}"), format!("{last:#x}"), (*kind).to_owned()].map(Some)
    });
    let unread = [Some("0x0".to_owned()), None, Some("System RAM".to_owned())];
    let map = MemoryMap::from_sysfs(ranges.chain([unread])).unwrap();
    assert_eq!((map.origin, map.ranges.len()), (MapOrigin::Sysfs, 5));
    assert_eq!(map.ranges[1].kind, MemoryKind::Other("Reserved".to_owned()));
    assert_eq!(map.ram(true), [(0x1000, 0x9_f000), (0x10_0000, 0x7ffe_0000)]);
    assert_eq!(map.ram(false), [(0, 0x9_f000), (0x10_0000, 0x7ffe_0000)]);
}

#[test]
fn ranges_are_read_from_the_log() {
    let log = KernelLog::parse(
        "[    0.000000] BIOS-e820: [mem 0x0000000000000000-0x000000000009fbff] usable\n[    \
         0.000000] BIOS-e820: [mem 0x0000000100000000-0x00000001ffffffff] soft reserved\n"
            .as_bytes(),
    );
    let map = MemoryMap::from_log(&log).unwrap();
    assert_eq!((map.origin, &map.ranges[1].kind), (MapOrigin::Log, &MemoryKind::SpecialPurpose));
    assert_eq!(MemoryMap::from_log(&KernelLog::default()), None);
}

#[test]
fn adjacent_ranges_are_merged() {
    let map = MemoryMap::from_ram(&[
        (0x20_0000, 0x2f_ffff),
        (0x30_0000, 0x3f_ffff),
        (0x38_0000, 0x47_ffff),
        (5, 4),
    ]);
    assert_eq!(map.ram(true), [(0x20_0000, 0x48_0000)]);
    assert_eq!(MemoryMap::from_ram(&[(0, u64::MAX)]).ram(false), [(0, !0xfff)]);
}
