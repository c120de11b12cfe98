//! The decision, rule by rule.
//!
//! The order is Linux's own: the command line, then one of two witnesses (ACPI's tables or the
//! device tree), then what both have in common: ranges that contradict each other, RAM that nobody
//! has, and last the nodes themselves. Each rule adds its causes to one [`Draft`]; one with
//! [`Effect::Numa`] ends the search, and one node is made of everything.

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
mod srat_reading;
mod tree;

use super::circumstances::{Architecture, Circumstances};
use super::prediction::{DistanceOrigin, Outcome, PredictedNode, Prediction};
use draft::{Draft, Finding};
use ram::Ram;

/// Linux up to 6.7 counts what nodes cover, later ones what they do not.
const COUNTS_WHAT_IS_MISSING: super::KernelVersion = super::KernelVersion::new(6, 8);
/// From here on Arm follows x86's rules for ranges (mm/numa_memblks.c), and a device tree that
/// names no node is an error.
const COMMON_RANGES: super::KernelVersion = super::KernelVersion::new(6, 12);

/// What Linux would make of the tables.
pub fn predict(circumstances: &Circumstances<'_>) -> Prediction {
    let mut draft = Draft::default();
    let ram = Ram::of(circumstances, &mut draft);
    let end = decide(circumstances, &ram, &mut draft);
    doubts::all(circumstances, end.as_ref().ok(), &mut draft);
    let (outcome, nodes, distances, distance_origin) = match end {
        Ok(found) => {
            let nodes = nodes::assemble(circumstances, &ram, &found);
            doubts::of_nodes(circumstances, &nodes, &mut draft);
            let (distances, origin) = distances::between(&nodes, &found.distances);
            (outcome_of(&nodes), nodes, distances, origin)
        }
        Err(outcome @ (Outcome::Impossible | Outcome::Unknown)) => {
            (outcome, Vec::new(), None, DistanceOrigin::Unknown)
        }
        Err(outcome) => {
            let nodes = vec![nodes::the_only_one(circumstances, &ram)];
            let (distances, origin) = distances::between(&nodes, &Some(distances::Pairs::new()));
            (outcome, nodes, distances, origin)
        }
    };
    let hmat = hmat::judge(circumstances, outcome, &nodes, &mut draft);
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
    options::emulate(circumstances, &mut prediction);
    prediction
}

/// What firmware has that the kernel takes, or how the search ends without it.
fn decide(
    circumstances: &Circumstances<'_>,
    ram: &Ram,
    draft: &mut Draft,
) -> Result<Finding, Outcome> {
    if !circumstances.numa_configured {
        draft.cause(options::no_config_numa());
        return Err(Outcome::Impossible);
    }
    if circumstances.architecture == Architecture::Other {
        draft.undecided("the rules of this architecture are not known here");
        return Err(Outcome::Unknown);
    }
    if circumstances.command_line.numa_off {
        draft.cause(options::numa_off(circumstances.architecture));
        return Err(Outcome::TurnedOff);
    }
    if speaks_tree(circumstances) {
        return tree::decide(circumstances, ram, draft);
    }
    acpi::decide(circumstances, ram, draft)
}

/// Whether the kernel goes by the device tree. Arm prefers a tree with something in it over ACPI's
/// tables; x86 knows trees of embedded machines only, which are not known here.
fn speaks_tree(circumstances: &Circumstances<'_>) -> bool {
    let line = &circumstances.command_line;
    let tree = circumstances.firmware.device_tree.as_ref().and_then(|part| part.found.decoded());
    let has_cpus = tree.is_some_and(|tree| !tree.cpus.is_empty());
    match circumstances.architecture {
        Architecture::X86 | Architecture::Other => false,
        Architecture::Arm64 | Architecture::Riscv if line.acpi_off => true,
        Architecture::Arm64 | Architecture::Riscv => has_cpus && !line.acpi_forced,
    }
}

fn outcome_of(nodes: &[PredictedNode]) -> Outcome {
    let online = nodes.iter().filter(|node| node.online).count();
    if online > 1 { Outcome::Visible } else { Outcome::OneDomain }
}
