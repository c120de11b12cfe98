//! A process's memory: its mappings, its threads, and how the two lie to one another.

use std::cmp::Reverse;
use std::time::{Duration, Instant};

use nearfar_machine::process::{AddressRange, Neighbourhood, NumaPolicy};
use nearfar_machine::{PageSizes, Process, Source};
use nearfar_model::{Bytes, NodeSet};

use crate::by_node::ByNode;
use crate::error::ProcessError;
use crate::kind::Kind;
use crate::mapping::MappingMemory;
use crate::threads::Threads;

/// A process as it was at one moment; mappings and threads are read one after the other, and a busy
/// process changes between.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessMemory {
    /// Its number.
    pub pid: u32,
    /// Its short name.
    pub name: String,
    /// The words it was started with, a blank between.
    pub command: String,
    /// Its mappings, by address.
    pub mappings: Vec<MappingMemory>,
    /// Its threads.
    pub threads: Threads,
    /// Nodes that its cpuset lets it have memory from; none where the kernel does not tell.
    pub allowed_nodes: Option<NodeSet>,
    /// What of it is swapped out, and on no node.
    pub swapped: Option<Bytes>,
    /// The machine's nodes.
    pub around: Neighbourhood,
    /// What made no sense and was left out, one line each.
    pub oddities: Vec<String>,
}

/// Memory that has something in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subtotal<T> {
    /// What it has in common: a kind, a policy.
    pub of: T,
    /// How many mappings.
    pub mappings: usize,
    /// Their pages.
    pub by_node: ByNode,
}

impl ProcessMemory {
    /// Looks at a process. Fails when it is gone, is another user's, or has no memory of its own.
    pub fn read(source: &Source, pid: u32) -> Result<Self, ProcessError> {
        Ok(Self::read_timed(source, pid)?.0)
    }

    /// The same, and how long reading the pages by mapping took. Nearly all of that is the
    /// kernel's, which holds the mappings meanwhile: a program that maps or unmaps memory waits.
    pub fn read_timed(source: &Source, pid: u32) -> Result<(Self, Duration), ProcessError> {
        let process = Process::find(source, pid)?;
        let around = Neighbourhood::read(source);
        let began = Instant::now();
        let maps = process.numa_maps()?;
        let held = began.elapsed();
        if maps.mappings.is_empty() {
            return Err(without_memory(&process));
        }
        // A process that may be looked at tells its maps too; when it has just ended, mappings stay
        // without ends.
        let (ranges, odd_ranges) = process.maps().unwrap_or_default();
        let sizes = PageSizes::read(source);
        let mappings = maps.mappings.into_iter().map(|mapping| {
            let range = range_of(&ranges, mapping.start);
            MappingMemory::of(mapping, range, sizes)
        });
        let mut memory = Self {
            pid,
            name: process.name().unwrap_or_else(|| "?".to_owned()),
            command: process.command().join(" "),
            mappings: mappings.collect(),
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

    /// All pages.
    pub fn by_node(&self) -> ByNode {
        self.subtotal((), |_| true).by_node
    }

    /// The mappings that have something in common.
    fn subtotal<T>(&self, of: T, has: impl Fn(&MappingMemory) -> bool) -> Subtotal<T> {
        let mappings: Vec<&MappingMemory> =
            self.mappings.iter().filter(|mapping| has(mapping)).collect();
        let by_node = mappings.iter().flat_map(|mapping| mapping.by_node.iter()).collect();
        Subtotal { of, mappings: mappings.len(), by_node }
    }

    /// The share of all pages that is remote to the threads: see [`Threads::remote_share`].
    pub fn remote_share(&self) -> Option<f64> {
        self.threads.remote_share(&self.by_node())
    }

    /// Pages by kind of mapping, in the order of [`Kind::ALL`]; kinds without a mapping are left
    /// out.
    pub fn kinds(&self) -> Vec<Subtotal<Kind>> {
        let kinds = Kind::ALL.map(|kind| self.subtotal(kind, |mapping| mapping.kind == kind));
        kinds.into_iter().filter(|subtotal| subtotal.mappings > 0).collect()
    }

    /// Pages by policy, the one with most memory first. Mappings without any page count as well.
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

/// The range that starts here; ranges stand by address.
fn range_of(ranges: &[AddressRange], start: u64) -> Option<&AddressRange> {
    ranges.binary_search_by_key(&start, |range| range.start).ok().map(|at| &ranges[at])
}

/// A process without a mapping is the kernel's own, a zombie, or just gone.
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
        format!("{file} of process {pid}: {lines} lines make no sense and are left out")
    })
    .collect()
}

#[cfg(test)]
mod tests;
