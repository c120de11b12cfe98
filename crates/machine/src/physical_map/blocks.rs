//! The kernel's memory blocks, the units of memory hotplug, with their nodes.
//!
//! Source: Documentation/admin-guide/mm/memory-hotplug.rst and
//! Documentation/ABI/testing/sysfs-devices-memory of Linux.

use std::collections::BTreeMap;

use nearfar_model::{NodeId, NodeSet};

use super::span_fact::SpanFact;
use super::sweep::AddressSpan;
use crate::source::Source;

const BLOCKS: &str = "/sys/devices/system/memory";
const NODES: &str = "/sys/devices/system/node";

pub(super) struct MemoryBlocks {
    /// Size of each in bytes.
    pub(super) bytes: u64,
    blocks: BTreeMap<u32, BlockState>,
}

#[derive(Default, PartialEq)]
struct BlockState {
    online: Option<bool>,
    nodes: NodeSet,
}

impl MemoryBlocks {
    /// Reads the blocks; `None` without any.
    pub(super) fn read(source: &Source) -> Option<Self> {
        let bytes = source.text(&format!("{BLOCKS}/block_size_bytes"))?;
        let bytes = u64::from_str_radix(&bytes, 16).ok().filter(|&bytes| bytes > 0)?;
        let state = |number: u32| {
            let text = source.text(&format!("{BLOCKS}/memory{number}/state"));
            text.map(|state| state.starts_with("online"))
        };
        let numbers = source.numbered(BLOCKS, "memory");
        let block = |number| (number, BlockState { online: state(number), nodes: NodeSet::new() });
        let mut blocks: BTreeMap<u32, BlockState> = numbers.into_iter().map(block).collect();
        for node in source.numbered(NODES, "node") {
            for number in source.numbered(&format!("{NODES}/node{node}"), "memory") {
                blocks.entry(number).or_default().nodes.insert(NodeId(node));
            }
        }
        (!blocks.is_empty()).then_some(Self { bytes, blocks })
    }

    /// Spans of consecutive equal blocks. Blocks beyond the address space are skipped.
    pub(super) fn spans(&self) -> Vec<AddressSpan<SpanFact>> {
        let all: Vec<(&u32, &BlockState)> = self.blocks.iter().collect();
        let alike = all.chunk_by(|a, b| a.0.checked_add(1) == Some(*b.0) && a.1 == b.1);
        let span = |run: &[(&u32, &BlockState)]| {
            let (first, last) = (run.first()?, run.last()?);
            let fact =
                SpanFact::MemoryBlocks { online: first.1.online, nodes: first.1.nodes.clone() };
            let end = u64::from(*last.0).checked_add(1)?.checked_mul(self.bytes)?;
            AddressSpan::new(u64::from(*first.0).checked_mul(self.bytes)?, end - 1, fact)
        };
        alike.filter_map(span).collect()
    }
}
