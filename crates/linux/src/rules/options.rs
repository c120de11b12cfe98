//! What the command line and the kernel's configuration decide, whatever the tables say.

use nearfar_model::NodeId;

use super::evidence::{bare, doubt};
use crate::cause::{Cause, Effect};
use crate::circumstances::{Architecture, Circumstances};
use crate::command_line::Emulation;
use crate::prediction::{DistanceOrigin, HmatUse, Outcome, PredictedNode, Prediction};

/// Nodes that are made up have 32 MiB at least.
const LEAST_NODE: u64 = 32 << 20;

pub(super) fn no_config_numa() -> Cause {
    let what = "the kernel was built without NUMA (CONFIG_NUMA)";
    bare("no-config-numa", Effect::Numa, what, "mm/Kconfig, arch/*/Kconfig")
}

pub(super) fn numa_off(architecture: Architecture) -> Cause {
    let (message, source) = match architecture {
        Architecture::X86 | Architecture::Other => {
            ("NUMA turned off", "arch/x86/mm/numa.c: dummy_numa_init")
        }
        Architecture::Arm64 | Architecture::Riscv => {
            ("NUMA: NUMA disabled", "drivers/base/arch_numa.c: dummy_numa_init")
        }
    };
    bare("numa-off", Effect::Numa, "numa=off is on the kernel's command line", source).says(message)
}

pub(super) fn numa_noacpi() -> Cause {
    let what = "numa=noacpi is on the kernel's command line: it passes the SRAT over";
    bare("numa-noacpi", Effect::Numa, what, "arch/x86/mm/numa.c: numa_setup")
        .says("No NUMA configuration found")
}

pub(super) fn acpi_off() -> Cause {
    let what = "acpi=off is on the kernel's command line: it reads no table";
    bare("acpi-off", Effect::Numa, what, "drivers/acpi/numa/srat.c: acpi_numa_init")
        .says("No NUMA configuration found")
}

/// `numa=fake=`: nodes of the command line's making in place of whatever there was.
pub(super) fn emulate(circumstances: &Circumstances<'_>, prediction: &mut Prediction) {
    let Some(emulation) = circumstances.command_line.emulation else { return };
    let line = &circumstances.command_line;
    let x86 = circumstances.architecture == Architecture::X86;
    let knows = x86 || circumstances.kernel >= super::COMMON_RANGES;
    let never = matches!(prediction.outcome, Outcome::Impossible | Outcome::Unknown)
        || line.numa_off && !x86;
    if never || !knows {
        return;
    }
    let Some(count) = count(circumstances, emulation, prediction) else {
        let what = "nodes of numa=fake have 32 MiB at least, and there is not enough memory for \
                    so many: the kernel makes none up";
        prediction.doubts.push(doubt("emulation-failed", what, None));
        return;
    };
    prediction
        .undecided
        .push("numa=fake: which memory and which CPUs each node gets is not computed".to_owned());
    prediction.outcome = Outcome::Emulated;
    prediction.nodes = (0..count).map(|number| made_up(NodeId(number))).collect();
    prediction.distances = None;
    prediction.distance_origin = DistanceOrigin::Unknown;
    if prediction.hmat == HmatUse::Used {
        prediction.hmat = HmatUse::Unknown;
    }
}

/// How many nodes come of it; none where memory does not suffice, or is not known.
fn count(
    circumstances: &Circumstances<'_>,
    emulation: Emulation,
    prediction: &Prediction,
) -> Option<u32> {
    // Two nodes of a device tree may claim the same.
    let ram =
        prediction.online().try_fold(0, |sum: u64, node| Some(sum.saturating_add(node.ram_bytes?)));
    let most = circumstances.max_nodes;
    let enough = |count: u32| ram.is_none_or(|ram| ram / u64::from(count) >= LEAST_NODE);
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
            // What is left of a node and would be smaller goes to the one before.
            let size = size.max(LEAST_NODE) & !(LEAST_NODE - 1);
            let of_node = |ram: u64| if ram == 0 { 0 } else { (ram / size).max(1) };
            let count = prediction
                .online()
                .try_fold(0, |sum: u64, node| Some(sum.saturating_add(of_node(node.ram_bytes?))));
            u32::try_from(count?.min(most.into())).ok().filter(|&count| count > 0)
        }
    }
}

fn made_up(id: NodeId) -> PredictedNode {
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
