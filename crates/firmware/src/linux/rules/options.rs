//! Decisions of the command line and the kernel's configuration, before any table.

use nearfar_model::NodeId;

use super::evidence::{bare, doubt};
use crate::linux::command_line::Emulation;
use crate::linux::prediction::{DistanceOrigin, HmatUse, NumaOutcome, PredictedNode, Prediction};
use crate::linux::prediction_input::{Architecture, PredictionInput};
use crate::linux::{CauseEffect, KernelCause};

/// Minimum size of an emulated node: 32 MiB.
const MIN_NODE_BYTES: u64 = 32 << 20;

pub(super) fn no_config_numa() -> KernelCause {
    let what = "the kernel was built without NUMA (CONFIG_NUMA)";
    bare("no-config-numa", CauseEffect::Numa, what, "mm/Kconfig, arch/*/Kconfig")
}

pub(super) fn numa_off(architecture: Architecture) -> KernelCause {
    let (message, source) = match architecture {
        Architecture::X86 | Architecture::Other => {
            ("NUMA turned off", "arch/x86/mm/numa.c: dummy_numa_init")
        }
        Architecture::Arm64 | Architecture::Riscv => {
            ("NUMA: NUMA disabled", "drivers/base/arch_numa.c: dummy_numa_init")
        }
    };
    bare("numa-off", CauseEffect::Numa, "numa=off is on the kernel's command line", source)
        .with_message(message)
}

pub(super) fn numa_noacpi() -> KernelCause {
    let what = "numa=noacpi is on the kernel's command line: the SRAT is ignored";
    bare("numa-noacpi", CauseEffect::Numa, what, "arch/x86/mm/numa.c: numa_setup")
        .with_message("No NUMA configuration found")
}

pub(super) fn acpi_off() -> KernelCause {
    let what = "acpi=off is on the kernel's command line: no table is read";
    bare("acpi-off", CauseEffect::Numa, what, "drivers/acpi/numa/srat.c: acpi_numa_init")
        .with_message("No NUMA configuration found")
}

/// `numa=fake=`: replaces the nodes with emulated ones.
pub(super) fn emulate(input: &PredictionInput<'_>, prediction: &mut Prediction) {
    let Some(emulation) = input.command_line.emulation else { return };
    let line = &input.command_line;
    let x86 = input.architecture == Architecture::X86;
    let knows = x86 || input.kernel >= super::COMMON_RANGES;
    let never = matches!(prediction.outcome, NumaOutcome::Impossible | NumaOutcome::Unknown)
        || line.numa_off && !x86;
    if never || !knows {
        return;
    }
    let Some(count) = count(input, emulation, prediction) else {
        let what = "nodes of numa=fake have at least 32 MiB, and the memory is too small for \
                    them: the kernel emulates none";
        prediction.doubts.push(doubt("emulation-failed", what, None));
        return;
    };
    prediction
        .undecided
        .push("numa=fake: which memory and which CPUs each node gets is not computed".to_owned());
    prediction.outcome = NumaOutcome::Emulated;
    prediction.nodes = (0..count).map(|number| emulated_node(NodeId(number))).collect();
    prediction.distances = None;
    prediction.distance_origin = DistanceOrigin::Unknown;
    if prediction.hmat == HmatUse::Used {
        prediction.hmat = HmatUse::Unknown;
    }
}

/// Number of emulated nodes; `None` if memory is too small or unknown.
fn count(
    input: &PredictionInput<'_>,
    emulation: Emulation,
    prediction: &Prediction,
) -> Option<u32> {
    // Two nodes of a device tree may claim the same memory.
    let ram =
        prediction.online().try_fold(0, |sum: u64, node| Some(sum.saturating_add(node.ram_bytes?)));
    let most = input.max_nodes;
    let enough = |count: u32| ram.is_none_or(|ram| ram / u64::from(count) >= MIN_NODE_BYTES);
    match emulation {
        Emulation::Nodes(count) => {
            Some(count.min(most)).filter(|&count| count > 0 && enough(count))
        }
        Emulation::PerNode(each) => {
            let nodes = prediction.online().filter(|node| node.ram_bytes != Some(0)).count();
            let count = u32::try_from(nodes).ok()?.checked_mul(each)?.min(most);
            Some(count).filter(|&count| count > 0 && enough(count))
        }
        Emulation::Bytes(size) => {
            // A smaller remainder goes to the node before.
            let size = size.max(MIN_NODE_BYTES) & !(MIN_NODE_BYTES - 1);
            let parts = |ram: u64| if ram == 0 { 0 } else { (ram / size).max(1) };
            let count = prediction
                .online()
                .try_fold(0, |sum: u64, node| Some(sum.saturating_add(parts(node.ram_bytes?))));
            u32::try_from(count?.min(most.into())).ok().filter(|&count| count > 0)
        }
    }
}

fn emulated_node(id: NodeId) -> PredictedNode {
    PredictedNode {
        id,
        domain: None,
        online: true,
        cpus: nearfar_model::CpuSet::new(),
        cpu_entries: 0,
        ranges: Vec::new(),
        ram_bytes: None,
    }
}
