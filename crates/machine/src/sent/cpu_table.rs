//! `lscpu -p` and `lscpu -e`: a line for each CPU, with the numbers of its core, package, node and
//! caches.
//!
//! # References
//!
//! lscpu(1)

use std::collections::BTreeMap;

use nearfar_model::{CpuId, CpuSet, MAX_ID, NodeId};

use crate::source::{MachineFiles, SYSTEM};

const CPU_COLUMN: &str = "cpu";

/// "# CPU,Core,Socket,Node,,L1d,L1i,L2,L3"
pub(super) fn begins_commas(line: &str) -> bool {
    line.starts_with("# CPU,") || line.starts_with("# cpu,")
}

/// "CPU NODE SOCKET CORE L1d:L1i:L2:L3 ONLINE"
pub(super) fn begins(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.next() == Some("CPU") && words.any(|word| matches!(word, "NODE" | "SOCKET" | "CORE"))
}

/// Reads `lscpu -p`.
pub(super) fn read_commas(text: &str, files: &mut MachineFiles) -> bool {
    let mut lines = text.lines().map(str::trim);
    let head = lines.next().unwrap_or_default().trim_start_matches(['#', ' ']);
    // An empty column stands between CPUs and caches; older rows end without their last cells.
    let columns: Vec<&str> = head.split(',').collect();
    let mut table = CpuTable::default();
    for line in lines.take_while(|line| line.starts_with(|c: char| c.is_ascii_digit())) {
        table.add(columns.iter().copied().zip(line.split(',')));
    }
    table.put(files)
}

/// Reads `lscpu -e`.
pub(super) fn read(text: &str, files: &mut MachineFiles) -> bool {
    let mut lines = text.lines().map(str::trim);
    let columns: Vec<&str> = lines.next().unwrap_or_default().split_whitespace().collect();
    let mut table = CpuTable::default();
    for line in lines.take_while(|line| line.starts_with(|c: char| c.is_ascii_digit())) {
        table.add(columns.iter().copied().zip(line.split_whitespace()));
    }
    table.put(files)
}

/// The CPUs of each number of a column.
type Groups = BTreeMap<u32, CpuSet>;

/// The columns of all CPUs that are online.
#[derive(Default)]
pub(super) struct CpuTable {
    cpus: CpuSet,
    columns: BTreeMap<String, Groups>,
}

