//! Core-to-core matrices of chips with known packages, from published figures.
//!
//! Sizes are from data sheets, costs are rounded medians of matrices of core-to-core-latency and
//! core-to-core-latency-plus.

use fastrand::Rng;
use nearfar_infer::core_to_core::{HandoffCost, PairCost};

/// A machine of chips.
#[derive(Clone, Copy, Debug)]
pub struct Chips {
    /// Its name.
    pub name: &'static str,
    /// Number of packages.
    pub packages: usize,
    /// Dies or packages, each with the cores of its clusters.
    pub dies: &'static [&'static [usize]],
    /// Costs of a line within a cluster, within a die, and beyond, in nanoseconds.
    pub ns: [f64; 3],
    /// CPUs of a core.
    pub threads: usize,
}

/// Cost between the CPUs of one core, in nanoseconds.
const CORE_NS: f64 = 7.0;

const fn chips(
    name: &'static str,
    packages: usize,
    dies: &'static [&'static [usize]],
    ns: [f64; 3],
    threads: usize,
) -> Chips {
    Chips { name, packages, dies, ns, threads }
}

/// Single packages, most with clusters, modules or dies as far apart as packages are.
pub const SINGLE: [Chips; 22] = [
    chips("AMD FX-8300", 1, &[&[2; 4]], [43.0, 300.0, 300.0], 1),
    chips("AMD Ryzen 5 2600", 1, &[&[3; 2]], [31.0, 78.0, 78.0], 2),
    chips("AMD Ryzen 5 3500X", 1, &[&[3; 2]], [52.0, 132.0, 132.0], 1),
    chips("AMD Ryzen 9 3900X", 1, &[&[3; 4]], [43.0, 88.0, 88.0], 2),
    chips("AMD Ryzen 9 5950X", 1, &[&[8; 2]], [18.0, 85.0, 85.0], 2),
    chips("AMD Ryzen 9 9950X", 1, &[&[8; 2]], [20.0, 207.0, 207.0], 2),
    chips("AMD Threadripper 1950X", 1, &[&[4; 2], &[4; 2]], [28.0, 92.0, 153.0], 2),
    chips("AMD Threadripper 3960X", 1, &[&[3; 8]], [24.0, 95.0, 95.0], 2),
    chips("AMD EPYC 74F3", 1, &[&[3; 8]], [23.0, 99.0, 99.0], 2),
    chips("AMD EPYC 7773X", 1, &[&[8; 8]], [29.0, 115.0, 115.0], 2),
    chips("Apple M1 Pro", 1, &[&[2, 3, 3]], [41.0, 147.0, 147.0], 1),
    chips("Apple M2 Max", 1, &[&[4; 2]], [46.0, 175.0, 175.0], 1),
    chips("NXP LX2160A", 1, &[&[2; 8]], [60.0, 258.0, 258.0], 1),
    chips("Phytium D2000", 1, &[&[2; 4]], [59.0, 212.0, 212.0], 1),
    chips("SpacemiT K1", 1, &[&[4; 2]], [32.6, 85.4, 85.4], 1),
    chips("Kunpeng 920-6426", 1, &[&[4; 8], &[4; 8]], [33.5, 36.5, 82.0], 1),
    chips("Intel Xeon Phi 7210", 1, &[&[2; 32]], [41.0, 91.0, 91.0], 1),
    chips("Intel Xeon W9-3475X", 1, &[&[36]], [55.0, 55.0, 55.0], 1),
    chips("Intel Xeon W-2150B", 1, &[&[10]], [42.0, 42.0, 42.0], 2),
    chips("AWS Graviton2", 1, &[&[64]], [47.0, 47.0, 47.0], 1),
    chips("Loongson 3A6000", 1, &[&[2; 4]], [31.9, 38.6, 38.6], 1),
    // Not published: the shape of hybrid chips, with costs of Apple's.
    chips(
        "two clusters of 6 large cores, one of 4 small",
        1,
        &[&[6, 6, 4]],
        [45.0, 175.0, 175.0],
        1,
    ),
];

