//! Families of drawn machines: each has what one kind of sentence is easily wrong about.

use clap::ValueEnum;
use fastrand::Rng;

/// A kind of machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Family {
    /// Nodes that are shown, hidden or interleaved, alike in each package.
    Mixed,
    /// Own memory is not the nearest: of one node, or of all.
    OwnNotNearest,
    /// One direction of a link is slower than the other, or of several links.
    OneDirection,
    /// The memory of one node is slow for all, and sometimes its CPUs.
    SlowNode,
    /// Two to four nodes in a package, 3 to 15 % apart.
    SubNuma,
    /// Memory without CPUs that is slower.
    Cxl,
    /// Memory without CPUs that is as fast or faster.
    Hbm,
    /// A node has CPUs and no memory.
    Memoryless,
    /// All memory costs the same.
    AllEqual,
    /// Claims are the true costs, rounded as a table has them.
    TrueClaims,
    /// Claims are false, in one cell or in many.
    Lies,
}

impl Family {
    pub(crate) const ALL: [Self; 11] = [
        Self::Mixed,
        Self::OwnNotNearest,
        Self::OneDirection,
        Self::SlowNode,
        Self::SubNuma,
        Self::Cxl,
        Self::Hbm,
        Self::Memoryless,
        Self::AllEqual,
        Self::TrueClaims,
        Self::Lies,
    ];

    /// The family of a seed, where none was asked for.
    pub(crate) fn for_seed(seed: u64) -> Self {
        let at = Rng::with_seed(seed ^ 0x6661_6d69_6c79).usize(..Self::ALL.len());
        Self::ALL[at]
    }

    /// Its name on a command line.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}
