//! What witnesses claim about the node of a device, in words.

use nearfar_devices::{DeviceNode, NodeVerdict, NodeWitness};
use nearfar_launch::{NearClaims, NearExplained};
use nearfar_model::NodeId;

/// The paragraph of an explanation.
pub(super) fn text(near: &NearExplained) -> String {
    let claims = near.claims.iter().filter_map(sentence);
    [near.sentence.clone()].into_iter().chain(claims).collect::<Vec<_>>().join(" ")
}

/// What each witness claims, where that adds to the kernel's node.
fn sentence(claims: &NearClaims) -> Option<String> {
    let (name, node) = (&claims.name, &claims.node);
    match node.verdict {
        NodeVerdict::Agreed => {
            let named: Vec<&str> = others(node).iter().map(|(witness, _)| *witness).collect();
            Some(format!("For {name}, {} {} the same node.", named.join(" and "), verb(&named)))
        }
        NodeVerdict::KernelOnly => Some(format!("No other witness names a node of {name}.")),
        NodeVerdict::Disputed => Some(format!(
            "Witnesses disagree about {name}: {}. The kernel's node counts.",
            listed(node)
        )),
        NodeVerdict::FirmwareOnly => Some(format!("Firmware places {name}: {}.", listed(node))),
        NodeVerdict::Unknown => Some(format!("No witness names a node of {name}.")),
        NodeVerdict::OnlyNode => None,
    }
}

/// The claims about devices whose node the kernel does not know, as a phrase after their names.
pub fn claims_of_unknown(claims: &[NearClaims]) -> String {
    let named: Vec<String> = claims
        .iter()
        .filter(|one| !others(&one.node).is_empty())
        .map(|one| format!("firmware places {}: {}", one.name, listed(&one.node)))
        .collect();
    match (named.is_empty(), claims.is_empty()) {
        (false, _) => format!(" ({})", named.join("; ")),
        (true, false) => " (nor does firmware or the log name one)".to_owned(),
        (true, true) => String::new(),
    }
}

/// "_PXM names node 1, the SRAT node 0".
fn listed(node: &DeviceNode) -> String {
    let each = others(node).into_iter().enumerate().map(|(index, (witness, node))| {
        format!("{witness} {}node {node}", if index == 0 { "names " } else { "" })
    });
    each.collect::<Vec<_>>().join(", ")
}

/// The witnesses besides sysfs that name a node. AMD's driver repeats the kernel's node: its
/// agreement shows nothing.
fn others(node: &DeviceNode) -> Vec<(&'static str, NodeId)> {
    let kernel = node.sysfs_node();
    let named = node.claims.iter().filter_map(|claim| {
        let witness = match claim.witness {
            NodeWitness::Sysfs => return None,
            NodeWitness::Amdkfd if claim.claimed.node() == kernel => return None,
            NodeWitness::Pxm => "_PXM",
            NodeWitness::Log => "the kernel's log",
            NodeWitness::Srat => "the SRAT",
            NodeWitness::Amdkfd => "amdkfd",
        };
        Some((witness, claim.claimed.node()?))
    });
    named.collect()
}

fn verb(named: &[&str]) -> &'static str {
    if named.len() == 1 { "names" } else { "name" }
}

#[cfg(test)]
mod tests {
    use nearfar_devices::{ClaimedNode, NodeClaim};

    use super::*;

    /// A device that the kernel has on node 1.
    fn device(claims: &[(NodeWitness, u32)]) -> NearClaims {
        let claim = |(witness, node): &(NodeWitness, u32)| NodeClaim {
            witness: *witness,
            claimed: ClaimedNode::Node { node: NodeId(*node) },
            source: None,
        };
        let claims = [(NodeWitness::Sysfs, 1)].iter().chain(claims).map(claim).collect();
        let node = DeviceNode { node: Some(NodeId(1)), verdict: NodeVerdict::Agreed, claims };
        NearClaims { name: "GPU0".to_owned(), node }
    }

    #[test]
    fn a_copy_of_the_kernels_node_is_no_agreement() {
        let agreed = device(&[(NodeWitness::Pxm, 1), (NodeWitness::Amdkfd, 1)]);
        assert_eq!(sentence(&agreed).unwrap(), "For GPU0, _PXM names the same node.");
    }

    #[test]
    fn amdkfd_may_disagree() {
        let device = device(&[(NodeWitness::Pxm, 1), (NodeWitness::Amdkfd, 0)]);
        assert_eq!(listed(&device.node), "_PXM names node 1, amdkfd node 0");
    }
}
