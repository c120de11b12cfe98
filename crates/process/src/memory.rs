//! A process's memory: its mappings by node, beside its threads.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use nearfar_machine::process::{MapsEntry, NodeSummaries, NumaPolicy};
use nearfar_machine::{PageSizes, Process, Source};
use nearfar_model::{Bytes, NodeSet};

use crate::by_node::BytesByNode;
use crate::error::ProcessError;
use crate::kind::MappingKind;
use crate::mapping::{FileId, FileRange, MappingMemory};
use crate::threads::Threads;

/// A process at one moment. Mappings and threads are read one after the other, so a busy process
/// may change in between.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessMemory {
    /// Its number.
    pub pid: u32,
    /// Its short name.
    pub name: String,
    /// Its command line, the arguments separated by blanks.
    pub command: String,
    /// Its mappings, by address.
    pub mappings: Vec<MappingMemory>,
    /// Its threads.
    pub threads: Threads,
    /// Nodes that its cpuset allows; `None` if the kernel does not report them.
    pub allowed_nodes: Option<NodeSet>,
    /// Its swapped-out memory, which is on no node.
    pub swapped: Option<Bytes>,
    /// The machine's nodes.
    pub around: NodeSummaries,
    /// Input that could not be parsed and was skipped, a line each.
    pub oddities: Vec<String>,
}

/// The mappings with a property in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subtotal<T> {
    /// The property: a kind, a policy.
    pub of: T,
    /// Number of mappings.
    pub mappings: usize,
    /// Their pages.
    pub by_node: BytesByNode,
}

impl ProcessMemory {
    /// Reads a process. Fails if it has ended, belongs to another user, or has no memory.
    pub fn read(source: &Source, pid: u32) -> Result<Self, ProcessError> {
        Ok(Self::read_timed(source, pid)?.0)
    }

    /// As [`read`](Self::read), with the time that reading `numa_maps` took. The kernel holds the
    /// process's mapping lock for nearly all of it: mmap and munmap of the process wait.
    pub fn read_timed(source: &Source, pid: u32) -> Result<(Self, Duration), ProcessError> {
        let process = Process::find(source, pid)?;
        let around = NodeSummaries::read(source);
        let began = Instant::now();
        let maps = process.numa_maps()?;
        let held = began.elapsed();
        if maps.mappings.is_empty() {
            return Err(without_memory(&process));
        }
        // A user who may read numa_maps may read maps. If the process has just ended, mappings stay
        // without ends.
        let (ranges, odd_ranges) = process.maps().unwrap_or_default();
        let sizes = PageSizes::read(source);
        let mappings = maps.mappings.into_iter().map(|mapping| {
            let range = range_of(&ranges, mapping.start);
            MappingMemory::new(mapping, range, sizes)
        });
        let mut mappings: Vec<MappingMemory> = mappings.collect();
        mark_programs(&mut mappings, &ranges);
        let mut memory = Self {
            pid,
            name: process.name().unwrap_or_else(|| "?".to_owned()),
            command: process.command().join(" "),
            mappings,
            threads: Threads::read(&process, &around),
            allowed_nodes: None,
            swapped: None,
            around,
            oddities: oddities(pid, maps.odd_lines, odd_ranges),
        };
        if let Ok(status) = process.status() {
            (memory.allowed_nodes, memory.swapped) = (status.nodes, status.swapped);
        }
        Ok((memory, held))
    }

    /// All its memory.
    pub fn by_node(&self) -> BytesByNode {
        self.subtotal((), |_| true).by_node
    }

    /// The memory that its placement decides on: without programs and libraries, which are where
    /// the first of all processes read them, and without memory of GPUs.
    pub fn own_by_node(&self) -> BytesByNode {
        let of_gpus = self.around.of_gpus();
        let own = self.subtotal((), |mapping| !mapping.is_program).by_node;
        own.iter().filter(|(node, _)| !of_gpus.contains(*node)).collect()
    }

