//! The machine's CPUs, by core.

use nearfar_machine::Topology;
use nearfar_model::{CpuId, CpuSet};

/// Online CPUs and their cores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuLayout {
    /// The CPUs of each core, neighbours next to each other.
    pub cores: Vec<CpuSet>,
    /// CPUs that the command line isolates from other work.
    pub isolated: CpuSet,
}

impl CpuLayout {
    /// The CPUs that a machine reports.
    pub fn new(topology: &Topology) -> Self {
        let mut cores = Vec::new();
        let mut listed = CpuSet::new();
        for cpu in topology.cpus.iter().filter(|cpu| cpu.online) {
            if listed.contains(cpu.id) {
                continue;
            }
            let mut core = CpuSet::from_id(cpu.id);
            core.extend(cpu.siblings.iter());
            let core = core.intersection(&topology.online()).difference(&listed);
            listed.extend(core.iter());
            cores.push(core);
        }
        let isolated = topology.cpus.iter().filter(|cpu| cpu.isolated).map(|cpu| cpu.id).collect();
        Self { cores, isolated }
    }

    /// All online CPUs.
    pub fn online(&self) -> CpuSet {
        self.cores.iter().flat_map(CpuSet::iter).collect()
    }

    /// Online CPUs without isolated ones, unless all are isolated.
    pub fn usable(&self, cpus: &CpuSet) -> CpuSet {
        let online = cpus.intersection(&self.online());
        let usable = online.difference(&self.isolated);
        if usable.is_empty() { online } else { usable }
    }

    /// CPUs, threads of a core next to each other.
    pub(crate) fn by_core(&self, cpus: &CpuSet) -> Vec<CpuId> {
        self.cores
            .iter()
            .flat_map(|core| core.intersection(cpus).iter().collect::<Vec<_>>())
            .collect()
    }

    /// CPUs, a thread of each core first.
    pub(crate) fn cores_first(&self, cpus: &CpuSet) -> Vec<CpuId> {
        let cores: Vec<Vec<CpuId>> = self
            .cores
            .iter()
            .map(|core| core.intersection(cpus).iter().collect::<Vec<_>>())
            .collect();
        let most = cores.iter().map(Vec::len).max().unwrap_or(0);
        (0..most)
            .flat_map(|at| cores.iter().filter_map(move |core| core.get(at).copied()))
            .collect()
    }
}
