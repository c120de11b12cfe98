//! Is a level of costs a package, or a cluster within one?
//!
//! In general, costs alone do not decide: modules of one FX-8300 are 6 times as far from each other
//! as its cores, sockets of two Xeon X5650 twice. They only exclude structures that no chip has.
//! The limits below are from published matrices (67 single packages, 31 dual ones:
//! core-to-core-latency and core-to-core-latency-plus): clusters of one package have at most 8
//! cores, or are dies at most 95 ns apart.

use std::collections::BTreeSet;

use super::partition::Partition;

/// The smallest ratio of costs between packages to costs within one: 1.6 to 3.6 was published, with
/// the lines' memory nearby.
const RATIO: f64 = 1.45;
/// The smallest median cost within a package: a line passes through a cache of a few cores in 15 to
/// 30 ns, across a package of eight cores or more in at least 32.
const INSIDE_NS: f64 = 30.0;
/// The largest number of packages in published matrices.
const MOST: usize = 8;

/// A block of this many cores is no cluster.
const MANY_CORES: usize = 10;
/// The largest cost between dies of one package (Kunpeng 920: 74 to 88 ns between dies of 32).
const BEYOND_NS: f64 = 95.0;
/// The smallest ratio for packages at a level above caches: dies of one package reach 1.7
/// (Threadripper 1950X), packages of EPYC 7763 are at 2.3.
const RATIO_ABOVE_CACHES: f64 = 1.8;

/// The smallest number of cores in a package of few cores, whose blocks are directly above cores.
const FEW_CORES: usize = 6;
/// The largest number of packages of few cores.
const FEW_PACKAGES: usize = 4;
/// The smallest cost within a package of few cores: cores of a cluster of eight exchange a line in
/// 15 to 40 ns.
const FEW_INSIDE_NS: f64 = 45.0;
/// The smallest share of the largest package's CPUs in another one, as some may be offline.
/// Clusters of hybrid chips differ more.
const EVEN: f64 = 0.75;

/// The data of a level.
pub(crate) struct LevelData<'a> {
    pub(crate) blocks: &'a Partition,
    pub(crate) cores: &'a Partition,
    /// Whether another level is between this one and the cores.
    pub(crate) is_above_caches: bool,
    /// Median cost of pairs inside a block, and of pairs that share no block.
    pub(crate) inside_ns: f64,
    pub(crate) beyond_ns: f64,
}

impl LevelData<'_> {
    /// Whether the blocks are as far apart as packages, or as clusters of one.
    pub(crate) fn is_apart(&self) -> bool {
        self.blocks.len() <= MOST && self.inside_ns >= INSIDE_NS && self.ratio() >= RATIO
    }

    /// Whether no chip has such blocks within one package.
    pub(crate) fn is_packages(&self) -> bool {
        if !self.is_apart() || !self.is_even() {
            return false;
        }
        let cores = self.fewest_cores();
        let is_large = cores >= MANY_CORES
            && self.beyond_ns >= BEYOND_NS
            && (!self.is_above_caches || self.ratio() >= RATIO_ABOVE_CACHES);
        let is_small = cores >= FEW_CORES
            && !self.is_above_caches
            && self.blocks.len() <= FEW_PACKAGES
            && self.inside_ns >= FEW_INSIDE_NS
            && self.beyond_ns >= BEYOND_NS;
        is_large || is_small
    }

    fn ratio(&self) -> f64 {
        self.beyond_ns / self.inside_ns
    }

    fn fewest_cores(&self) -> usize {
        let cores_of = |cpus: &Vec<usize>| {
            let cores: BTreeSet<usize> = cpus.iter().map(|&cpu| self.cores.block(cpu)).collect();
            cores.len()
        };
        self.blocks.members().iter().map(cores_of).min().unwrap_or(0)
    }

    fn is_even(&self) -> bool {
        let sizes = || self.blocks.members().iter().map(Vec::len);
        let (least, most) = (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0));
        least as f64 >= EVEN * most as f64
    }
}
