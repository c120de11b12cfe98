//! The node of a device, and the claims about it.

use nearfar_model::NodeId;
use serde::{Deserialize, Serialize};

/// The node of a device by all witnesses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct DeviceNode {
    /// The node; null if no witness names one.
    #[schemars(with = "Option<u32>")]
    pub node: Option<NodeId>,
    /// How well it is known.
    pub verdict: NodeVerdict,
    /// What each witness claims.
    pub claims: Vec<NodeClaim>,
}

impl DeviceNode {
    /// The node for a program that shall be near the device: the one that copies showed, else the
    /// kernel's, else the machine's only one.
    ///
    /// What firmware alone names does not count: it may be wrong, and a user accepts it with
    /// `--near-anyway`.
    pub fn for_placement(&self) -> Option<NodeId> {
        match self.verdict {
            NodeVerdict::Measured => self.node,
            NodeVerdict::OnlyNode => self.sysfs_node().or(self.node),
            NodeVerdict::Agreed
            | NodeVerdict::KernelOnly
            | NodeVerdict::FirmwareOnly
            | NodeVerdict::Disputed
            | NodeVerdict::Unknown => self.sysfs_node(),
        }
    }

    /// The measurement that decided, if one did.
    pub fn measured_by(&self) -> Option<&str> {
        let measured = self.claims.iter().find(|claim| claim.witness == NodeWitness::Measured)?;
        measured.source.as_deref().filter(|_| self.verdict == NodeVerdict::Measured)
    }

    /// The node that the kernel shows in sysfs, which is all that other programs read.
    pub fn sysfs_node(&self) -> Option<NodeId> {
        self.claims.iter().find(|claim| claim.witness == NodeWitness::Sysfs)?.claimed.node()
    }

    /// The witnesses that this user may not read.
    pub fn unreadable(&self) -> impl Iterator<Item = NodeWitness> + use<'_> {
        let denied = self.claims.iter().filter(|claim| claim.claimed == ClaimedNode::NotReadable);
        denied.map(|denied| denied.witness)
    }
}

/// How well a node is known. But for a measurement, all witnesses repeat what firmware claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NodeVerdict {
    /// The machine has one node.
    OnlyNode,
    /// The kernel's node, and at least one other witness names the same.
    Agreed,
    /// The kernel's node; no other witness is available.
    KernelOnly,
    /// The kernel knows none, and firmware names one.
    FirmwareOnly,
    /// Witnesses name different nodes: the node is the kernel's, which is what programs get.
    Disputed,
    /// Copies showed which node is nearest, whatever others claim.
    Measured,
    /// No witness names a node.
    Unknown,
}

/// A witness of a device's node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NodeWitness {
    /// `numa_node` in sysfs.
    Sysfs,
    /// `_PXM` in the DSDT or a SSDT.
    Pxm,
    /// The kernel's log.
    Log,
    /// A generic initiator or generic port of the SRAT.
    Srat,
    /// AMD's compute driver, which keeps the node that the kernel had when it was loaded. Only its
    /// disagreement counts.
    Amdkfd,
    /// Copies between the device and every node's memory (`nearfar gpu`), on this machine.
    Measured,
}

/// What one witness claims.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NodeClaim {
    /// The witness.
    pub witness: NodeWitness,
    /// Its claim.
    #[serde(flatten)]
    pub claimed: ClaimedNode,
    /// Where it is: a path of sysfs, a line of the log, a table and a path in it; null where there
    /// is nothing to quote.
    pub source: Option<String>,
}

/// A claim, or why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "claim", rename_all = "kebab-case")]
pub enum ClaimedNode {
    /// A node.
    Node {
        /// The node.
        #[schemars(with = "u32")]
        node: NodeId,
    },
    /// A domain of firmware for which the kernel has no node.
    DomainWithoutNode {
        /// The domain.
        domain: u32,
    },
    /// It states that there is no node.
    NoNode,
    /// It has code that computes the domain, which is not evaluated.
    NotEvaluated,
    /// It exists, and is not readable.
    NotReadable,
    /// It exists, and cannot be decoded: captures of older releases have no content of the DSDT.
    Malformed,
    /// It has nothing about this device.
    Silent,
}

impl ClaimedNode {
    /// The claimed node.
    pub fn node(self) -> Option<NodeId> {
        match self {
            Self::Node { node } => Some(node),
            _ => None,
        }
    }
}