/// Two packages each.
pub const DUAL: [Chips; 15] = [
    chips("Intel Xeon X5650", 2, &[&[6], &[6]], [37.0, 37.0, 73.0], 2),
    chips("Intel Xeon E5-2620 v2", 2, &[&[6], &[6]], [49.0, 49.0, 140.0], 2),
    chips("Intel Xeon E5-2690", 2, &[&[8], &[8]], [32.0, 32.0, 112.0], 2),
    chips("Sun-Oracle SPARC T4", 2, &[&[8], &[8]], [98.0, 98.0, 356.0], 1),
    chips("IBM Power7", 2, &[&[8], &[8]], [170.0, 170.0, 440.0], 1),
    chips("Intel Xeon E5-2630 v4", 2, &[&[10], &[10]], [40.0, 40.0, 116.0], 2),
    chips("Intel Xeon E5-2680 v4", 2, &[&[14], &[14]], [45.0, 45.0, 126.0], 2),
    chips("Intel Xeon E5-2698 v3", 2, &[&[16], &[16]], [55.0, 55.0, 130.0], 2),
    chips("Intel Xeon Gold 6242", 2, &[&[16], &[16]], [47.0, 47.0, 141.0], 2),
    chips("Intel Xeon E5-2695 v4", 2, &[&[18], &[18]], [45.0, 45.0, 128.0], 1),
    chips("Intel Xeon Gold 6336Y", 2, &[&[24], &[24]], [48.0, 48.0, 106.0], 2),
    chips("Intel Xeon Platinum 8275CL", 2, &[&[24], &[24]], [47.0, 47.0, 133.0], 2),
    chips("Intel Xeon Platinum 8358", 2, &[&[32], &[32]], [51.0, 51.0, 109.0], 1),
    chips("Intel Xeon Platinum 8375C", 2, &[&[32], &[32]], [52.0, 52.0, 108.0], 2),
    chips("AMD EPYC 7763", 2, &[&[8; 8], &[8; 8]], [26.0, 115.0, 302.0], 2),
];

impl Chips {
    /// Number of CPUs.
    pub fn cpus(&self) -> usize {
        self.cores() * self.threads
    }

    fn cores(&self) -> usize {
        self.dies.iter().flat_map(|clusters| clusters.iter()).sum()
    }

    /// The die and the cluster of a CPU. CPUs count cores first and threads second.
    fn place(&self, cpu: usize) -> (usize, usize) {
        let core = cpu % self.cores();
        let mut first = 0;
        for (die, clusters) in self.dies.iter().enumerate() {
            for (cluster, cores) in clusters.iter().enumerate() {
                first += cores;
                if core < first {
                    return (die, cluster);
                }
            }
        }
        (self.dies.len(), 0)
    }

    /// Costs of all pairs, each with a log-normal error of this size (0.02 for 2 %); one in twenty
    /// has an extra error of a tenth on average.
    pub fn matrix(&self, error: f64, rng: &mut Rng) -> Vec<PairCost> {
        let places: Vec<(usize, usize)> = (0..self.cpus()).map(|cpu| self.place(cpu)).collect();
        let mut costs = Vec::new();
        for (a, b) in (0..self.cpus()).flat_map(|b| (0..b).map(move |a| (a, b))) {
            let ns = if a % self.cores() == b % self.cores() {
                CORE_NS
            } else if places[a] == places[b] {
                self.ns[0]
            } else if places[a].0 == places[b].0 {
                self.ns[1]
            } else {
                self.ns[2]
            };
            let tail = if rng.usize(..20) == 0 { -0.1 * (1.0 - rng.f64()).ln() } else { 0.0 };
            let median_ns = ns * (error * nearfar_infer::normal(rng) + tail).exp();
            costs
                .push(PairCost { cpus: (a, b), cost: HandoffCost { median_ns, relative_se: 0.0 } });
        }
        costs
    }

    /// The CPUs of each package; each die is one.
    pub fn package_cpus(&self) -> Vec<Vec<usize>> {
        let mut packages = vec![Vec::new(); self.dies.len()];
        (0..self.cpus()).for_each(|cpu| packages[self.place(cpu).0].push(cpu));
        packages
    }
}
