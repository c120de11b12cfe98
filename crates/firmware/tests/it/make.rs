//! Handmade tables: valid in every byte, until a test changes one.

/// Bytes from hexadecimal digits; '#' starts a remark.
pub(crate) fn hex(text: &str) -> Vec<u8> {
    let digits = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    digits
        .flat_map(str::split_whitespace)
        .map(|byte| u8::from_str_radix(byte, 16).unwrap())
        .collect()
}

/// An ACPI table from the bytes after the header, with length and checksum.
pub(crate) fn table(signature: &str, revision: u8, body: &[u8]) -> Vec<u8> {
    let mut bytes = signature.as_bytes().to_vec();
    bytes.extend((36 + body.len() as u32).to_le_bytes());
    bytes.extend([revision, 0]);
    bytes.extend(b"NEAR  FAR HAND");
    bytes.extend(7u32.to_le_bytes());
    bytes.extend(b"HAND");
    bytes.extend(1u32.to_le_bytes());
    bytes.extend(body);
    with_checksum(bytes)
}

/// The same bytes with a valid checksum.
pub(crate) fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes[9] = 0;
    bytes[9] = 0u8.wrapping_sub(bytes.iter().fold(0, |sum: u8, &byte| sum.wrapping_add(byte)));
    bytes
}

/// A SRAT with these entries.
pub(crate) fn srat(revision: u8, entries: &[&[u8]]) -> Vec<u8> {
    let mut body = vec![1, 0, 0, 0];
    body.resize(12, 0);
    body.extend(entries.concat());
    table("SRAT", revision, &body)
}

/// A SLIT that claims `count` domains and has these distances.
pub(crate) fn slit(count: u64, distances: &[u8]) -> Vec<u8> {
    table("SLIT", 1, &[&count.to_le_bytes()[..], distances].concat())
}

/// A HMAT with these structures.
pub(crate) fn hmat(revision: u8, structures: &[&[u8]]) -> Vec<u8> {
    table("HMAT", revision, &[&[0; 4], structures.concat().as_slice()].concat())
}

/// Type 0 of the SRAT, enabled.
pub(crate) fn cpu(apic_id: u8, domain: u8) -> Vec<u8> {
    vec![0, 16, domain, apic_id, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
}

/// Type 1 of the SRAT, with these flags.
pub(crate) fn memory(domain: u32, base: u64, size: u64, flags: u32) -> Vec<u8> {
    let mut entry = vec![1, 40];
    entry.extend(domain.to_le_bytes());
    entry.extend([0; 2]);
    entry.extend(base.to_le_bytes());
    entry.extend(size.to_le_bytes());
    entry.extend([0; 4]);
    entry.extend(flags.to_le_bytes());
    entry.extend([0; 8]);
    entry
}

/// Type 1 of the HMAT: latencies or bandwidths from domains 0, 1, ... to domains 0, 1, ...
pub(crate) fn locality(
    data: u8,
    base: u64,
    initiators: u32,
    targets: u32,
    entries: &[u16],
) -> Vec<u8> {
    let length = 32 + 4 * (initiators + targets) + 2 * entries.len() as u32;
    let mut structure = vec![1, 0, 0, 0];
    structure.extend(length.to_le_bytes());
    structure.extend([0, data, 0, 0]);
    structure.extend(initiators.to_le_bytes());
    structure.extend(targets.to_le_bytes());
    structure.extend([0; 4]);
    structure.extend(base.to_le_bytes());
    (0..initiators).chain(0..targets).for_each(|domain| structure.extend(domain.to_le_bytes()));
    entries.iter().for_each(|entry| structure.extend(entry.to_le_bytes()));
    structure
}

/// One table of each kind, with entries of every type.
pub(crate) fn good() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("srat", srat(3, &[&hex(SRAT), &memory(0x0102_0304, 0x1_0000_0000, 0x8000_0000, 0xf)])),
        ("srat-revision-1", srat(1, &[&cpu(3, 1), &memory(0x0102_0304, 0, 0x4000_0000, 1)])),
        ("slit", slit(3, &[10, 17, 28, 17, 10, 28, 29, 29, 10])),
        (
            "hmat-revision-1",
            hmat(1, &[&hex(HMAT), &locality(0, 10, 2, 3, &[10, 20, 0, 20, 10, 0xffff])]),
        ),
        ("hmat-revision-2", hmat(2, &[&hex(HMAT), &locality(3, 100, 2, 2, &[10, 5, 5, 10])])),
        ("msct", table("MSCT", 1, &hex(MSCT))),
        ("madt", table("APIC", 5, &hex(MADT))),
        ("pptt", table("PPTT", 2, &hex(PPTT))),
        ("cedt", table("CEDT", 1, &hex(CEDT))),
        ("crat", table("CRAT", 1, &hex(CRAT))),
        ("cdit", table("CDIT", 1, &hex("02 00 00 00  0a 10 14 0a"))),
        ("dsdt", table("DSDT", 2, &crate::aml_code::good())),
    ]
}

const SRAT: &str = "
    00 10 05 07  01 00 00 00  02 01 02 03  09 00 00 00    # CPU: APIC id 7, domain 0x03020105, \
                    clock domain 9
    02 18 00 00  04 00 00 00  ef be ad de  01 00 00 00  02 00 00 00  00 00 00 00    # CPU: x2APIC \
                    id 0xdeadbeef
    03 12 06 00 00 00  0b 00 00 00  00 00 00 00  03 00 00 00    # Arm CPU 11, domain 6, disabled
    04 0c 07 00 00 00  00 00  2a 00 00 00    # translator 42, domain 7
    05 20 00 01  08 00 00 00  34 12 c1 1a 00 00 00 00 00 00 00 00 00 00 00 00  03 00 00 00  00 00 \
                    00 00
    06 20 00 00  09 00 00 00  41 43 50 49 30 30 31 36 40 00 00 00 00 00 00 00  01 00 00 00  00 00 \
                    00 00
    07 14 00 00  0a 00 00 00  0c 00 00 00  01 00 00 00  04 00 00 00    # RISC-V CPU 12, domain 10
    42 06 de ad be ef    # an unknown type
