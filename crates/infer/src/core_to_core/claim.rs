//! The machine's claims about its CPUs. Any of them may be missing or wrong.

use super::partition::Partition;

/// The claimed place of one CPU. Numbers are labels, unique over the whole machine, and may be
/// sparse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClaimedCpu {
    /// Its core: CPUs of one core are SMT siblings.
    pub core: Option<u32>,
    /// The group of CPUs that share its last-level cache.
    pub cache_group: Option<u32>,
    /// Its package.
    pub package: Option<u32>,
}

/// The claimed place of every CPU, in the order of CPU indexes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TopologyClaim {
    /// One for each CPU.
    pub cpus: Vec<ClaimedCpu>,
}

impl TopologyClaim {
    /// No claims about this many CPUs.
    pub fn unknown(cpus: usize) -> Self {
        Self { cpus: vec![ClaimedCpu::default(); cpus] }
    }

    /// The same for some of the CPUs, in the order of this list.
    pub(crate) fn for_cpus(&self, cpus: &[usize]) -> Self {
        Self {
            cpus: cpus.iter().map(|&cpu| self.cpus.get(cpu).copied().unwrap_or_default()).collect(),
        }
    }

    pub(crate) fn partition(&self, kind: GroupKind) -> ClaimedPartition {
        let labels: Vec<Option<u32>> = self.cpus.iter().map(|cpu| kind.of(cpu)).collect();
        let known: Vec<bool> = labels.iter().map(Option::is_some).collect();
        // A CPU without a claim is a block of its own.
        let keys = labels.iter().enumerate().map(|(cpu, label)| label.ok_or(cpu));
        ClaimedPartition { blocks: Partition::by_key(keys), known }
    }
}

/// What CPUs may share.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum GroupKind {
    /// A core.
    Core,
    /// A last-level cache.
    #[serde(rename = "cache group")]
    CacheGroup,
    /// A package.
    Package,
}

impl GroupKind {
    pub(crate) const ALL: [Self; 3] = [Self::Core, Self::CacheGroup, Self::Package];

    fn of(self, cpu: &ClaimedCpu) -> Option<u32> {
        match self {
            Self::Core => cpu.core,
            Self::CacheGroup => cpu.cache_group,
            Self::Package => cpu.package,
        }
    }

    /// The name in sentences.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::CacheGroup => "cache group",
            Self::Package => "package",
        }
    }
}

/// Claimed blocks of one kind, and the CPUs with a claim.
#[derive(Clone, Debug)]
pub(crate) struct ClaimedPartition {
    pub(crate) blocks: Partition,
    pub(crate) known: Vec<bool>,
}

impl ClaimedPartition {
    pub(crate) fn is_known(&self) -> bool {
        self.known.iter().any(|&known| known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_cpus_are_blocks_of_one() {
        let mut claim = TopologyClaim::unknown(4);
        claim.cpus[1].core = Some(7);
        claim.cpus[3].core = Some(7);
        let cores = claim.partition(GroupKind::Core);
        assert_eq!(cores.blocks.members(), [vec![0], vec![1, 3], vec![2]]);
        assert!(cores.is_known() && !claim.partition(GroupKind::Package).is_known());
    }
}
