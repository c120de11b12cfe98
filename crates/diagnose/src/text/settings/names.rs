//! Names of BIOS settings.
//!
//! From the vendors' manuals and tuning guides: Dell's BIOS and UEFI reference, HPE's ROM-based
//! setup utility guides, Lenovo Press on ThinkSystem, Fujitsu's and Cisco's BIOS tuning papers,
//! manuals of Supermicro's boards, AMD's tuning guides for EPYC (names of its reference BIOS, "AMD
//! CBS").

use crate::MemorySplit;
use crate::Vendor;
use crate::Vendor::*;

use super::Goal;

/// A name with the value to set, and the vendors that use the name: none for the reference BIOS
/// that many vendors take over.
pub(super) type NamedSetting = (&'static str, &'static [Vendor]);

/// The names of a setting, the most frequent first.
pub(super) const fn of(goal: Goal) -> &'static [NamedSetting] {
    match goal {
        Goal::Nodes => NODES,
        // Without AMD's name, the last.
        Goal::NodesOfIntel => NODES.split_at(NODES.len() - 1).0,
        Goal::OneNodeAPackage => ONE_NODE_A_PACKAGE,
        Goal::MemorySplit(MemorySplit::NodesPerSocket) => NODES_PER_SOCKET,
        Goal::MemorySplit(MemorySplit::DieInterleaving) => DIE_INTERLEAVING,
        Goal::MemorySplit(MemorySplit::SubNuma) => SUB_NUMA,
        Goal::MemorySplit(MemorySplit::ClusterOnDie) => CLUSTER_ON_DIE,
        Goal::MemorySplit(MemorySplit::Ampere) => AMPERE,
        Goal::AllMemory => ALL_MEMORY,
    }
}

const NODES: &[NamedSetting] = &[
    ("Node Interleaving: Disabled", &[Dell, Hpe, Supermicro]),
    ("Socket Interleave: NUMA", &[Lenovo]),
    ("NUMA Optimization: Enabled", &[Fujitsu]),
    ("NUMA Optimized: Enabled", &[Cisco, Intel]),
    ("Die Interleaving: Disabled", &[Huawei]),
    ("NUMA and ACPI SRAT Table: Enabled", &[Supermicro, Huawei, Asus, AsRock, Gigabyte, Msi]),
    (
        "AMD CBS > Memory Interleaving: Channel, NUMA nodes per socket: NPS1 or more, not \
                 NPS0",
        &[],
    ),
];

/// NPS0 interleaves memory over the packages.
const ONE_NODE_A_PACKAGE: &[NamedSetting] = &[
    ("NUMA Nodes Per Socket (NPS): 1, not 0", &[Dell]),
    ("NUMA memory domains per socket (NPS): one", &[Hpe]),
    ("NUMA Nodes per Socket: NPS1, not NPS0", &[Lenovo, Cisco]),
    (
        "AMD CBS > DF Common Options > Memory Addressing > NUMA nodes per socket: NPS1, not NPS0",
        &[],
    ),
];

const NODES_PER_SOCKET: &[NamedSetting] = &[
    (
        "NUMA Nodes Per Socket (NPS): 2 or 4; L3 Cache as NUMA Domain: Enabled for a \
                 node at each L3",
        &[Dell],
    ),
    (
        "NUMA memory domains per socket (NPS): two or four; LLC as NUMA Node: Enabled for \
                 a node at each L3",
        &[Hpe],
    ),
    (
        "NUMA Nodes per Socket: NPS2 or NPS4; SRAT L3 Cache as NUMA Domain: Enabled for \
                 a node at each L3",
        &[Lenovo],
    ),
    (
        "AMD CBS > NUMA nodes per socket: NPS2 or NPS4; ACPI SRAT L3 Cache as NUMA \
                 Domain: Enabled for a node at each L3",
        &[Supermicro, Gigabyte, Asus, AsRock, Cisco],
    ),
];

const DIE_INTERLEAVING: &[NamedSetting] = &[
    ("Die Interleaving: Disabled", &[Dell]),
    ("Memory Interleaving: Channel or None", &[Hpe]),
    (
        "AMD CBS > Memory Interleaving: Channel, not Die or Socket (Threadripper: Memory \
                 Access Mode: Local)",
        &[Supermicro, Gigabyte, Asus, AsRock, Msi],
    ),
];

const SUB_NUMA: &[NamedSetting] = &[
    ("Sub NUMA Cluster: Enabled", &[Dell, Cisco, Intel]),
    ("Sub-NUMA Clustering (SNC): Enabled", &[Hpe, Fujitsu]),
    ("SNC: Enabled", &[Lenovo, Supermicro, Gigabyte, Asus]),
];

const CLUSTER_ON_DIE: &[NamedSetting] = &[
    ("Snoop Mode: Cluster on Die", &[Dell, Hpe, Lenovo]),
    ("Cluster on Die (COD): Enabled", &[Supermicro, Fujitsu, Cisco, Intel]),
];

const AMPERE: &[NamedSetting] = &[("ANC Mode: Hemisphere or Quadrant", &[])];

const ALL_MEMORY: &[NamedSetting] = &[(
    "Memory Remapping (Above 4G Memory): Enabled; Memory Mirroring and Rank Sparing: \
             Disabled",
    &[],
)];