";

const HMAT: &str = "
    00 00 00 00  28 00 00 00  07 00 00 00  01 00 00 00  02 00 00 00  00 00 00 00    # memory 2 at \
                    initiator 1
    00 00 00 40 00 00 00 00  00 00 00 80 00 00 00 00
    02 00 00 00  24 00 00 00  02 00 00 00  00 00 00 00  00 00 00 01 00 00 00 00    # a cache of 16 \
                    MiB
    21 11 40 00  00 00 02 00  34 12 78 56
";

const MSCT: &str = "
    38 00 00 00  03 00 00 00  00 00 00 00  ff ff ff ff ff 0f 00 00
    01 16  00 00 00 00  01 00 00 00  40 00 00 00  00 00 00 00 10 00 00 00
    01 16  02 00 00 00  03 00 00 00  00 00 00 00  00 00 00 00 20 00 00 00
";

const MADT: &str = "
    00 00 e0 fe  01 00 00 00
    00 08 03 06  01 00 00 00    # x86 CPU 3, APIC id 6
    01 0c 08 00  00 00 c0 fe  18 00 00 00    # I/O APIC 8, interrupts from 24
    02 0a 00 09  09 00 00 00  0d 00
    03 08 05 00  10 00 00 00
    04 06 ff  05 00  01
    05 0c 00 00  00 00 e0 fe 01 00 00 00
    09 10 00 00  00 01 00 00  02 00 00 00  2c 01 00 00    # x86 CPU 300, x2APIC id 256, may come \
                    online
    0a 0c 05 00  ff ff ff ff  01 00 00 00
    0b 50 00 00  01 00 00 00  02 00 00 00  09 00 00 00  03 00 00 00  17 00 00 00    # Arm CPU 2
          00 00 00 00 01 00 00 00  00 00 01 08 00 00 00 00  00 00 04 08 00 00 00 00  00 00 03 08 \
                    00 00 00 00
          19 00 00 00  00 00 0a 08 00 00 00 00  01 01 00 00 00 00 00 00  02 00 15 00
    0c 18 00 00  01 00 00 00  00 00 00 08 00 00 00 00  00 00 00 00  03 00 00 00
    0d 18 00 00  02 00 00 00  00 00 02 08 00 00 00 00  01 00 00 00  40 00 50 00
    0e 10 00 00  00 00 0a 08 00 00 00 00  00 00 f6 00
    0f 14 00 00  2a 00 00 00  00 00 08 08 00 00 00 00  00 00 00 00
    18 24 01 00  01 00 00 00  05 00 00 00 00 00 00 00  0c 00 00 00  03 00 00 01    # RISC-V CPU \
                    12, hart 5
          00 00 00 28 00 00 00 00  00 10 00 00
    7f 08 00 00  00 00 00 00    # a vendor's own
";

const PPTT: &str = "
    01 18 00 00  7f 00 00 00  00 00 00 00  00 00 10 00  00 04 00 00  10 0a 40 00    # a cache of 1 \
                    MiB
    01 18 00 00  7f 00 00 00  24 00 00 00  00 00 01 00  00 01 00 00  04 02 40 00    # before it \
                    one of 64 KiB
    00 18 00 00  11 00 00 00  00 00 00 00  01 00 00 00  01 00 00 00  24 00 00 00    # a package \
                    with the large cache
    00 18 00 00  0e 00 00 00  54 00 00 00  07 00 00 00  01 00 00 00  3c 00 00 00    # processor 7 \
                    with the small one
    02 1e 00 00  56 45 4e 44  01 00 00 00 00 00 00 00  02 00 00 00 00 00 00 00  01 00 02 00 03 00
";

const CEDT: &str = "
    00 00 20 00  07 00 00 00  01 00 00 00  00 00 00 00  00 00 00 00 01 00 00 00  00 00 01 00 00 00 \
                    00 00
    01 00 2c 00  00 00 00 00  00 00 00 10 01 00 00 00  00 00 00 00 02 00 00 00    # a window over \
                    bridges 7 and 8
          01 01 00 00  05 00 00 00  06 00 03 00  07 00 00 00  08 00 00 00
    02 00 18 00  00 00 05 02  00 40 00 00 00 00 00 00  00 80 00 00 01 00 00 00
    03 00 11 00  01 00 08 34  01  00 00 f0 fe 00 00 00 00
    09 00 04 00
";

const CRAT: &str = "
    06 00 00 00  02 00  00 00 00 00 00 00
    00 28 00 00  05 00 00 00  01 00 00 00  10 00 00 00  08 00 02 00  00 00 00 00 00 00 00 00 00 00 \
                    00 00
          00 00 00 00 00 00 00 00
    01 28 00 00  01 00 00 00  01 00 00 00  00 00 00 80 0f 00 00 00  00 00 00 40 01 00 00 00  40 00 \
                    00 00
          00 00 00 00 00 00 00 00
    02 40 00 00  0f 00 00 00  02 00 00 00  0c 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
          00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  00 02 00 00  02 01 40 00  08 02 0c 00  \
                    00 00 00 00 00 00 00 00
    03 04 00 00
    05 40 00 00  01 00 00 80  00 00 00 00  01 00 00 00  0b 03 01 00  32 00 00 00  64 00 00 00
          10 27 00 00  20 4e 00 00  00 10 00 00  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 \
                    00 00 00 00 00 00 00 00
    42 02
";
