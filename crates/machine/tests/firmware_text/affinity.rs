use snapbox::{assert_data_eq, str};

use super::make::{TableBytes, cpu, entry, memory, table};
use super::shown;

const GIB: u64 = 1 << 30;

fn srat() -> Vec<u8> {
    let initiator =
        entry(5, 32).put(3, [1]).put(4, 2u32.to_le_bytes()).put(10, [0x3b, 0x08]).put(24, [1]);
    table(
        "SRAT",
        3,
        TableBytes::with_size(48),
        &[
            cpu(0, 0, true),
            cpu(0, 1, true),
            cpu(1, 16, true),
            cpu(1, 17, true),
            cpu(1, 18, false),
            cpu(1, 19, false),
            entry(2, 24).put(4, 1u32.to_le_bytes()).put(8, 300u32.to_le_bytes()).put(12, [1]),
            memory(0, 0, 2 * GIB, 1),
            memory(1, 8 * GIB, 4 * GIB, 1),
            memory(0, 4 * GIB, 4 * GIB, 3),
            memory(2, 0x1_0000_0000_0000, 0, 5),
            memory(9, 0, GIB, 0),
            initiator,
            entry(0xaa, 6).put(2, [1, 2, 3, 4]),
            entry(1, 20),
        ],
    )
}

#[test]
fn a_srat_is_a_map_of_domains() {
    assert_data_eq!(
        shown(&[srat()]),
        str![[r#"
SRAT, revision 3, 426 bytes, checksum good, by HAND MADE
/sys/firmware/acpi/tables/SRAT

3 proximity domains
domain  CPUs                    memory  ranges  devices
     0  2 CPUs: APIC 0-1         6 GiB       2
     1  3 CPUs: APIC 16-17,300   4 GiB       1
     2  none                       0 B       1        1

Memory, by address
domain    first address  last address   size  flags          offset
     0              0x0    0x7fffffff  2 GiB                    168
     0      0x100000000   0x1ffffffff  4 GiB  hot-pluggable     248
     1      0x200000000   0x2ffffffff  4 GiB                    208
     2  0x1000000000000         empty    0 B  non-volatile      288

Devices
domain  what               name              offset
     2  generic initiator  PCI 0000:3b:01.0     368

Disabled, and not counted above
what              entries  domains  offsets
CPU (local APIC)        2  1        112 to 128
memory                  1  9        328

Entries that are not understood
offset  type  length  why                     bytes
   400   170       6  unknown type            aa0601020304
   406     1      20  too short for its type  0114000000000000000000000000000000000000

What is wrong with it
  offset 406: an entry of type 1 has 20 bytes, and its type needs 40

"#]]
    );
}

#[test]
fn a_srat_of_arm_takes_mpidrs_from_the_madt() {
    let gicc = |uid: u32, mpidr: u64| {
        entry(11, 80).put(8, uid.to_le_bytes()).put(12, [1]).put(68, mpidr.to_le_bytes())
    };
    let affinity = |domain: u32, uid: u32| {
        entry(3, 18).put(2, domain.to_le_bytes()).put(6, uid.to_le_bytes()).put(10, [1])
    };
    let madt = table(
        "APIC",
        5,
        TableBytes::with_size(44),
        &[gicc(0, 0), gicc(1, 1), gicc(2, 0x10000), gicc(3, 0x10001)],
    );
    let srat = table(
        "SRAT",
        3,
        TableBytes::with_size(48),
        &[affinity(0, 0), affinity(0, 1), affinity(1, 2), affinity(1, 3)],
    );
    assert_data_eq!(
        shown(&[srat.clone(), madt.clone()]),
        str![[r#"
SRAT, revision 3, 120 bytes, checksum good, by HAND MADE
/sys/firmware/acpi/tables/SRAT

2 proximity domains
domain  CPUs                                             memory
     0  2 CPUs: UID 0-1 (MPIDR or hart 0x0-0x1)            none
     1  2 CPUs: UID 2-3 (MPIDR or hart 0x10000-0x10001)    none

"#]]
    );
    assert_data_eq!(
        shown(&[madt, srat]),
        str![[r#"
MADT (signature APIC), revision 5, 364 bytes, checksum good, by HAND MADE
/sys/firmware/acpi/tables/APIC

CPUs that are enabled: 4 of 4
UID  kind       id  domain (SRAT)  offset
  0  GICC      0x0              0      44
  1  GICC      0x1              0     124
  2  GICC  0x10000              1     204
  3  GICC  0x10001              1     284

"#]]
    );
}

#[test]
fn faults_stand_below_a_table() {
    let mut spoilt = table(
        "SRAT",
        1,
        TableBytes::with_size(48),
        &[memory(0x1_0002, 0, GIB, 1), TableBytes(vec![0, 1])],
    );
    spoilt[9] ^= 1;
    assert_data_eq!(
        shown(&[spoilt]),
        str![[r#"
SRAT, revision 1, 90 bytes, checksum bad, by HAND MADE
/sys/firmware/acpi/tables/SRAT

1 proximity domain
domain  CPUs  memory  ranges
     2  none   1 GiB       1

Memory, by address
domain  first address  last address   size  flags                              offset
     2            0x0    0x3fffffff  1 GiB  upper bytes of the domain ignored      48

Entries that are not understood
offset  type  length  why                     bytes
    88     0       1  too short for its type  0001

What is wrong with it
  offset 9: the checksum is 0x0a, and the bytes need 0x0b
  offset 88: an entry of type 0 claims 1 bytes: the next entry cannot be found
  offset 88: an entry of type 0 has 2 bytes, and its type needs 16

"#]]
    );
}

#[test]
fn a_madt_separates_present_from_possible_cpus() {
    let apic = |uid: u8, id: u8, flags: u8| entry(0, 8).put(2, [uid, id]).put(4, [flags]);
    let madt = table(
        "APIC",
        4,
        TableBytes::with_size(44),
        &[
            apic(0, 0, 1),
            apic(1, 5, 1),
            apic(2, 16, 2),
            apic(3, 0xff, 0),
            apic(4, 0xff, 0),
            entry(9, 16).put(4, 300u32.to_le_bytes()).put(8, [1]).put(12, 7u32.to_le_bytes()),
            entry(1, 12).put(2, [8]).put(4, 0xfec0_0000u32.to_le_bytes()),
            entry(2, 10).put(3, [0]).put(4, [2]),
            entry(4, 6).put(2, [0xff, 5, 0, 1]),
        ],
    );
    assert_data_eq!(
        shown(&[madt, srat()]),
        str![[r#"
MADT (signature APIC), revision 4, 128 bytes, checksum good, by HAND MADE
/sys/firmware/acpi/tables/APIC

CPUs that are enabled: 3 of 6
UID  kind         id  domain (SRAT)  offset
  0  local APIC    0              0      44
  1  local APIC    5           none      52
  7  x2APIC      300              1      84

CPUs that are not enabled
kind        state                  entries  ids
local APIC  disabled                     2  0xff
local APIC  may come online later        1  0x10

Interrupt controllers and lines
kind             what                                              offset
I/O APIC         id 8, registers at 0xfec00000, interrupts from 0     100
source override  bus 0 interrupt 0 goes to 2, flags 0x0               112
local APIC NMI   UID 255, LINT 1, flags 0x5                           122

"#]]
    );
}
