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
        let none = Groups::new();
        let groups = |name: &str| self.columns.get(name).unwrap_or(&none);
        for (node, cpus) in groups("node") {
            files.node(NodeId(*node), cpus, None);
        }
        for (id, all) in groups("core") {
            // Firmware's numbers (lscpu -y) begin again in each package.
            let in_package = groups("socket").values().map(|cpus| cpus.intersection(all));
            let is_split = in_package.clone().any(|cpus| !cpus.is_empty() && cpus != *all);
            let cores = if is_split { in_package.collect() } else { vec![all.clone()] };
            for cpus in cores {
                topology(files, &cpus, &[("core_id", id.to_string())], "core_cpus_list");
            }
        }
        for (id, cpus) in groups("socket") {
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
            for cpus in groups(name).values() {
                shared_cache(files, cpus, level, kind);
            }
        }
        true
    }
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
