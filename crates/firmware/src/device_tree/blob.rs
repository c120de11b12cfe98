//! The flattened shape: a header, a block of tokens, and a block of property names. All numbers are big-endian.

use super::MAGIC;
use super::node::{MOST_LEVELS, Nodes};
use crate::fault::{FaultKind, Faults};

const BEGIN_NODE: u32 = 1;
const END_NODE: u32 = 2;
const PROPERTY: u32 = 3;
const NOTHING: u32 = 4;
const END: u32 = 9;

/// Reads the nodes; none where the bytes are no flattened tree.
pub(super) fn read(blob: &[u8], faults: &mut Faults) -> Option<Nodes> {
    if !blob.starts_with(&MAGIC) {
        return None;
    }
    let mut nodes = Nodes::default();
    let total = number(blob, 4)? as usize;
    if total > blob.len() {
        faults.add(4, FaultKind::CutShort, || {
            format!("the tree says it has {total} bytes, and the file has {}", blob.len())
        });
    }
    let blob = &blob[..total.min(blob.len())];
    let (tokens_at, names_at) = (number(blob, 8)? as usize, number(blob, 12)? as usize);
    let names = blob.get(names_at..).unwrap_or_default();
    let mut walk = Walk { blob, names, at: tokens_at, open: Vec::new(), skipped: 0 };
    while let Some(step) = walk.step(&mut nodes, faults) {
        if step == END {
            return Some(nodes);
        }
    }
    let at = walk.at;
    faults.add(at, FaultKind::Damaged, || "the tree cannot be read from here on".to_owned());
    Some(nodes)
}

fn number(blob: &[u8], at: usize) -> Option<u32> {
    let four = blob.get(at..at.checked_add(4)?)?;
    Some(u32::from_be_bytes(four.try_into().ok()?))
}

/// A place in the block of tokens.
struct Walk<'a> {
    blob: &'a [u8],
    names: &'a [u8],
    at: usize,
    /// Indexes of the nodes that have begun and not ended.
    open: Vec<usize>,
    /// How many nodes below the deepest that is followed have begun and not ended.
    skipped: usize,
}

impl Walk<'_> {
    /// Reads one token and what belongs to it, and says which; none where that cannot be.
    fn step(&mut self, nodes: &mut Nodes, faults: &mut Faults) -> Option<u32> {
        let at = self.at;
        let token = number(self.blob, at)?;
        self.at = at + 4;
        let done = match token {
            BEGIN_NODE => self.begin(nodes, faults),
            END_NODE => self.end(),
            PROPERTY => self.property(nodes),
            NOTHING | END => Some(()),
            _ => None,
        };
        if done.is_none() {
            self.at = at;
        }
        done.map(|()| token)
    }

    fn begin(&mut self, nodes: &mut Nodes, faults: &mut Faults) -> Option<()> {
        let name = until_nul(self.blob.get(self.at..)?)?;
        let at = self.at;
        self.at = (at + name.len() + 1).next_multiple_of(4);
        if self.skipped > 0 || self.open.len() == MOST_LEVELS {
            self.skipped += 1;
            faults.add(at, FaultKind::Flood, || format!("nodes below level {MOST_LEVELS} are not read"));
            return Some(());
        }
        // A second root has no place.
        if self.open.is_empty() && !nodes.0.is_empty() {
            return None;
        }
        self.open.push(nodes.add(name, self.open.last().copied()));
        Some(())
    }

    fn end(&mut self) -> Option<()> {
        match self.skipped {
            0 => self.open.pop().map(|_| ()),
            _ => {
                self.skipped -= 1;
                Some(())
            }
        }
    }

    fn property(&mut self, nodes: &mut Nodes) -> Option<()> {
        let length = number(self.blob, self.at)? as usize;
        let name_at = number(self.blob, self.at + 4)? as usize;
        let value_at = self.at + 8;
        let end = value_at.checked_add(length)?;
        let value = self.blob.get(value_at..end)?;
        self.at = end.next_multiple_of(4);
        // Names are shared; only as much is looked at as the longest that matters has.
        let names = self.names.get(name_at..)?;
        let name = until_nul(&names[..names.len().min(32)]);
        if self.skipped == 0 {
            let node = nodes.0.get_mut(*self.open.last()?)?;
            node.add(name.unwrap_or_default(), value);
        }
        Some(())
    }
}

fn until_nul(bytes: &[u8]) -> Option<&[u8]> {
    bytes.iter().position(|&byte| byte == 0).map(|end| &bytes[..end])
}
