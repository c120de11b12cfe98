//! One mapping of a process: what it is for, its policy, and where its pages are.

use nearfar_machine::PageSizes;
use nearfar_machine::process::{AddressRange, NumaMapping, NumaPolicy};
use nearfar_model::Bytes;

use crate::by_node::{ByNode, sizes_of};
use crate::kind::Kind;

/// A mapping. Sizes are bytes, whatever pages it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MappingMemory {
    /// Its first address.
    pub start: u64,
    /// The first address behind it; none when it vanished while the process was looked at.
    pub end: Option<u64>,
    /// What it is for.
    pub kind: Kind,
    /// Its file, or what the kernel or the program calls it.
    pub name: Option<String>,
    /// Whether others may share it.
    pub shared: bool,
    /// The policy that new pages of it follow: its own, else the first thread's.
    pub policy: NumaPolicy,
    /// The size in which its pages are counted: base pages, also where transparent huge pages
    /// stand behind them, or huge pages of a pool.
    pub page_size: Option<Bytes>,
    /// Its pages.
    pub by_node: ByNode,
    /// Whether other processes map some of its pages too: see
    /// [`NumaMapping::is_mapped_by_others`].
    pub mapped_by_others: bool,
}

impl MappingMemory {
    pub(crate) fn of(mapping: NumaMapping, range: Option<&AddressRange>, sizes: PageSizes) -> Self {
        let size = sizes.of(&mapping);
        let named = range.map(|range| range.name.clone()).filter(|name| !name.is_empty());
        Self {
            start: mapping.start,
            end: range.map(|range| range.end),
            kind: Kind::of(&mapping, range),
            shared: range.is_some_and(|range| range.shared),
            by_node: sizes_of(&mapping.pages, size).collect(),
            page_size: (!mapping.pages.is_empty()).then_some(size),
            mapped_by_others: mapping.is_mapped_by_others(),
            name: mapping.file.or(named),
            policy: mapping.policy,
        }
    }
}
