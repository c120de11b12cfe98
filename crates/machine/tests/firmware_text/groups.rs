use snapbox::{assert_data_eq, str};

use super::make::{TableBytes, entry, table};
use super::shown;

#[test]
fn a_pptt_is_a_tree() {
    // A package at 36 with the cache at 80; processors at 60 and, with the cache at 104, at 128;
    // one is lost.
    let group = |flags: u8, parent: u32, uid: u32, caches: &[u32]| {
        let length = u8::try_from(20 + 4 * caches.len()).unwrap();
        let mut group = entry(0, length)
            .put(4, [flags])
            .put(8, parent.to_le_bytes())
            .put(12, uid.to_le_bytes());
        group = group.put(16, u32::try_from(caches.len()).unwrap().to_le_bytes());
        for (index, cache) in caches.iter().enumerate() {
            group = group.put(20 + 4 * index, cache.to_le_bytes());
        }
        group
    };
    let cache = |next: u8, kind: u8, size: u32| {
        let cache = entry(1, 24).put(4, [0x7f]).put(8, [next]).put(12, size.to_le_bytes());
        cache.put(16, 64u32.to_le_bytes()).put(20, [8, kind << 2, 64, 0])
    };
    let pptt = table(
        "PPTT",
        2,
        TableBytes::with_size(36),
        &[
            group(0x11, 0, 0, &[80]),
            group(0x0a, 36, 0, &[]),
            cache(0, 3, 1 << 20),
            cache(80, 0, 32 << 10),
            group(0x0a, 36, 1, &[104]),
            group(0x0a, 999, 2, &[]),
        ],
    );
    assert_data_eq!(
        shown(&[pptt]),
        str![[r#"
PPTT, revision 2, 172 bytes, checksum good, by HAND MADE
/sys/firmware/acpi/tables/PPTT

Groups of processors, with the caches that each has for itself
  package, unified cache 1 MiB (offset 36)
    processor UID 0 (offset 60)
    processor UID 1, data cache 32 KiB (offset 128)
Groups whose way up leads nowhere, or in a circle
  processor UID 2 (offset 152)

Caches
offset  kind       size  sets  ways  line  writes  next
    80  unified   1 MiB    64     8  64 B  back    memory
   104  data     32 KiB    64     8  64 B  back    80

"#]]
    );
}

#[test]
fn msct_cedt_crat_and_cdit_are_tables() {
    let most = entry(1, 22).put(6, [1]).put(10, [64]).put(14, (1u64 << 40).to_le_bytes());
    let msct = TableBytes::with_size(56).put(36, [56]).put(40, [1]).put(48, u64::MAX.to_le_bytes());
    assert_data_eq!(
        shown(&[table("MSCT", 1, msct, &[most])]),
        str![[r#"
MSCT, revision 1, 78 bytes, checksum good, by HAND MADE
/sys/firmware/acpi/tables/MSCT

At most: domains up to 1, clock domains up to 0, addresses up to 0xffffffffffffffff. Linux does not read it.

The most that each could have
domains  processors  memory  offset
0-1              64   1 TiB      56

"#]]
    );

    let bridge =
        TableBytes::with_size(32).put(0, [0, 0, 32, 0, 7, 0, 0, 0, 1]).put(17, [0x10]).put(26, [1]);
    let window = TableBytes::with_size(44)
        .put(0, [1, 0, 44, 0])
        .put(12, [1])
        .put(20, [2])
        .put(24, [1, 1])
        .put(32, [0x06]);
    let window = window.put(36, [7]).put(40, [8]);
    let xor = TableBytes::with_size(16).put(0, [2, 0, 16, 0]).put(7, [1]).put(8, [0, 0x10]);
    assert_data_eq!(
        shown(&[table("CEDT", 1, TableBytes::with_size(36), &[bridge, window, xor])]),
        str![[r#"
CEDT, revision 1, 128 bytes, checksum good, by HAND MADE
/sys/firmware/acpi/tables/CEDT

Windows of addresses
first address  last address   size  interleaved over
  0x100000000   0x2ffffffff  8 GiB  2 bridges, 256 B each, XOR

first address  bridges (UID)  for                  offset
  0x100000000  7 8            expanders, volatile      68

Host bridges
UID  CXL           registers at    size  offset
  7  2.0 or later        0x1000  64 KiB      36

Others
what                                 offset
XOR masks for granularity 0: 0x1000     112

"#]]
    );

    let unit = entry(0, 40).put(4, [1]).put(8, [1]).put(12, [16]).put(16, [8]);
    let memory = entry(1, 40).put(4, [1]).put(8, [1]).put(24, [1]).put(28, [128]);
    let cache =
        entry(2, 64).put(8, [16]).put(12, [0xff]).put(44, 8192u32.to_le_bytes()).put(48, [3]);
    let link = entry(5, 64)
        .put(4, [1])
        .put(12, [1])
        .put(16, [1])
        .put(20, [50])
        .put(24, [100])
        .put(32, [7]);
    let crat = TableBytes::with_size(48).put(36, [4]).put(40, [2]);
    assert_data_eq!(
        shown(&[table("CRAT", 1, crat, &[unit, memory, cache, link])]),
        str![[r#"
CRAT, revision 1, 256 bytes, checksum good, by HAND MADE
/sys/firmware/acpi/tables/CRAT

Compute units
domain  CPUs               graphics units  offset
     1  8 from APIC id 16               0      48

Memory
domain  first address  last address   size     width  offset
     1            0x0    0xffffffff  4 GiB  128 bits      88

Caches
level   size  from APIC id  sharers  state     offset
L3     8 MiB            16        8  disabled     128

Links
domains  kind            latency, ns  bandwidth, MB/s  offset
0 to 1   HyperTransport    50 to 100           0 to 7     192

"#]]
    );

    let cdit = TableBytes::with_size(44).put(36, [2]).put(40, [10, 16, 16, 10]);
    assert_data_eq!(
        shown(&[table("CDIT", 1, cdit, &[])]),
        str![[r#"
CDIT, revision 1, 44 bytes, checksum good, by HAND MADE
/sys/firmware/acpi/tables/CDIT

Distances between the domains of the CRAT, from row to column (10 is local)
domain   0   1
     0  10  16
     1  16  10

"#]]
    );
}

#[test]
fn header_of_other_tables_is_shown() {
    assert_data_eq!(
        shown(&[table("BGRT", 1, TableBytes::with_size(40), &[])]),
        str![[r#"
BGRT, revision 1, 40 bytes, checksum good, by HAND MADE
/sys/firmware/acpi/tables/BGRT

What it holds is not read here: 'iasl -d' shows it.

"#]]
    );
}
