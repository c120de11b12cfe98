//! Linux's decision, rule by rule.
//!
//! The order is Linux's own: the command line, then ACPI's tables or the device tree, then the
//! common checks: overlapping ranges and RAM without a node, and last the nodes. Each rule adds its
//! causes to one [`PredictionDraft`]. A cause with [`CauseEffect::Numa`] ends the search with one
//! node.

mod acpi;
mod block;
mod cedt;
mod coverage;
mod distances;
mod domains;
mod doubts;
mod draft;
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

use super::prediction::{DistanceOrigin, NumaOutcome, PredictedNode, Prediction};
use super::prediction_input::{Architecture, PredictionInput};
use draft::{FirmwareNuma, PredictionDraft};
use ram::UsableRam;

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
