//! Flattened device trees (Devicetree Specification 0.4, chapter 5): read, change, write.
//!
//! The lab changes the tree that QEMU writes, so it needs both ways. Of the crates that do both,
//! the well-kept ones need a newer Rust than this project.

const MAGIC: u32 = 0xd00d_feed;
const VERSION: u32 = 17;
const COMPATIBLE_VERSION: u32 = 16;
const HEADER_BYTES: usize = 40;
const BEGIN_NODE: u32 = 1;
const END_NODE: u32 = 2;
const PROPERTY: u32 = 3;
const NOTHING: u32 = 4;
const END: u32 = 9;
/// Trees of boards are a few levels deep.
const MAX_LEVELS: usize = 32;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct DeviceTreeBlob {
    /// Memory that the kernel leaves alone: (start, size).
    pub(super) reserved: Vec<(u64, u64)>,
    /// The CPU that boots.
    pub(super) boot_cpu: u32,
    /// What has no name.
    pub(super) root: Branch,
}

/// A part of the tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Branch {
    pub(super) name: String,
    pub(super) properties: Vec<(String, Vec<u8>)>,
    pub(super) children: Vec<Branch>,
}

impl Branch {
    pub(super) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// Sets a property without a value.
    pub(super) fn set_flag(&mut self, name: &str) {
        self.set(name, Vec::new());
    }

    /// Sets a property to a text.
    pub(super) fn set_text(&mut self, name: &str, text: &str) {
        self.set(name, [text.as_bytes(), &[0]].concat());
    }

    /// Sets a property to 32-bit numbers.
    pub(super) fn set_cells(&mut self, name: &str, cells: &[u32]) {
        self.set(name, cells.iter().flat_map(|cell| cell.to_be_bytes()).collect());
    }

    /// The highest number by which a branch at or below this one is referred to.
    pub(super) fn highest_phandle(&self) -> u32 {
        let own = self.properties.iter().find(|(name, _)| name == "phandle");
        let own = own
            .and_then(|(_, value)| value.as_slice().try_into().ok())
            .map_or(0, u32::from_be_bytes);
        self.children.iter().map(Self::highest_phandle).fold(own, u32::max)
    }

    fn set(&mut self, name: &str, value: Vec<u8>) {
        self.properties.retain(|(known, _)| known != name);
        self.properties.push((name.to_owned(), value));
    }
}

impl DeviceTreeBlob {
    /// Reads a blob, which is never trusted.
    pub(super) fn parse(blob: &[u8]) -> Result<Self, &'static str> {
        let mut header = blob;
        if cell(&mut header)? != MAGIC {
            return Err("it does not begin as one");
        }
        let _total_bytes = cell(&mut header)?;
        let [mut structure, strings, reserved] =
            [from(blob, &mut header)?, from(blob, &mut header)?, from(blob, &mut header)?];
        let (_version, _compatible, boot_cpu) =
            (cell(&mut header)?, cell(&mut header)?, cell(&mut header)?);
        if token(&mut structure)? != BEGIN_NODE {
            return Err("it has no root");
        }
        let root = branch(&mut structure, strings, 0)?;
        Ok(Self { reserved: pairs(reserved)?, boot_cpu, root })
    }

    /// Writes it as a blob.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.branch(&self.root);
        writer.cell(END);
        let zero = [(0, 0)];
        let pairs = self.reserved.iter().chain(&zero);
        let reserved: Vec<u8> = pairs
            .flat_map(|(start, size)| [start.to_be_bytes(), size.to_be_bytes()].concat())
            .collect();
        let structure_at = HEADER_BYTES + reserved.len();
        let strings_at = structure_at + writer.structure.len();
        let header = [
            MAGIC,
            size(strings_at + writer.strings.len()),
            size(structure_at),
            size(strings_at),
            size(HEADER_BYTES),
            VERSION,
            COMPATIBLE_VERSION,
            self.boot_cpu,
            size(writer.strings.len()),
            size(writer.structure.len()),
        ];
        let header: Vec<u8> = header.iter().flat_map(|cell| cell.to_be_bytes()).collect();
        [header, reserved, writer.structure, writer.strings].concat()
    }
}

const CUT_SHORT: &str = "it is cut short";

/// Takes bytes from the front.
fn take<'b>(bytes: &mut &'b [u8], count: usize) -> Result<&'b [u8], &'static str> {
    let (taken, rest) = bytes.split_at_checked(count).ok_or(CUT_SHORT)?;
    *bytes = rest;
    Ok(taken)
}

fn cell(bytes: &mut &[u8]) -> Result<u32, &'static str> {
    take(bytes, 4)?.try_into().map(u32::from_be_bytes).map_err(|_| CUT_SHORT)
}

fn wide(bytes: &mut &[u8]) -> Result<u64, &'static str> {
    take(bytes, 8)?.try_into().map(u64::from_be_bytes).map_err(|_| CUT_SHORT)
}

/// The part of a blob at the offset in the header's next cell.
fn from<'b>(blob: &'b [u8], header: &mut &[u8]) -> Result<&'b [u8], &'static str> {
    blob.get(cell(header)? as usize..).ok_or(CUT_SHORT)
}

