//! `/proc/irq/N`: the CPUs that may serve an interrupt, and the one that does.

use nearfar_model::{CpuSet, NodeId};
use serde::Serialize;

use super::FileValue;
use crate::source::Source;

/// Where an interrupt may run, and where it does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct IrqAffinity {
    /// The allowed CPUs (`smp_affinity_list`).
    pub allowed: FileValue<CpuSet>,
    /// The CPUs that the kernel chose of them (`effective_affinity_list`).
    pub effective: FileValue<CpuSet>,
    /// The CPUs that the driver suggests (`affinity_hint`); empty without a suggestion.
    pub hint: FileValue<CpuSet>,
    /// The node of the kernel's data about it; no value for -1.
    pub node: FileValue<Option<NodeId>>,
    /// Whether the mode of `smp_affinity_list` allows root to write; `None` if unknown. Kernels
    /// before 6.12 always allow it.
    pub is_writable: Option<bool>,
}

impl IrqAffinity {
    /// Reads the files of one interrupt.
    ///
    /// # References
    ///
    /// Documentation/core-api/irq/irq-affinity.rst
    pub(super) fn read(source: &Source, number: u32) -> Self {
        let folder = format!("/proc/irq/{number}");
        let allowed = format!("{folder}/smp_affinity_list");
        Self {
            effective: FileValue::cpus(source, &format!("{folder}/effective_affinity_list")),
            hint: FileValue::mask(source, &format!("{folder}/affinity_hint")),
            node: FileValue::parse(source, &format!("{folder}/node"), node),
            is_writable: source.is_owner_writable(&allowed),
            allowed: FileValue::cpus(source, &allowed),
        }
    }
}

fn node(text: &str) -> Option<Option<NodeId>> {
    let number: i64 = text.parse().ok()?;
    match number {
        -1 => Some(None),
        _ => u32::try_from(number).ok().map(|number| Some(NodeId(number))),
    }
}
