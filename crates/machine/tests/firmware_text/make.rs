//! Making tables by hand: fields at their offsets, lengths and checksums right.

/// The bytes of a table, zero but for the fields that are put into them.
pub(super) struct TableBytes(pub(super) Vec<u8>);

impl TableBytes {
    pub(super) fn with_size(size: usize) -> Self {
        Self(vec![0; size])
    }

    pub(super) fn put(mut self, at: usize, field: impl AsRef<[u8]>) -> Self {
        let field = field.as_ref();
        self.0[at..at + field.len()].copy_from_slice(field);
        self
    }
}

/// A table: a fixed part of this size with its header, then entries.
pub(super) fn table(
    signature: &str,
    revision: u8,
    fixed: TableBytes,
    entries: &[TableBytes],
) -> Vec<u8> {
    let mut bytes =
        fixed.put(0, signature).put(8, [revision]).put(10, "HAND  ").put(16, "MADE    ").0;
    for TableBytes(entry) in entries {
        bytes.extend(entry);
    }
    let length = u32::try_from(bytes.len()).expect("a small table");
    bytes[4..8].copy_from_slice(&length.to_le_bytes());
    bytes[9] = bytes.iter().fold(0u8, |sum, &byte| sum.wrapping_sub(byte));
    bytes
}

/// An entry that begins with a byte of type and one of length.
pub(super) fn entry(kind: u8, length: u8) -> TableBytes {
    TableBytes::with_size(length.into()).put(0, [kind, length])
}

/// A structure of the HMAT: two bytes of type, four of length.
pub(super) fn wide_entry(kind: u16, length: u32) -> TableBytes {
    TableBytes::with_size(length as usize).put(0, kind.to_le_bytes()).put(4, length.to_le_bytes())
}

pub(super) fn cpu(domain: u8, apic_id: u8, enabled: bool) -> TableBytes {
    entry(0, 16).put(2, [domain, apic_id]).put(4, [u8::from(enabled)])
}

pub(super) fn memory(domain: u32, base: u64, size: u64, flags: u32) -> TableBytes {
    let entry = entry(1, 40).put(2, domain.to_le_bytes()).put(8, base.to_le_bytes());
    entry.put(16, size.to_le_bytes()).put(28, flags.to_le_bytes())
}

/// A matrix of the HMAT among domains 0 to `size` - 1.
pub(super) fn matrix(data_type: u8, base: u64, size: u32, cells: &[u16]) -> TableBytes {
    let count = size as usize;
    let length = 32 + 8 * count + 2 * cells.len();
    let mut structure = wide_entry(1, u32::try_from(length).expect("a small matrix"))
        .put(9, [data_type])
        .put(12, size.to_le_bytes())
        .put(16, size.to_le_bytes())
        .put(24, base.to_le_bytes());
    for domain in 0..size {
        let at = 32 + 4 * domain as usize;
        structure =
            structure.put(at, domain.to_le_bytes()).put(at + 4 * count, domain.to_le_bytes());
    }
    for (index, cell) in cells.iter().enumerate() {
        structure = structure.put(32 + 8 * count + 2 * index, cell.to_le_bytes());
    }
    structure
}

/// A flattened device tree from nodes: name, properties, nodes within.
pub(super) struct Node<'a>(
    pub(super) &'a str,
    pub(super) Vec<(&'a str, Vec<u8>)>,
    pub(super) Vec<Node<'a>>,
);

pub(super) fn blob(root: &Node<'_>) -> Vec<u8> {
    let (mut tokens, mut strings) = (Vec::new(), Vec::new());
    put_node(root, &mut tokens, &mut strings);
    tokens.extend(9u32.to_be_bytes());
    let size = |bytes: usize| u32::try_from(bytes).expect("a small tree").to_be_bytes();
    let total = 40 + tokens.len() + strings.len();
    let head =
        [0xd00d_feedu32.to_be_bytes(), size(total), size(40), size(40 + tokens.len())].concat();
    [head, vec![0; 24], tokens, strings].concat()
}

fn put_node(
    Node(name, properties, within): &Node<'_>,
    tokens: &mut Vec<u8>,
    strings: &mut Vec<u8>,
) {
    tokens.extend(1u32.to_be_bytes());
    tokens.extend(name.bytes().chain([0]));
    tokens.resize(tokens.len().next_multiple_of(4), 0);
    for (name, value) in properties {
        let number = |bytes: usize| u32::try_from(bytes).expect("a small tree").to_be_bytes();
        tokens.extend([3u32.to_be_bytes(), number(value.len()), number(strings.len())].concat());
        tokens.extend(value);
        tokens.resize(tokens.len().next_multiple_of(4), 0);
        strings.extend(name.bytes().chain([0]));
    }
    within.iter().for_each(|node| put_node(node, tokens, strings));
    tokens.extend(2u32.to_be_bytes());
}

/// A structure of SMBIOS: its fields after type, length and handle, then its texts.
pub(super) fn structure(kind: u8, handle: u16, fields: TableBytes, texts: &[&str]) -> Vec<u8> {
    let length = u8::try_from(fields.0.len()).expect("a small structure");
    let mut bytes = fields.put(0, [kind, length]).put(2, handle.to_le_bytes()).0;
    for text in texts {
        bytes.extend(text.bytes().chain([0]));
    }
    bytes.extend(if texts.is_empty() { &[0, 0][..] } else { &[0] });
    bytes
}
