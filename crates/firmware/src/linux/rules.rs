//! Linux's decision, rule by rule.
//!
//! The order is Linux's own: the command line, then ACPI's tables or the device tree, then the
//! common checks: overlapping ranges and RAM without a node, and last the nodes. Each rule adds its
//! causes to one [`PredictionDraft`]. A cause with [`CauseEffect::Numa`] ends the search with one
//! node.

mod acpi;
mod cedt;
mod coverage;
mod distances;
mod doubts;
mod evidence;
mod hmat;
mod message;
mod nodes;
mod options;
mod ram;
mod ranges;
mod slit;
mod srat;
mod srat_cpus;
mod srat_reader;
mod tree;

use std::collections::{BTreeMap, BTreeSet};

use nearfar_model::{CpuId, NodeId, ProximityDomain};

use super::prediction::{DistanceOrigin, NumaOutcome, PredictedNode, Prediction};
use super::prediction_input::{Architecture, PredictionInput};
use crate::TableFile;
use crate::linux::{KernelCause, KernelDoubt, TableEvidence};
use distances::ClaimedDistances;
use evidence::evidence;
use ram::UsableRam;

pub(crate) use hmat::is_known_revision;
pub(crate) use slit::{invalid_distance, rejected_entry};

/// Since this version Linux counts RAM that nodes do not cover; before, it counts RAM that they
/// cover.
const COUNTS_UNCOVERED: super::KernelVersion = super::KernelVersion::new(6, 8);
/// Since this version Arm follows x86's rules for ranges (mm/numa_memblks.c), and a device tree
/// without nodes is an error.
const COMMON_RANGES: super::KernelVersion = super::KernelVersion::new(6, 12);

/// Predicts Linux's decision. Never fails: what cannot be decided is in [`Prediction::undecided`].
///
/// # References
///
/// drivers/acpi/numa/srat.c: acpi_numa_init; arch/x86/mm/numa.c; mm/numa_memblks.c;
/// drivers/base/arch_numa.c; drivers/of/of_numa.c
pub fn predict(input: &PredictionInput<'_>) -> Prediction {
    let mut draft = PredictionDraft::default();
    let ram = UsableRam::new(input, &mut draft);
    let end = decide(input, &ram, &mut draft);
    doubts::all(input, end.as_ref().ok(), &mut draft);
    let (outcome, nodes, distances, distance_origin) = match end {
        Ok(found) => {
            let nodes = nodes::assemble(input, &ram, &found);
            doubts::for_nodes(input, &nodes, &mut draft);
            let (distances, origin) = distances::between(&nodes, &found.distances);
            (outcome_of(&nodes), nodes, distances, origin)
        }
        Err(outcome @ (NumaOutcome::Impossible | NumaOutcome::Unknown)) => {
            (outcome, Vec::new(), None, DistanceOrigin::Unknown)
        }
        Err(outcome) => {
            let nodes = vec![nodes::single_node(input, &ram)];
            let (distances, origin) =
                distances::between(&nodes, &Some(distances::DistancePairs::new()));
            (outcome, nodes, distances, origin)
        }
    };
    let hmat = hmat::judge(input, outcome, &nodes, &mut draft);
    let mut prediction = Prediction {
        outcome,
        nodes,
        distances,
        distance_origin,
        hmat,
        causes: draft.causes,
        doubts: draft.doubts,
        undecided: draft.undecided,
    };
    options::emulate(input, &mut prediction);
    prediction
}

/// The data that the kernel accepts from firmware, or the result without it.
fn decide(
    input: &PredictionInput<'_>,
    ram: &UsableRam,
    draft: &mut PredictionDraft,
) -> Result<FirmwareNuma, NumaOutcome> {
    if !input.numa_configured {
        draft.cause(options::no_config_numa());
        return Err(NumaOutcome::Impossible);
    }
    if input.architecture == Architecture::Other {
        draft.undecided("the rules of this architecture are not implemented");
        return Err(NumaOutcome::Unknown);
    }
    if input.command_line.numa_off {
        draft.cause(options::numa_off(input.architecture));
        return Err(NumaOutcome::TurnedOff);
    }
    if uses_device_tree(input) {
        return tree::decide(input, ram, draft);
    }
    acpi::decide(input, ram, draft)
}

/// Whether the kernel uses the device tree. Arm prefers a tree with CPUs over ACPI's tables; x86
/// uses trees only on embedded machines, which are not supported here.
fn uses_device_tree(input: &PredictionInput<'_>) -> bool {
    let line = &input.command_line;
    let tree = input.firmware.device_tree.as_ref().and_then(|part| part.state.decoded());
    let has_cpus = tree.is_some_and(|tree| !tree.cpus.is_empty());
    match input.architecture {
        Architecture::X86 | Architecture::Other => false,
        Architecture::Arm64 | Architecture::Riscv if line.acpi_off => true,
        Architecture::Arm64 | Architecture::Riscv => has_cpus && !line.acpi_forced,
    }
}

fn outcome_of(nodes: &[PredictedNode]) -> NumaOutcome {
    let online = nodes.iter().filter(|node| node.online).count();
    if online > 1 { NumaOutcome::Visible } else { NumaOutcome::OneDomain }
}

/// A half-open range of memory and its node.
#[derive(Clone, Debug, PartialEq, Eq)]
struct MemoryBlock {
    node: NodeId,
    start: u64,
    end: u64,
    hot_pluggable: bool,
    non_volatile: bool,
    /// Where the table has it.
    place: BlockSource,
}