impl CpuTable {
    /// Adds a CPU by the names and cells of its line.
    pub(super) fn add<'w>(&mut self, cells: impl Iterator<Item = (&'w str, &'w str)>) {
        let mut numbers = Vec::new();
        let (mut cpu, mut is_online) = (None, true);
        for (name, cell) in cells {
            let name = name.to_ascii_lowercase();
            // "L1d:L1i:L2:L3" is one column with all caches.
            for (name, cell) in name.split(':').zip(cell.split(':')) {
                let number = cell.parse::<u32>().ok().filter(|&number| number <= MAX_ID);
                match (name, number) {
                    (CPU_COLUMN, number) => cpu = number.map(CpuId),
                    ("online", _) => is_online = !matches!(cell, "no" | "N" | "0"),
                    (name, Some(number)) => numbers.push((name.to_owned(), number)),
                    _ => {}
                }
            }
        }
        let Some(cpu) = cpu.filter(|_| is_online) else { return };
        self.cpus.insert(cpu);
        for (name, number) in numbers {
            self.columns.entry(name).or_default().entry(number).or_default().insert(cpu);
        }
    }

    /// Puts what the columns have.
    pub(super) fn put(&self, files: &mut MachineFiles) -> bool {
        if self.cpus.is_empty() || self.columns.is_empty() {
            return false;
        }
        files.cpus = self.cpus.clone();
        for (node, cpus) in self.groups("node") {
            files.node(NodeId(*node), cpus, None);
        }
        for (id, cpus) in self.cores() {
            topology(files, &cpus, &[("core_id", id.to_string())], "core_cpus_list");
        }
        for (id, cpus) in self.groups("socket") {
            let names = [("physical_package_id", id.to_string())];
            topology(files, cpus, &names, "package_cpus_list");
        }
        let caches = [
            ("l1d", 1, "Data"),
            ("l1i", 1, "Instruction"),
            ("l2", 2, "Unified"),
            ("l3", 3, "Unified"),
        ];
        for (name, level, kind) in caches {
            for (_, cpus) in self.caches(name) {
                shared_cache(files, &cpus, level, kind);
            }
        }
        true
    }

    fn groups(&self, name: &str) -> &Groups {
        static NONE: Groups = Groups::new();
        self.columns.get(name).unwrap_or(&NONE)
    }

    fn numbers(&self, name: &str) -> BTreeMap<CpuId, u32> {
        let groups = self.groups(name).iter();
        groups.flat_map(|(id, cpus)| cpus.iter().map(|cpu| (cpu, *id))).collect()
    }

    /// The cores. Hardware's numbers (`lscpu -y`) restart in each socket, and in clusters: of CPUs
    /// with one number only those that share an L1 are a core. Without it, numbers that restart
    /// within a socket show none.
    fn cores(&self) -> Vec<(u32, CpuSet)> {
        let cores = owned(self.groups("core"));
        let by_socket = split(&cores, &self.numbers("socket"));
        if counts_up(&cores) && by_socket.len() == cores.len() {
            return cores;
        }
        let by_node = split(&by_socket, &self.numbers("node"));
        match self.numbers("l1d") {
            none if none.is_empty() && by_node.len() > by_socket.len() => Vec::new(),
            l1d => split(&by_socket, &l1d),
        }
    }

    /// The caches of a column. Sockets share no L1: where its numbers restart in each socket, as in
    /// old releases, those of all caches do.
    fn caches(&self, name: &str) -> Vec<(u32, CpuSet)> {
        let (caches, l1d) = (owned(self.groups(name)), owned(self.groups("l1d")));
        let sockets = self.numbers("socket");
        let restart = split(&l1d, &sockets).len() > l1d.len();
        if restart { split(&caches, &sockets) } else { caches }
    }
}

fn owned(groups: &Groups) -> Vec<(u32, CpuSet)> {
    groups.iter().map(|(id, cpus)| (*id, cpus.clone())).collect()
}

/// Whether the numbers are those of `lscpu`, which counts in the order of CPUs.
fn counts_up(groups: &[(u32, CpuSet)]) -> bool {
    groups.iter().map(|(id, _)| *id).eq((0..).take(groups.len()))
        && groups.is_sorted_by_key(|(_, cpus)| cpus.first())
}

/// The groups in parts with one number each.
fn split(groups: &[(u32, CpuSet)], numbers: &BTreeMap<CpuId, u32>) -> Vec<(u32, CpuSet)> {
    let mut parts = Vec::new();
    for (id, cpus) in groups {
        let mut by_number: BTreeMap<Option<&u32>, CpuSet> = BTreeMap::new();
        for cpu in cpus.iter() {
            by_number.entry(numbers.get(&cpu)).or_default().insert(cpu);
        }
        parts.extend(by_number.into_values().map(|part| (*id, part)));
    }
    parts
}

/// Puts a part of a package for its CPUs.
pub(super) fn topology(
    files: &mut MachineFiles,
    cpus: &CpuSet,
    ids: &[(&str, String)],
    list: &str,
) {
    let shared = cpus.to_string();
    for cpu in cpus.iter() {
        let folder = format!("{SYSTEM}/cpu/cpu{cpu}/topology");
        ids.iter().for_each(|(name, id)| files.put(&format!("{folder}/{name}"), id));
        files.put(&format!("{folder}/{list}"), &shared);
    }
}

/// Puts a cache for the CPUs that share it; returns its folders.
pub(super) fn shared_cache(
    files: &mut MachineFiles,
    cpus: &CpuSet,
    level: u32,
    kind: &str,
) -> Vec<String> {
    let shared = cpus.to_string();
    let mut folders = Vec::new();
    for cpu in cpus.iter() {
        if files.is_full() {
            break;
        }
        let folder = files.cache(cpu, level, kind);
        files.put(&format!("{folder}/shared_cpu_list"), &shared);
        folders.push(folder);
    }
    folders
}
