//! What witnesses claim about the node of a device, in words.

use nearfar_devices::{DeviceNode, NodeVerdict, NodeWitness};
use nearfar_model::NodeId;

use crate::launch::{NearClaims, NearExplained};

/// The paragraph of an explanation.
pub(super) fn text(near: &NearExplained) -> String {
    let claims = near.claims.iter().filter_map(sentence);
    [near.sentence.clone()].into_iter().chain(claims).collect::<Vec<_>>().join(" ")
}

/// What each witness claims, where that adds to the kernel's node.
fn sentence(claims: &NearClaims) -> Option<String> {
    let (name, node) = (&claims.name, &claims.node);
    let (counted, uncounted): (Vec<NamedNode>, Vec<NamedNode>) = match node.verdict {
        NodeVerdict::KernelOnly => (Vec::new(), others(node)),
        NodeVerdict::Disputed => (others(node), Vec::new()),
        _ => others(node).into_iter().partition(|(_, named)| Some(*named) == node.node),
    };
    let counts = match node.verdict {
        NodeVerdict::Agreed => {
            let named: Vec<&str> = counted.iter().map(|(witness, _)| *witness).collect();
            format!("For {name}, {} {} the same node.", named.join(" and "), verb(&named))
        }
        NodeVerdict::KernelOnly => format!("No other witness confirms the node of {name}."),
        NodeVerdict::Disputed => format!(
            "Witnesses disagree about {name}: {}. The kernel's node counts.",
            listed(&counted)
        ),
        NodeVerdict::FirmwareOnly => format!("For {name}, {}.", listed(&counted)),
        // What others claim does not matter then.
        NodeVerdict::Measured => {
            let kernel = node.sysfs_node().filter(|kernel| Some(*kernel) != node.node)?;
            return Some(format!("numa_node of {name} is {kernel}: the measured node counts."));
        }
        NodeVerdict::Unknown => format!("No witness names a node of {name}."),
        NodeVerdict::OnlyNode => return None,
    };
    let does_not_count =
        uncounted.iter().map(|(witness, node)| format!("{witness} names node {node}"));
    let does_not_count: Vec<String> = does_not_count.collect();
    let mut text = counts;
    if !does_not_count.is_empty() {
        // The device's own memory, mostly.
        text += &format!(
            " For {name}, {}: a node without CPUs does not count.",
            does_not_count.join(", ")
        );
    }
    if !matches!(node.verdict, NodeVerdict::Agreed | NodeVerdict::Disputed) {
        text += &unreadable(node).map(|why| format!(" For {name}, {why}.")).unwrap_or_default();
    }
    Some(text)
}

/// The claims about devices whose node the kernel does not know, as a phrase after their names.
pub fn claims_of_unknown(claims: &[NearClaims]) -> String {
    let named: Vec<String> = claims
        .iter()
        .filter(|claim| !others(&claim.node).is_empty())
        .map(|claim| format!("for {}, {}", claim.name, listed(&others(&claim.node))))
        .collect();
    let unreadable = claims.iter().find_map(|claim| unreadable(&claim.node));
    match (named.is_empty(), unreadable) {
        (false, _) => format!(" ({})", named.join("; ")),
        (true, Some(why)) => format!(" ({why})"),
        (true, None) if claims.is_empty() => String::new(),
        (true, None) => " (nor does firmware or the log name one)".to_owned(),
    }
}

/// "_PXM and the SRAT are not readable: root may know", if a witness is not.
fn unreadable(node: &DeviceNode) -> Option<String> {
    let names: Vec<&str> = node.unreadable().map(words).collect();
    let (last, first) = names.split_last()?;
    Some(match first.is_empty() {
        true => format!("{last} is not readable: root may know"),
        false => format!("{} and {last} are not readable: root may know", first.join(", ")),
    })
}

/// A witness, and the node that it names.
type NamedNode = (&'static str, NodeId);

/// "_PXM names node 1, the SRAT node 0".
fn listed(named: &[NamedNode]) -> String {
    let each = named.iter().enumerate().map(|(index, (witness, node))| {
        format!("{witness} {}node {node}", if index == 0 { "names " } else { "" })
    });
    each.collect::<Vec<_>>().join(", ")
}

/// The witnesses besides sysfs that name a node. AMD's driver repeats the kernel's node: its
/// agreement shows nothing.
fn others(node: &DeviceNode) -> Vec<NamedNode> {
    let kernel = node.sysfs_node();
    let named = node.claims.iter().filter_map(|claim| match claim.witness {
        NodeWitness::Sysfs => None,
        NodeWitness::Amdkfd if claim.claimed.node() == kernel => None,
        witness => Some((words(witness), claim.claimed.node()?)),
    });
    named.collect()
}

fn words(witness: NodeWitness) -> &'static str {
    match witness {
        NodeWitness::Sysfs => "numa_node",
        NodeWitness::Pxm => "_PXM",
        NodeWitness::Log => "the kernel's log",
        NodeWitness::Srat => "the SRAT",
        NodeWitness::Amdkfd => "amdkfd",
        NodeWitness::Measured => "a measurement",
    }
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
        assert_eq!(listed(&others(&device.node)), "_PXM names node 1, amdkfd node 0");
    }

    #[test]
    fn nodes_without_cpus_do_not_agree() {
        let agreed = device(&[(NodeWitness::Pxm, 1), (NodeWitness::Srat, 2)]);
        assert_eq!(
            sentence(&agreed).unwrap(),
            "For GPU0, _PXM names the same node. For GPU0, the SRAT names node 2: a node without \
             CPUs does not count."
        );
        let mut alone = device(&[(NodeWitness::Srat, 2)]);
        alone.node.verdict = NodeVerdict::KernelOnly;
        assert_eq!(
            sentence(&alone).unwrap(),
            "No other witness confirms the node of GPU0. For GPU0, the SRAT names node 2: a node \
             without CPUs does not count."
        );
    }

    #[test]
    fn unreadable_witnesses_are_no_denial() {
        let mut unknown = device(&[(NodeWitness::Pxm, 1), (NodeWitness::Srat, 1)]);
        for claim in &mut unknown.node.claims {
            claim.claimed = match claim.witness {
                NodeWitness::Sysfs => ClaimedNode::NoNode,
                _ => ClaimedNode::NotReadable,
            };
        }
        unknown.node.verdict = NodeVerdict::Unknown;
        assert_eq!(
            claims_of_unknown(&[unknown]),
            " (_PXM and the SRAT are not readable: root may know)"
        );
    }
}
