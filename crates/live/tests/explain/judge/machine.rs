//! Drawn machines: their latencies are the truth, and a survey of them has noise.

use fastrand::Rng;
use nearfar_infer::normal;
use nearfar_live::explain::AccessCosts;
use nearfar_machine::Source;
use nearfar_machine::process::NodeSummaries;
use nearfar_model::NodeId;

/// CPUs of each node that has some.
pub(crate) const CPUS: u32 = 4;

/// A machine of 2 to 8 nodes.
pub(crate) struct DrawnMachine {
    pub(crate) family: &'static str,
    /// True latencies in ns, by the node of the CPUs and of the memory.
    pub(crate) ns: Vec<Vec<f64>>,
    pub(crate) has_cpus: Vec<bool>,
    pub(crate) has_memory: Vec<bool>,
    free_mib: Vec<u64>,
}

const FAMILIES: [&str; 9] = [
    "symmetric",
    "one direction",
    "own not nearest",
    "slow node",
    "nodes without CPUs",
    "nodes without memory",
    "uniform",
    "two packages",
    "any",
];

impl DrawnMachine {
    pub(crate) fn new(rng: &mut Rng) -> Self {
        let family = FAMILIES[rng.usize(..FAMILIES.len())];
        let count = rng.usize(2..9);
        let near = 60.0 + 90.0 * rng.f64();
        let far = near * (1.05 + 1.5 * rng.f64());
        let package = count.div_ceil(2);
        let mut ns: Vec<Vec<f64>> = (0..count)
            .map(|cpus| {
                let of = |memory: usize| match family {
                    "uniform" => near,
                    "any" => near * (0.7 + 2.0 * rng.f64()),
                    _ if cpus == memory => near,
                    "two packages" if cpus / package == memory / package => (near + far) / 2.0,
                    _ => far,
                };
                (0..count).map(of).collect()
            })
            .collect();
        let one = rng.usize(..count);
        let other = (one + 1) % count;
        match family {
            "one direction" => ns[one][other] *= 1.1 + rng.f64(),
            "own not nearest" => {
                (0..count).for_each(|node| ns[node][node] = far * (1.05 + 0.5 * rng.f64()));
            }
            "slow node" => ns.iter_mut().for_each(|row| row[one] *= 1.1 + rng.f64()),
            _ => {}
        }
        let mut has_cpus = vec![true; count];
        let mut has_memory = vec![true; count];
        match family {
            "nodes without CPUs" => {
                has_cpus[one] = false;
                let ratio = 0.8 + 1.5 * rng.f64();
                ns.iter_mut().for_each(|row| row[one] *= ratio);
            }
            "nodes without memory" if count > 2 => has_memory[one] = false,
            _ => {}
        }
        let free_mib = (0..count).map(|_| if rng.u8(..8) == 0 { 200 } else { 4096 }).collect();
        Self { family, ns, has_cpus, has_memory, free_mib }
    }

    pub(crate) fn nodes_with(&self, has: &[bool]) -> Vec<usize> {
        (0..has.len()).filter(|node| has[*node]).collect()
    }

    /// What the kernel shows.
    pub(crate) fn summaries(&self) -> NodeSummaries {
        let last = self.ns.len() - 1;
        let mut files = vec![("/sys/devices/system/node/online".to_owned(), format!("0-{last}"))];
        for node in 0..self.ns.len() {
            let folder = format!("/sys/devices/system/node/node{node}");
            let first = node as u32 * CPUS;
            let cpus = if self.has_cpus[node] {
                format!("{first}-{}", first + CPUS - 1)
            } else {
                String::new()
            };
            files.push((format!("{folder}/cpulist"), cpus));
            let total = if self.has_memory[node] { 8 << 20 } else { 0 };
            let free = if self.has_memory[node] { self.free_mib[node] << 10 } else { 0 };
            let sizes = format!("Node {node} MemTotal: {total} kB\nNode {node} MemFree: {free} kB");
            files.push((format!("{folder}/meminfo"), sizes));
        }
        NodeSummaries::read(&Source::from_files(files))
    }

    /// A survey's medians and intervals: the truth, and noise of up to 1 %.
    pub(crate) fn survey(&self, rng: &mut Rng) -> Survey {
        let error = 0.0005 + 0.005 * rng.f64();
        let mut measured = vec![vec![0.0; self.ns.len()]; self.ns.len()];
        for (cpus, row) in self.ns.iter().enumerate() {
            for (memory, ns) in row.iter().enumerate() {
                measured[cpus][memory] = ns * (normal(rng) * error).exp();
            }
        }
        Survey { measured, reach: (1.96 * error).exp() }
    }
}

pub(crate) struct Survey {
    pub(crate) measured: Vec<Vec<f64>>,
    /// The upper end of an interval over the median.
    pub(crate) reach: f64,
}

impl Survey {
    pub(crate) fn costs(&self, machine: &DrawnMachine) -> AccessCosts {
        let cpus = machine.nodes_with(&machine.has_cpus);
        let memory = machine.nodes_with(&machine.has_memory);
        let pairs = cpus.iter().flat_map(|cpu| memory.iter().map(move |other| (*cpu, *other)));
        AccessCosts::new(pairs.map(|(cpus, memory)| {
            let ns = self.measured[cpus][memory];
            let pair = (NodeId(cpus as u32), NodeId(memory as u32));
            (pair, ns, Some([ns / self.reach, ns * self.reach]))
        }))
    }
}
