//! Handmade AML: terms, packages and names.

/// A package: its opcode, PkgLength, content.
pub(crate) fn package(opcode: &[u8], content: &[&[u8]]) -> Vec<u8> {
    let content = content.concat();
    [opcode, &length(content.len()), &content].concat()
}

/// The shortest PkgLength of a package with this content.
fn length(content: usize) -> Vec<u8> {
    if content + 1 < 1 << 6 {
        return vec![(content + 1) as u8];
    }
    let more = (1..=3).find(|more| content + 1 + more < 1 << (4 + 8 * more)).unwrap();
    let length = content + 1 + more;
    let mut bytes = vec![(more << 6 | length & 0xf) as u8];
    bytes.extend((0..more).map(|byte| (length >> (4 + 8 * byte)) as u8));
    bytes
}

/// `Scope (name) { ... }`. A name is a NameString as bytes.
pub(crate) fn scope(name: &[u8], terms: &[&[u8]]) -> Vec<u8> {
    package(&[0x10], &[name, &terms.concat()])
}

/// `Device (name) { ... }`.
pub(crate) fn device(name: &[u8], terms: &[&[u8]]) -> Vec<u8> {
    package(&[0x5b, 0x82], &[name, &terms.concat()])
}

/// `If (predicate) { ... }`.
pub(crate) fn condition(predicate: &[u8], terms: &[&[u8]]) -> Vec<u8> {
    package(&[0xa0], &[predicate, &terms.concat()])
}

/// `Name (name, data)`.
pub(crate) fn name(name: &[u8], data: &[u8]) -> Vec<u8> {
    [&[0x08], name, data].concat()
}

/// `Method (name, arguments) { body }`.
pub(crate) fn method(name: &[u8], arguments: u8, body: &[u8]) -> Vec<u8> {
    package(&[0x14], &[name, &[arguments], body])
}

/// A constant of one byte.
pub(crate) fn byte(number: u8) -> [u8; 2] {
    [0x0a, number]
}

/// `EisaId ("PNP0A08")` and `EisaId ("PNP0A03")`.
pub(crate) const PNP0A08: [u8; 5] = [0x0c, 0x41, 0xd0, 0x0a, 0x08];
pub(crate) const PNP0A03: [u8; 5] = [0x0c, 0x41, 0xd0, 0x0a, 0x03];

/// A PCI host bridge below `\_SB_` with a bus and a `_PXM`.
pub(crate) fn host_bridge(name_of: &[u8; 4], bus: u8, proximity: &[u8]) -> Vec<u8> {
    device(
        name_of,
        &[
            &name(b"_HID", &PNP0A08),
            &name(b"_CID", &PNP0A03),
            &name(b"_UID", &byte(bus)),
            &name(b"_BBN", &byte(bus)),
            proximity,
        ],
    )
}

/// A block with one of each: two host bridges, methods, fields, conditions.
pub(crate) fn good() -> Vec<u8> {
    let bridges = scope(
        b"_SB_",
        &[
            &host_bridge(b"PC00", 0, &name(b"_PXM", &[0x00])),
            &host_bridge(b"PC20", 32, &method(b"_PXM", 0, &[0xa4, 0x01])),
            &host_bridge(b"PC40", 64, &method(b"_PXM", 0, &[0xa4, 0x60])),
        ],
    );
    let region = [&[0x5b, 0x80][..], b"GNVS", &[0x00], &[0x0c, 0, 0, 0, 0x7a], &byte(64)].concat();
    let field = package(&[0x5b, 0x81], &[b"GNVS", &[0x11], b"FLD0", &[8]]);
    let conditional = condition(
        &[&[0x93][..], b"FLD0", &[0x01]].concat(),
        &[&scope(b"\\\x2e_SB_PC00", &[&device(b"RP01", &[&name(b"_PXM", &[0x01])])])],
    );
    [region, field, bridges, conditional].concat()
}
