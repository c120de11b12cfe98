//! A machine drawn so that its owner recognises it: packages, dies, cache groups, nodes and what connects them.

use crate::Heading;

/// A machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MachinePlan {
    /// Title and description.
    pub heading: Heading,
    /// Its packages, in order.
    pub packages: Vec<Package>,
    /// Nodes that have no CPUs (expanders) or whose package nobody knows.
    pub apart: Vec<PlanNode>,
    /// What connects its nodes.
    pub links: Vec<PlanLink>,
}

/// What sits in a socket.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Package {
    /// "package 0".
    pub name: String,
    /// Its nodes; CPUs stand in their node.
    pub nodes: Vec<PlanNode>,
}

/// A node, or the whole memory where there is only one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanNode {
    /// Its number as links name it.
    pub id: u32,
    /// "node 0".
    pub name: String,
    /// "64 GiB", "no memory".
    pub memory: String,
    /// The dies in it; one without a name where nothing is known of dies.
    pub dies: Vec<Die>,
    /// Devices at this node: "nvme0n1", "mlx5_0".
    pub devices: Vec<String>,
}

/// A piece of silicon.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Die {
    /// "die 0", or nothing.
    pub name: String,
    /// CPUs that share a last cache.
    pub groups: Vec<CacheGroup>,
}

/// CPUs that share a last cache.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CacheGroup {
    /// Its CPUs in the kernel's notation: "0-5,48-53".
    pub cpus: String,
    /// How many cores it has (drawn as small squares).
    pub cores: usize,
    /// The cache: "L3 8 MiB".
    pub cache: String,
}

/// A connection of two nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanLink {
    /// The nodes' numbers, as [`PlanNode::id`].
    pub ends: [u32; 2],
    /// What is written at it: "167 ns".
    pub label: String,
    /// Only claimed (dashed), or measured.
    pub claimed: bool,
}
