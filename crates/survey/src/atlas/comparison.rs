//! A machine beside published figures, in the order that finds most: symmetry within it, remote to
//! local, the share of theoretical bandwidth, absolute latency.
//!
//! The limits are those that healthy published machines need: each row of the atlas passes them
//! (tests). In guests nothing is called unusual: a hypervisor decides where CPUs and memory are.

mod beside;
mod symmetry;
#[cfg(test)]
mod tests;

use serde::Serialize;

use crate::atlas::Published;
use crate::atlas::row::Platform;
use crate::atlas::{Atlas, MachineFigures, NodeFigure};

/// A machine beside the atlas.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct AtlasComparison {
    /// The CPU as the kernel names it.
    pub model: String,
    /// Packages.
    pub packages: usize,
    /// Nodes of each package; null where they are not equally many.
    pub nodes_per_package: Option<usize>,
    /// The hypervisor, in a guest.
    pub hypervisor: Option<String>,
    /// The CPU's family, where it is known.
    pub family: Option<String>,
    /// Which rows the figures lie beside.
    pub matched: MatchedBy,
    /// What was compared, in that order.
    pub checks: Vec<AtlasCheck>,
}

/// Which rows a machine's figures lie beside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MatchedBy {
    /// Those of its model.
    Model,
    /// Those of its family: the model has none.
    Family,
    /// None.
    Nothing,
}

/// One comparison.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(tag = "check", rename_all = "kebab-case")]
pub enum AtlasCheck {
    /// Figures that should be alike within the machine.
    Symmetry(Symmetry),
    /// All memory costs the same on several packages: interleaved by firmware, or nodes that are
    /// made up.
    AllAlike {
        /// Highest over lowest latency, minus 1.
        spread: f64,
    },
    /// Fewer nodes than packages: memory is interleaved, or the kernel ignores nodes.
    FewerNodes {
        /// Nodes with CPUs.
        nodes: usize,
    },
    /// A figure beside published ones.
    Beside(Beside),
}

/// Figures that should be alike within the machine: the two that are farthest apart.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Symmetry {
    /// Which figures.
    pub of: SymmetryOf,
    /// The lowest.
    pub low: NodeFigure,
    /// The highest.
    pub high: NodeFigure,
    /// Highest over lowest, minus 1, that healthy machines reach.
    pub limit: f64,
    /// What follows.
    pub outcome: CheckOutcome,
}

/// Which figures should be alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SymmetryOf {
    /// Latency of each node's local memory.
    Local,
    /// Latency from one node to another, and back.
    ThereAndBack,
    /// Read bandwidth of each node's local memory.
    Bandwidth,
}

/// A figure beside published ones.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Beside {
    /// Which figure.
    pub quantity: Quantity,
    /// Lowest and highest of this machine.
    pub measured: [f64; 2],
    /// What rows publish.
    pub published: Published,
    /// Whether these are rows of the family: the model has none.
    pub of_family: bool,
    /// What decides: the same, or the family's where the model has few rows.
    pub accepted: [f64; 2],
    /// What follows.
    pub outcome: CheckOutcome,
}

/// Which figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// Remote over local latency.
    Ratio,
    /// Read bandwidth over what the memory channels could deliver.
    BandwidthShare,
    /// Latency of local memory, ns.
    LocalNs,
    /// Latency of remote memory, ns.
    RemoteNs,
}

/// What a check gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CheckOutcome {
    /// Within what healthy machines show.
    Usual,
    /// Beyond it.
    Unusual,
    /// Not decided.
    NotJudged(Unjudged),
}

/// Why a check decides nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unjudged {
    /// The machine is a guest.
    Guest,
    /// Fewer than three rows.
    FewRows,
}

/// A machine beside the rows of an atlas.
pub fn compare(machine: &MachineFigures, atlas: &Atlas) -> AtlasComparison {
    let found = atlas.for_cpu(&machine.model, machine.cpuid.as_ref());
    let matched = match (found.of_model.is_empty(), found.of_family.is_empty()) {
        (false, _) => MatchedBy::Model,
        (true, false) => MatchedBy::Family,
        (true, true) => MatchedBy::Nothing,
    };
    let mut checks = symmetry::checks(machine);
    // Clusters of small chips are packages to some kernels.
    let is_server = found.family.is_some();
    checks.retain(|check| is_server || !matches!(check, AtlasCheck::FewerNodes { .. }));
    // Figures of interleaved memory are published nowhere by themselves.
    let is_interleaved = |check: &AtlasCheck| {
        matches!(check, AtlasCheck::AllAlike { .. } | AtlasCheck::FewerNodes { .. })
    };
    if machine.hypervisor.is_some() || !checks.iter().any(is_interleaved) {
        checks.extend(beside::checks(machine, atlas, &found));
    }
    if machine.hypervisor.is_some() {
        checks.retain(|check| matches!(check, AtlasCheck::Beside(_)));
        checks.iter_mut().for_each(AtlasCheck::leave_undecided);
    }
    AtlasComparison {
        model: machine.model.clone(),
        packages: machine.packages,
        nodes_per_package: machine.nodes_per_package(),
        hypervisor: machine.hypervisor.clone(),
        family: found.family,
        matched,
        checks,
    }
}

impl AtlasComparison {
    /// What is beyond healthy machines.
    pub fn unusual(&self) -> impl Iterator<Item = &AtlasCheck> {
        self.checks.iter().filter(|check| check.is_unusual())
    }

    /// Whether anything was decided.
    pub fn is_judged(&self) -> bool {
        let is_judged = |check: &AtlasCheck| !matches!(check.outcome(), CheckOutcome::NotJudged(_));
        self.checks.iter().any(is_judged)
    }
}

impl AtlasCheck {
    /// What it gives.
    pub fn outcome(&self) -> CheckOutcome {
        match self {
            Self::Symmetry(symmetry) => symmetry.outcome,
            Self::AllAlike { .. } | Self::FewerNodes { .. } => CheckOutcome::Unusual,
            Self::Beside(beside) => beside.outcome,
        }
    }

    /// Whether it is beyond healthy machines.
    pub fn is_unusual(&self) -> bool {
        self.outcome() == CheckOutcome::Unusual
    }

    fn leave_undecided(&mut self) {
        if let Self::Beside(beside) = self {
            beside.outcome = CheckOutcome::NotJudged(Unjudged::Guest);
        }
    }
}

/// Whether rows of a platform lie beside machines without a hypervisor.
const fn is_machine(platform: Platform) -> bool {
    !matches!(platform, Platform::Guest)
}
