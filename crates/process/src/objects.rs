//! Objects: the parts of processes' memory that have a name or an address of their own.
//!
//! A file or shared memory is one object, whatever its names and however many processes map it:
//! its pages belong to the first process that maps them. Heaps, stacks and named mappings are one
//! object each over all processes. Other anonymous mappings are objects by their addresses if they
//! are large, and one together if they are small.

mod moving;
mod reading;
mod selecting;
#[cfg(test)]
mod tests;
mod used;

use std::cmp::Reverse;

use nearfar_model::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use moving::{MovedObject, OBJECT_MOVE_SCHEMA, ObjectMoveDocument, move_object};
pub use reading::MovableMemory;
pub use used::{UsedMemory, mark_unused};

/// A share of all memory; smaller objects are one together.
const SMALL: f64 = 0.005;
/// Ranges begin at multiples of this, so that no huge page is split.
const ALIGNED: u64 = 2 << 20;

/// What an object is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum ObjectKind {
    /// The heap that brk(2) grows.
    Heap,
    /// Stacks of first threads.
    Stack,
    /// A mapped file.
    File,
    /// Shared memory: System V, `/dev/shm`, memfd.
    Shared,
    /// Mappings that the program has named (`PR_SET_VMA_ANON_NAME`).
    Named,
    /// An anonymous mapping; its name is its addresses.
    Anonymous,
    /// Small anonymous mappings together.
    SmallAnonymous,
    /// A part of another object; its name is its addresses.
    Range,
    /// All smaller objects together.
    Rest,
    /// No memory: a thread, whose CPUs are near or far.
    Thread,
}

/// A part of an object: addresses of a process.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub struct ObjectPart {
    /// The process.
    pub pid: u32,
    /// Its first address.
    pub start: u64,
    /// The first address after it.
    pub end: u64,
}

/// An object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MemoryObject {
    /// Its name: of a file its path, of a mapping `[heap]`, `[anon:NAME]` or its addresses.
    pub name: String,
    /// What it is.
    pub kind: ObjectKind,
    /// Its memory.
    #[schemars(with = "u64")]
    pub bytes: Bytes,
    /// Where it is mapped, each page once; of a thread its process, without addresses.
    pub parts: Vec<ObjectPart>,
}

/// Why an object does not move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WhyUnmovable {
    /// Pages of a pool of huge pages (hugetlbfs).
    HugePool,
    /// Processes outside of the target map it, too.
    SharedOutside,
    /// Several processes map it: only root moves it.
    SharedWithin,
    /// It is locked in memory (mlock), and moving causes page faults.
    Locked,
    /// The kernel did not move it: it is pinned, or its node is full.
    Stayed,
    /// A thread beyond those that can be measured beside each other.
    TooMany,
    /// A thread whose cpuset or whose node's CPUs exclude one of both nodes.
    Confined,
}

/// An object that does not move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct UnmovableObject {
    /// Its name.
    pub name: String,
    /// Its memory.
    #[schemars(with = "u64")]
    pub bytes: Bytes,
    /// Why it does not move.
    pub why: WhyUnmovable,
}

/// The objects of processes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessObjects {
    /// Those that may move, by address.
    pub movable: Vec<MemoryObject>,
    /// Those that do not, the largest first.
    pub unmovable: Vec<UnmovableObject>,
}

impl ProcessObjects {
    /// The largest ones, and the small ones together, so that there are at most this many; by
    /// address.
    pub fn at_most(mut self, most: usize) -> Self {
        let all: Bytes = self.movable.iter().map(|object| object.bytes).sum();
        let least = (SMALL * all.0 as f64) as u64;
        self.movable.sort_by_key(|object| Reverse(object.bytes));
        let mut large = self.movable.iter().take_while(|object| object.bytes.0 >= least).count();
        if large > most || large < self.movable.len() {
            large = large.min(most.saturating_sub(1));
        }
        let small = self.movable.split_off(large);
        if !small.is_empty() {
            self.movable.push(MemoryObject::together("everything else".to_owned(), small));
        }
        self.movable.sort_by_key(|object| (object.kind == ObjectKind::Rest, object.first()));
        self
    }
}

impl MemoryObject {
    /// Several as one.
    fn together(name: String, objects: Vec<Self>) -> Self {
        let bytes = objects.iter().map(|object| object.bytes).sum();
        let mut parts: Vec<ObjectPart> =
            objects.into_iter().flat_map(|object| object.parts).collect();
        parts.sort_unstable();
        Self { name, kind: ObjectKind::Rest, bytes, parts }
    }

    fn first(&self) -> Option<ObjectPart> {
        self.parts.first().copied()
    }

    fn extent(&self) -> u64 {
        self.parts.iter().map(|part| part.end - part.start).sum()
    }
}

/// "7f0000000000-7f0040000000"; of several parts the first and the last address.
fn addresses(parts: &[ObjectPart]) -> String {
    let (first, last) = (parts.first(), parts.last());
    format!("{:x}-{:x}", first.map_or(0, |part| part.start), last.map_or(0, |part| part.end))
}

/// An object in ranges of about equal size, by address.
pub fn cut_object(object: &MemoryObject, ranges: u64) -> Vec<MemoryObject> {
    let extent = object.extent();
    let step = (extent / ranges.max(1)).next_multiple_of(ALIGNED);
    let mut cut: Vec<MemoryObject> = Vec::new();
    let mut taken = 0;
    for part in &object.parts {
        let mut start = part.start;
        while start < part.end {
            let at = (taken / step) as usize;
            let left = (at as u64 + 1) * step - taken;
            // A part's own addresses are aligned, too, wherever it begins.
            let aligned = (start + left) / ALIGNED * ALIGNED;
            let end = if aligned > start { aligned } else { start + left }.min(part.end);
            if cut.len() <= at {
                let name = String::new();
                let kind = ObjectKind::Range;
                cut.resize_with(at + 1, || MemoryObject {
                    name: name.clone(),
                    kind,
                    bytes: Bytes(0),
                    parts: Vec::new(),
                });
            }
            let bytes = object.bytes.0 as f64 * (end - start) as f64 / extent as f64;
            cut[at].bytes = cut[at].bytes + Bytes(bytes as u64);
            cut[at].parts.push(ObjectPart { start, end, ..*part });
            taken += end - start;
            start = end;
        }
    }
    cut.retain(|range| !range.parts.is_empty());
    for range in &mut cut {
        range.name = addresses(&range.parts);
    }
    cut
}
