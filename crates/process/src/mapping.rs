//! One mapping of a process: its kind, its policy, and its pages by node.

use nearfar_machine::PageSizes;
use nearfar_machine::process::{MapsEntry, NumaMapping, NumaPolicy};
use nearfar_model::Bytes;

use crate::by_node::{BytesByNode, sizes_of};
use crate::kind::MappingKind;

/// A file or shared memory, whatever its names are.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileId {
    /// Its device, as in `maps`.
    pub device: String,
    /// Its inode.
    pub inode: u64,
}

/// The part of a file from which a mapping begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRange {
    /// The file.
    pub id: FileId,
    /// The offset of the mapping's first byte.
    pub offset: u64,
}

impl FileRange {
    pub(crate) fn new(range: &MapsEntry) -> Option<Self> {
        let id = FileId { device: range.device.clone(), inode: range.inode };
        (range.inode != 0).then_some(Self { id, offset: range.offset })
    }
}

/// A mapping. Sizes are in bytes, whatever its page size is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MappingMemory {
    /// Its first address.
    pub start: u64,
    /// The first address after it; `None` if it was unmapped while the process was read.
    pub end: Option<u64>,
    /// Its kind.
    pub kind: MappingKind,
    /// Its file, or its name from the kernel or the program.
    pub name: Option<String>,
    /// Whether other processes may share it.
    pub shared: bool,
    /// The policy of its new pages: its own, else the first thread's.
    pub policy: NumaPolicy,
    /// The page size of its counts: huge pages of a pool, else base pages (also for transparent
    /// huge pages).
    pub page_size: Option<Bytes>,
    /// Its pages.
    pub by_node: BytesByNode,
    /// Whether other processes also map some of its pages: see
    /// [`NumaMapping::is_mapped_by_others`].
    pub mapped_by_others: bool,
    /// How many mappings have its page that is mapped most.
    pub most_mapped: u64,
    /// Its file or shared memory; `None` for anonymous memory.
    pub file: Option<FileRange>,
    /// Whether its file is a program or a library: the process may execute some part of it.
    pub is_program: bool,
}

impl MappingMemory {
    pub(crate) fn new(mapping: NumaMapping, range: Option<&MapsEntry>, sizes: PageSizes) -> Self {
        let size = sizes.of(&mapping);
        let named = range.map(|range| range.name.clone()).filter(|name| !name.is_empty());
        Self {
            start: mapping.start,
            end: range.map(|range| range.end),
            kind: MappingKind::new(&mapping, range),
            shared: range.is_some_and(|range| range.shared),
            by_node: sizes_of(&mapping.pages, size).collect(),
            page_size: (!mapping.pages.is_empty()).then_some(size),
            mapped_by_others: mapping.is_mapped_by_others(),
            most_mapped: mapping.most_mapped,
            file: range.and_then(FileRange::new),
            is_program: false,
            name: mapping.file.or(named),
            policy: mapping.policy,
        }
    }
}
