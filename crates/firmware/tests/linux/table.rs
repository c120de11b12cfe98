//! Handmade tables: valid in every byte, until a test changes one.

pub(super) const GIB: u64 = 1 << 30;
pub(super) const MIB: u64 = 1 << 20;

/// An ACPI table from the bytes after the header, with length and checksum.
pub(super) fn table(signature: &str, revision: u8, body: &[u8]) -> Vec<u8> {
    let mut bytes = signature.as_bytes().to_vec();
    bytes.extend((36 + body.len() as u32).to_le_bytes());
    bytes.extend([revision, 0]);
    bytes.extend(b"NEAR  FAR HAND");
    bytes.extend(7u32.to_le_bytes());
    bytes.extend(b"HAND");
    bytes.extend(1u32.to_le_bytes());
    bytes.extend(body);
    bytes[9] = 0u8.wrapping_sub(bytes.iter().fold(0, |sum: u8, &byte| sum.wrapping_add(byte)));
    bytes
}

/// A SRAT of revision 3.
pub(super) fn srat(entries: &[Vec<u8>]) -> Vec<u8> {
    let mut body = vec![1, 0, 0, 0];
    body.resize(12, 0);
    body.extend(entries.concat());
    table("SRAT", 3, &body)
}

/// CPUs 0 and 1 in domain 0, 2 and 3 in domain 1, and more entries.
pub(super) fn srat_with_cpus(entries: &[Vec<u8>]) -> Vec<u8> {
    srat(&[cpus(), entries.to_vec()].concat())
}

/// CPUs 0 and 1 in domain 0, 2 and 3 in domain 1.
pub(super) fn cpus() -> Vec<Vec<u8>> {
    vec![cpu(0, 0), cpu(1, 0), cpu(2, 1), cpu(3, 1)]
}

/// Two GiB, half of them in domain 0 and half in domain 1.
pub(super) fn halves() -> Vec<Vec<u8>> {
    vec![memory(0, 0, GIB), memory(1, GIB, GIB)]
}

/// The SRAT of a machine with two equal nodes.
pub(super) fn two_nodes() -> Vec<u8> {
    srat_with_cpus(&halves())
}

pub(super) fn cpu(apic_id: u8, domain: u32) -> Vec<u8> {
    let [low, rest @ ..] = domain.to_le_bytes();
    [&[0, 16, low, apic_id, 1, 0, 0, 0, 0], &rest[..], &[0; 4]].concat()
}

pub(super) fn memory(domain: u32, base: u64, size: u64) -> Vec<u8> {
    memory_with(domain, base, size, 1)
}

/// Type 1 with these flags.
pub(super) fn memory_with(domain: u32, base: u64, size: u64, flags: u32) -> Vec<u8> {
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

/// Type 2, enabled, with a given length.
pub(super) fn x2apic(apic_id: u32, domain: u32, length: u8) -> Vec<u8> {
    let mut entry = vec![2, length, 0, 0];
    [domain, apic_id, 1, 0, 0].iter().for_each(|number| entry.extend(number.to_le_bytes()));
    entry.resize(length.into(), 0);
    entry
}

pub(super) fn gicc(processor_uid: u32, domain: u32) -> Vec<u8> {
    [&[3, 18][..], &domain.to_le_bytes(), &processor_uid.to_le_bytes(), &[1, 0, 0, 0], &[0; 4]]
        .concat()
}

pub(super) fn initiator(domain: u32, enabled: bool) -> Vec<u8> {
    [
        &[5, 32, 0, 1][..],
        &domain.to_le_bytes(),
        &[0; 16],
        &u32::from(enabled).to_le_bytes(),
        &[0; 4],
    ]
    .concat()
}

/// A SLIT of these rows.
pub(super) fn slit(count: u64, distances: &[u8]) -> Vec<u8> {
    table("SLIT", 1, &[&count.to_le_bytes()[..], distances].concat())
}

/// A HMAT of these structures.
pub(super) fn hmat(revision: u8, structures: &[Vec<u8>]) -> Vec<u8> {
    table("HMAT", revision, &[&[0; 4], structures.concat().as_slice()].concat())
}

/// Type 0 of the HMAT.
pub(super) fn hmat_memory(initiator: u32, memory: u32, flags: u16) -> Vec<u8> {
    let mut structure = vec![0, 0, 0, 0, 40, 0, 0, 0];
    structure.extend(flags.to_le_bytes());
    structure.extend([0; 2]);
    structure.extend(initiator.to_le_bytes());
    structure.extend(memory.to_le_bytes());
    structure.resize(40, 0);
    structure
}

/// Type 1 of the HMAT: latencies (data 0) or bandwidths (data 3) between domains.
pub(super) fn locality(
    data: u8,
    base: u64,
    initiators: &[u32],
    targets: &[u32],
    entries: &[u16],
) -> Vec<u8> {
    let length = 32 + 4 * (initiators.len() + targets.len()) + 2 * entries.len();
    let mut structure = vec![1, 0, 0, 0];
    structure.extend((length as u32).to_le_bytes());
    structure.extend([0, data, 0, 0]);
    structure.extend((initiators.len() as u32).to_le_bytes());
    structure.extend((targets.len() as u32).to_le_bytes());
    structure.extend([0; 4]);
    structure.extend(base.to_le_bytes());
    initiators.iter().chain(targets).for_each(|domain| structure.extend(domain.to_le_bytes()));
    entries.iter().for_each(|entry| structure.extend(entry.to_le_bytes()));
    structure
}

/// A CEDT with a window of CXL memory.
pub(super) fn cedt(base: u64, size: u64) -> Vec<u8> {
    let mut body = vec![1, 0, 40, 0, 0, 0, 0, 0];
    body.extend(base.to_le_bytes());
    body.extend(size.to_le_bytes());
    body.extend([0; 12]);
    body.extend(7u32.to_le_bytes());
    table("CEDT", 1, &body)
}