    /// The sum of the mappings with a property.
    fn subtotal<T>(&self, of: T, has: impl Fn(&MappingMemory) -> bool) -> Subtotal<T> {
        let mappings: Vec<&MappingMemory> =
            self.mappings.iter().filter(|mapping| has(mapping)).collect();
        let by_node = mappings.iter().flat_map(|mapping| mapping.by_node.iter()).collect();
        Subtotal { of, mappings: mappings.len(), by_node }
    }

    /// The share of its memory that is remote to its threads: see [`Threads::remote_share`].
    pub fn remote_share(&self) -> Option<f64> {
        self.threads.remote_share(&self.by_node())
    }

    /// Memory by kind of mapping, in the order of [`MappingKind::ALL`]; only kinds with mappings.
    pub fn kinds(&self) -> Vec<Subtotal<MappingKind>> {
        let kinds =
            MappingKind::ALL.map(|kind| self.subtotal(kind, |mapping| mapping.kind == kind));
        kinds.into_iter().filter(|subtotal| subtotal.mappings > 0).collect()
    }

    /// Memory by policy, the largest first. Mappings without pages count, too.
    pub fn policies(&self) -> Vec<Subtotal<NumaPolicy>> {
        let mut policies: Vec<Subtotal<NumaPolicy>> = Vec::new();
        for MappingMemory { policy, .. } in &self.mappings {
            if policies.iter().all(|known| known.of != *policy) {
                policies.push(self.subtotal(policy.clone(), |mapping| mapping.policy == *policy));
            }
        }
        policies.sort_by_key(|policy| Reverse(policy.by_node.total()));
        policies
    }

    /// Mappings with pages, the largest first, equal ones by address.
    pub fn largest(&self) -> Vec<&MappingMemory> {
        let with_pages = self.mappings.iter().filter(|mapping| mapping.by_node.total().0 > 0);
        let mut mappings: Vec<&MappingMemory> = with_pages.collect();
        mappings.sort_by_cached_key(|mapping| (Reverse(mapping.by_node.total()), mapping.start));
        mappings
    }
}

/// The range that starts at this address; ranges are in ascending order.
fn range_of(ranges: &[MapsEntry], start: u64) -> Option<&MapsEntry> {
    ranges.binary_search_by_key(&start, |range| range.start).ok().map(|at| &ranges[at])
}

/// Marks the mappings of files that may be executed, wholly or in part.
fn mark_programs(mappings: &mut [MappingMemory], ranges: &[MapsEntry]) {
    let programs: BTreeSet<FileId> = ranges
        .iter()
        .filter(|range| range.executable)
        .filter_map(|range| Some(FileRange::new(range)?.id))
        .collect();
    for mapping in mappings {
        mapping.is_program = mapping.file.as_ref().is_some_and(|file| programs.contains(&file.id));
    }
}

/// A process without mappings is a kernel thread, a zombie, or has just ended.
pub(crate) fn without_memory(process: &Process<'_>) -> ProcessError {
    let pid = process.pid;
    match process.stat() {
        Ok(stat) if stat.has_ended => ProcessError::Zombie { pid, name: stat.name },
        Ok(stat) if process.command().is_empty() => {
            ProcessError::KernelThread { pid, name: stat.name }
        }
        Ok(_) => nearfar_machine::MachineError::ProcessEnded { pid }.into(),
        Err(error) => error.into(),
    }
}

fn oddities(pid: u32, numa_lines: usize, range_lines: usize) -> Vec<String> {
    let files = [("numa_maps", numa_lines), ("maps", range_lines)];
    let odd = files.into_iter().filter(|(_, lines)| *lines > 0);
    odd.map(|(file, lines)| {
        format!("{file} of process {pid}: {lines} lines cannot be parsed and are skipped")
    })
    .collect()
}

#[cfg(test)]
mod tests;