fn pairs(mut bytes: &[u8]) -> Result<Vec<(u64, u64)>, &'static str> {
    let mut pairs = Vec::new();
    loop {
        match (wide(&mut bytes)?, wide(&mut bytes)?) {
            (0, 0) => return Ok(pairs),
            pair => pairs.push(pair),
        }
    }
}

fn token(structure: &mut &[u8]) -> Result<u32, &'static str> {
    loop {
        let token = cell(structure)?;
        if token != NOTHING {
            return Ok(token);
        }
    }
}

/// What follows the token that begins a branch. Parts begin at multiples of four.
fn branch(structure: &mut &[u8], strings: &[u8], level: usize) -> Result<Branch, &'static str> {
    if level > MAX_LEVELS {
        return Err("it is too deep");
    }
    let name = text(structure)?;
    take(structure, (name.len() + 1).next_multiple_of(4))?;
    let mut found = Branch::new(name);
    loop {
        match token(structure)? {
            BEGIN_NODE => found.children.push(branch(structure, strings, level + 1)?),
            PROPERTY => {
                let (count, name_at) = (cell(structure)? as usize, cell(structure)? as usize);
                let value = take(structure, count.next_multiple_of(4))?[..count].to_vec();
                let name = text(strings.get(name_at..).ok_or(CUT_SHORT)?)?;
                found.properties.push((name.to_owned(), value));
            }
            END_NODE => return Ok(found),
            _ => return Err("it has an unknown part"),
        }
    }
}

/// The text that bytes begin with, up to a zero.
fn text(bytes: &[u8]) -> Result<&str, &'static str> {
    let end = bytes.iter().position(|&byte| byte == 0).ok_or(CUT_SHORT)?;
    std::str::from_utf8(&bytes[..end]).map_err(|_| "a name in it is no text")
}

#[derive(Default)]
struct Writer {
    structure: Vec<u8>,
    strings: Vec<u8>,
}

impl Writer {
    fn cell(&mut self, cell: u32) {
        self.structure.extend(cell.to_be_bytes());
    }

    fn padded(&mut self, bytes: &[u8]) {
        self.structure.extend(bytes);
        self.structure.resize(self.structure.len().next_multiple_of(4), 0);
    }

    /// Where a property's name stands among the strings, be it as the end of another.
    fn place(&mut self, name: &str) -> u32 {
        let name = [name.as_bytes(), &[0]].concat();
        let known = self.strings.windows(name.len()).position(|there| there == name);
        size(known.unwrap_or_else(|| {
            self.strings.extend(&name);
            self.strings.len() - name.len()
        }))
    }

    fn branch(&mut self, branch: &Branch) {
        self.cell(BEGIN_NODE);
        self.padded(&[branch.name.as_bytes(), &[0]].concat());
        for (name, value) in &branch.properties {
            let place = self.place(name);
            self.cell(PROPERTY);
            self.cell(size(value.len()));
            self.cell(place);
            self.padded(value);
        }
        for child in &branch.children {
            self.branch(child);
        }
        self.cell(END_NODE);
    }
}

/// Sizes and places have 32 bits; a blob of 4 GiB is none that this program made or QEMU loads.
fn size(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn branches() -> impl Strategy<Value = Branch> {
        let properties = || {
            proptest::collection::vec(
                ("[a-z,-]{1,12}", proptest::collection::vec(any::<u8>(), 0..20)),
                0..4,
            )
        };
        let leaf = ("[a-z@0-9]{1,10}", properties());
        let leaf =
            leaf.prop_map(|(name, properties)| Branch { name, properties, children: Vec::new() });
        leaf.prop_recursive(4, 24, 4, move |inner| {
            ("[a-z@0-9]{1,10}", properties(), proptest::collection::vec(inner, 0..4))
                .prop_map(|(name, properties, children)| Branch { name, properties, children })
        })
    }

    proptest! {
        #[test]
        fn trees_come_back_as_they_were_written(
            root in branches(),
            boot_cpu: u32,
            start in 1..u64::MAX,
            bytes: u64,
        ) {
            let tree = DeviceTreeBlob { reserved: vec![(start, bytes)], boot_cpu, root };
            prop_assert_eq!(DeviceTreeBlob::parse(&tree.to_bytes()), Ok(tree));
        }

        #[test]
        fn a_damaged_blob_makes_no_panic(
            root in branches(),
            at: prop::sample::Index,
            byte: u8,
            cut: prop::sample::Index,
        ) {
            let mut blob = DeviceTreeBlob { reserved: Vec::new(), boot_cpu: 0, root }.to_bytes();
            let at = at.index(blob.len());
            blob[at] = byte;
            let _ = DeviceTreeBlob::parse(&blob);
            prop_assert!(DeviceTreeBlob::parse(&blob[..cut.index(HEADER_BYTES)]).is_err());
        }
    }

    #[test]
    fn setting_a_property_replaces_it() {
        let mut branch = Branch::new("cpu@0");
        branch.set_cells("numa-node-id", &[1]);
        branch.set_cells("numa-node-id", &[5]);
        assert_eq!(branch.properties, [("numa-node-id".to_owned(), vec![0, 0, 0, 5])]);
    }

    #[test]
    fn other_bytes_are_no_tree() {
        assert_eq!(DeviceTreeBlob::parse(b"ELF, not a tree"), Err("it does not begin as one"));
        assert_eq!(DeviceTreeBlob::parse(&[0xd0]), Err("it is cut short"));
    }
}
