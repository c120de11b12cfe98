use snapbox::{assert_data_eq, str};

use super::make::{TableBytes, matrix, table, wide_entry};
use super::shown;

const GIB: u64 = 1 << 30;

#[test]
fn a_slit_is_a_matrix() {
    let slit =
        TableBytes::with_size(44 + 9).put(36, [3]).put(44, [10, 21, 31, 21, 10, 255, 31, 21, 10]);
    assert_data_eq!(
        shown(&[table("SLIT", 1, slit, &[])]),
        str![[r#"
SLIT, revision 1, 53 bytes, checksum good, by HAND MADE
/sys/firmware/acpi/tables/SLIT

Distances between proximity domains, from row to column (10 is local, 255 out of reach)
domain   0   1    2
     0  10  21   31
     1  21  10  255
     2  31  21   10

"#]]
    );
    let empty = TableBytes::with_size(44).put(36, [200]);
    assert_data_eq!(
        shown(&[table("SLIT", 1, empty, &[])]),
        str![[r#"
SLIT, revision 1, 44 bytes, checksum good, by HAND MADE
/sys/firmware/acpi/tables/SLIT

It holds no distance.

What is wrong with it
  offset 44: the table claims 200 x 200 distances, and has 0 bytes of them

"#]]
    );
}

#[test]
fn a_hmat_shows_what_is_written_and_what_linux_reads() {
    let attached =
        |memory: u32, valid: u8| wide_entry(0, 40).put(8, [valid]).put(16, memory.to_le_bytes());
    let cache = wide_entry(2, 36)
        .put(8, 1u32.to_le_bytes())
        .put(16, GIB.to_le_bytes())
        .put(24, 0x0040_1111u32.to_le_bytes())
        .put(30, [2, 0, 0x10, 0, 0x11, 0]);
    let structures = || {
        [
            attached(0, 1),
            attached(1, 0),
            matrix(0, 1000, 2, &[100, 0, 0xffff, 110]),
            matrix(3, 1, 2, &[100, 50, 50, 100]),
            matrix(9, 7, 1, &[3]),
            cache,
        ]
    };
    let [a, b, c, d, e, f] = structures();
    assert_data_eq!(
        shown(&[table("HMAT", 2, TableBytes::with_size(40), &[a, b, c, d, e, f])]),
        str![[r#"
HMAT, revision 2, 310 bytes, checksum good, by HAND MADE
/sys/firmware/acpi/tables/HMAT

Memory and the domain that reaches it directly
memory of domain  initiator  offset
               0  domain 0       40
               1  unknown        80

Latency of memory, in ns as Linux reads it (offset 120; rows initiators, columns memory)
domain    0    1
     0  100    -
     1    -  110

Bandwidth of memory, in MB/s as Linux reads it (offset 176; rows initiators, columns memory)
domain    0    1
     0  100   50
     1   50  100

Something unknown (data type 9) of memory, in an unknown unit (offset 232; rows initiators, columns memory)
as written, to be multiplied by 7
domain  0
     0  3

Memory-side caches
memory of domain  level    size  line  mapping  writes  SMBIOS handles  offset
               1  1 of 1  1 GiB  64 B  direct   back    0x0010 0x0011      274

"#]]
    );
    let old = table(
        "HMAT",
        1,
        TableBytes::with_size(40),
        &[matrix(0, 10, 1, &[15]), matrix(3, 1, 1, &[25])],
    );
    assert_data_eq!(
        shown(&[old]),
        str![[r#"
HMAT, revision 1, 124 bytes, checksum good, by HAND MADE
/sys/firmware/acpi/tables/HMAT

Latency of memory, in ns as Linux reads it (offset 40; rows initiators, columns memory)
domain   0
     0  15

Bandwidth of memory, in MB/s as Linux reads it (offset 82; rows initiators, columns memory)
domain  0
     0  3
as written, to be multiplied by 1 tenths of a MB/s
domain   0
     0  25

"#]]
    );
}