/// The table entry of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
enum BlockSource {
    /// Offset and length in an ACPI table.
    AcpiEntry(usize, usize),
    /// Path in the device tree.
    DeviceTree(String),
}

impl BlockSource {
    fn evidence(&self, file: Option<&TableFile>) -> Option<TableEvidence> {
        match self {
            Self::AcpiEntry(offset, length) => Some(evidence(file?, *offset, *length)),
            Self::DeviceTree(path) => Some(TableEvidence {
                table: "device tree".to_owned(),
                path: path.clone(),
                offset: None,
                bytes: crate::acpi::HexBytes(Box::default()),
            }),
        }
    }
}

/// Maximum number of causes, doubts and open questions: a table with more is damaged everywhere.
const MAX_KEPT: usize = 100;

/// The prediction so far.
#[derive(Debug, Default)]
struct PredictionDraft {
    causes: Vec<KernelCause>,
    doubts: Vec<KernelDoubt>,
    undecided: Vec<String>,
}

impl PredictionDraft {
    fn cause(&mut self, cause: KernelCause) {
        if self.causes.len() < MAX_KEPT {
            self.causes.push(cause);
        }
    }

    fn doubt(&mut self, doubts: impl IntoIterator<Item = KernelDoubt>) {
        let room = MAX_KEPT.saturating_sub(self.doubts.len());
        self.doubts.extend(doubts.into_iter().take(room));
    }

    fn undecided(&mut self, what: impl Into<String>) {
        let what = what.into();
        if self.undecided.len() < MAX_KEPT && !self.undecided.contains(&what) {
            self.undecided.push(what);
        }
    }
}

/// Firmware's data that the kernel accepts.
#[derive(Debug)]
struct FirmwareNuma {
    /// Domains and their nodes; empty for a device tree, which has node numbers.
    domains: DomainNodes,
    /// All nodes in the tables.
    named: BTreeSet<NodeId>,
    /// Nodes with a generic initiator.
    initiators: BTreeSet<NodeId>,
    /// Memory ranges as in the table.
    claimed: Vec<MemoryBlock>,
    /// Memory ranges cut to RAM and joined.
    blocks: Vec<MemoryBlock>,
    places: CpuPlacement,
    /// The node of each CPU entry, of absent CPUs too.
    cpu_entries: Vec<NodeId>,
    /// Whether nodes without memory are always online (Arm).
    all_online: bool,
    distances: ClaimedDistances,
}

/// The nodes of CPUs.
#[derive(Debug)]
struct CpuPlacement {
    /// CPUs with a node in a table.
    placed: Vec<(CpuId, NodeId)>,
    /// CPUs without a node in any table.
    left: Vec<CpuId>,
    /// How the kernel places these.
    remedy: UnplacedCpus,
}

/// How the kernel places CPUs without a node in any table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UnplacedCpus {
    /// x86 assigns them round-robin: the n-th CPU goes to the n-th node with memory.
    InTurn,
    /// Arm assigns them to node 0.
    NodeZero,
}

/// Every kernel supports at least this number of domains.
const MIN_DOMAINS: u32 = 256;

/// Domains and their node numbers.
#[derive(Clone, Debug, Default)]
struct DomainNodes {
    nodes: BTreeMap<ProximityDomain, NodeId>,
    room: u32,
}

impl DomainNodes {
    /// For a kernel with at most `max_nodes` nodes.
    fn new(max_nodes: u32) -> Self {
        Self { nodes: BTreeMap::new(), room: max_nodes }
    }

    /// The node of a domain, a new one if needed; `None` if no number is left. Source:
    /// `acpi_map_pxm_to_node`.
    fn map(&mut self, domain: ProximityDomain) -> Option<NodeId> {
        if domain.0 >= self.most() {
            return None;
        }
        if let Some(node) = self.nodes.get(&domain) {
            return Some(*node);
        }
        let next = u32::try_from(self.nodes.len()).ok().filter(|next| *next < self.room)?;
        self.nodes.insert(domain, NodeId(next));
        Some(NodeId(next))
    }

    /// The node of a domain, if it has one.
    fn node(&self, domain: ProximityDomain) -> Option<NodeId> {
        self.nodes.get(&domain).copied()
    }

    /// The domain of a node.
    fn domain(&self, node: NodeId) -> Option<ProximityDomain> {
        self.nodes.iter().find(|(_, known)| **known == node).map(|(domain, _)| *domain)
    }

    /// The first domain number above all known ones.
    fn next_free(&self) -> ProximityDomain {
        ProximityDomain(self.nodes.keys().next_back().map_or(0, |last| last.0.saturating_add(1)))
    }

    /// The first domain number that is too large (`MAX_PXM_DOMAINS`).
    fn most(&self) -> u32 {
        self.room.max(MIN_DOMAINS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_numbered_in_order_of_domains() {
        let mut domains = DomainNodes::new(2);
        let mut map = |domain| domains.map(ProximityDomain(domain)).map(|node| node.0);
        assert_eq!(
            [map(7), map(3), map(7), map(4), map(256)],
            [Some(0), Some(1), Some(0), None, None]
        );
        assert_eq!(domains.domain(NodeId(1)), Some(ProximityDomain(3)));
        assert_eq!((domains.next_free(), domains.most()), (ProximityDomain(8), 256));
    }
}
