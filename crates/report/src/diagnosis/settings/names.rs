//! The names themselves.
//!
//! From the vendors' manuals and tuning guides: Dell's BIOS and UEFI reference, HPE's ROM-based setup utility guides,
//! Lenovo Press on ThinkSystem, Fujitsu's and Cisco's BIOS tuning papers, manuals of Supermicro's boards, AMD's tuning
//! guides for EPYC (names of its reference BIOS, "AMD CBS").

use nearfar_diagnose::Split;
use nearfar_diagnose::Vendor::{self, *};

use super::Goal;

/// A setting under one name.
#[derive(Debug)]
pub(super) struct Setting {
    /// The name and the value it should have.
    pub(super) what: &'static str,
    /// Who calls it that; empty for the reference BIOS that many take over.
    pub(super) vendors: &'static [Vendor],
}

const fn setting(what: &'static str, vendors: &'static [Vendor]) -> Setting {
    Setting { what, vendors }
}

/// The names of a setting, the commonest first.
pub(super) fn of(goal: Goal) -> &'static [Setting] {
    match goal {
        Goal::Nodes => &NODES,
        Goal::Split(Split::NodesPerSocket) => &NODES_PER_SOCKET,
        Goal::Split(Split::DieInterleaving) => &DIE_INTERLEAVING,
        Goal::Split(Split::SubNuma) => &SUB_NUMA,
        Goal::Split(Split::ClusterOnDie) => &CLUSTER_ON_DIE,
        Goal::Split(Split::Ampere) => &AMPERE,
        Goal::AllMemory => &ALL_MEMORY,
    }
}

static NODES: [Setting; 7] = [
    setting("Node Interleaving: Disabled", &[Dell, Hpe, Supermicro]),
    setting("Socket Interleave: NUMA", &[Lenovo]),
    setting("NUMA Optimization: Enabled", &[Fujitsu]),
    setting("NUMA Optimized: Enabled", &[Cisco, Intel]),
    setting("Die Interleaving: Disabled", &[Huawei]),
    setting("NUMA and ACPI SRAT Table: Enabled", &[Supermicro, Huawei, Asus, AsRock, Gigabyte, Msi]),
    setting("AMD CBS > Memory Interleaving: Channel, NUMA nodes per socket: NPS1 or more, not NPS0", &[]),
];

static NODES_PER_SOCKET: [Setting; 4] = [
    setting("NUMA Nodes Per Socket (NPS): 2 or 4; L3 Cache as NUMA Domain: Enabled for finer ones", &[Dell]),
    setting("NUMA memory domains per socket (NPS): two or four; LLC as NUMA Node: Enabled for finer ones", &[Hpe]),
    setting("NUMA Nodes per Socket: NPS2 or NPS4; SRAT L3 Cache as NUMA Domain: Enabled for finer ones", &[Lenovo]),
    setting(
        "AMD CBS > NUMA nodes per socket: NPS2 or NPS4; ACPI SRAT L3 Cache as NUMA Domain: Enabled for finer ones",
        &[Supermicro, Gigabyte, Asus, AsRock, Cisco],
    ),
];

static DIE_INTERLEAVING: [Setting; 3] = [
    setting("Die Interleaving: Disabled", &[Dell]),
    setting("Memory Interleaving: Channel or None", &[Hpe]),
    setting(
        "AMD CBS > Memory Interleaving: Channel, not Die or Socket (Threadripper: Memory Access Mode: Local)",
        &[Supermicro, Gigabyte, Asus, AsRock, Msi],
    ),
];

static SUB_NUMA: [Setting; 3] = [
    setting("Sub NUMA Cluster: Enabled", &[Dell, Cisco, Intel]),
    setting("Sub-NUMA Clustering (SNC): Enabled", &[Hpe, Fujitsu]),
    setting("SNC: Enabled", &[Lenovo, Supermicro, Gigabyte, Asus]),
];

static CLUSTER_ON_DIE: [Setting; 2] = [
    setting("Snoop Mode: Cluster on Die", &[Dell, Hpe, Lenovo]),
    setting("Cluster on Die (COD): Enabled", &[Supermicro, Fujitsu, Cisco, Intel]),
];

static AMPERE: [Setting; 1] = [setting("ANC Mode: Hemisphere or Quadrant", &[])];

static ALL_MEMORY: [Setting; 1] =
    [setting("Memory Remapping (Above 4G Memory): Enabled; Memory Mirroring and Rank Sparing: Disabled", &[])];
