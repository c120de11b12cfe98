use nearfar_machine::PciAddress;

use super::*;

fn claim(witness: NodeWitness, node: Option<u32>) -> NodeClaim {
    let claimed = node.map_or(ClaimedNode::NoNode, |node| ClaimedNode::Node { node: NodeId(node) });
    NodeClaim { witness, claimed, source: None }
}

fn verdict(
    only: Option<u32>,
    sysfs: Option<u32>,
    others: &[Option<u32>],
) -> (Option<u32>, NodeVerdict) {
    let mut claims = vec![claim(NodeWitness::Sysfs, sysfs)];
    claims.extend(others.iter().map(|node| claim(NodeWitness::Pxm, *node)));
    let joined = join(only.map(NodeId), claims, |_| true);
    (joined.node.map(|node| node.0), joined.verdict)
}

#[test]
fn witnesses_are_joined() {
    assert_eq!(verdict(None, Some(1), &[None, Some(1)]), (Some(1), NodeVerdict::Agreed));
    assert_eq!(verdict(None, Some(1), &[None]), (Some(1), NodeVerdict::KernelOnly));
    assert_eq!(verdict(None, None, &[Some(2), None]), (Some(2), NodeVerdict::FirmwareOnly));
    assert_eq!(verdict(None, None, &[None]), (None, NodeVerdict::Unknown));
    assert_eq!(verdict(None, Some(1), &[Some(0)]), (Some(1), NodeVerdict::Disputed));
    assert_eq!(verdict(None, None, &[Some(0), Some(1)]), (None, NodeVerdict::Disputed));
}

#[test]
fn one_node_needs_no_witness() {
    assert_eq!(verdict(Some(0), None, &[]), (Some(0), NodeVerdict::OnlyNode));
    assert_eq!(verdict(Some(0), Some(0), &[None]), (Some(0), NodeVerdict::OnlyNode));
    assert_eq!(verdict(Some(0), Some(0), &[Some(1)]), (Some(0), NodeVerdict::Disputed));
}

#[test]
fn a_device_s_own_memory_does_not_contradict_the_kernel() {
    let claims = vec![claim(NodeWitness::Sysfs, Some(0)), claim(NodeWitness::Srat, Some(2))];
    let joined = |counts: fn(&NodeClaim) -> bool| join(None, claims.clone(), counts);
    assert_eq!(joined(|_| true).verdict, NodeVerdict::Disputed);
    let kernels = joined(|claim| claim.witness != NodeWitness::Srat);
    assert_eq!((kernels.node, kernels.verdict), (Some(NodeId(0)), NodeVerdict::KernelOnly));
    assert_eq!(kernels.claims.len(), 2);
}

#[test]
fn one_node_stays_where_witnesses_disagree() {
    assert_eq!(verdict(Some(0), None, &[Some(0), Some(1)]), (Some(0), NodeVerdict::Disputed));
}

#[test]
fn a_program_goes_by_measurement_or_kernel_alone() {
    let node = |only: Option<u32>, claims: &[(NodeWitness, Option<u32>)]| {
        let claims = claims.iter().map(|(witness, node)| claim(*witness, *node)).collect();
        let joined = join(only.map(NodeId), claims, |_| true);
        [joined.node, joined.for_placement()].map(|node| node.map(|node| node.0))
    };
    use NodeWitness::{Measured, Pxm, Sysfs};
    assert_eq!(node(None, &[(Sysfs, Some(1)), (Pxm, Some(1))]), [Some(1); 2]);
    assert_eq!(node(None, &[(Sysfs, Some(1)), (Pxm, Some(0))]), [Some(1); 2]);
    assert_eq!(node(None, &[(Sysfs, Some(1)), (Measured, Some(0))]), [Some(0); 2]);
    assert_eq!(node(None, &[(Sysfs, None), (Pxm, Some(1))]), [Some(1), None]);
    assert_eq!(node(None, &[(Sysfs, None)]), [None; 2]);
    assert_eq!(node(Some(0), &[(Sysfs, None)]), [Some(0); 2]);
}

#[test]
fn hardware_is_decided_without_firmware() {
    let address = PciAddress::parse("3b:00.0").unwrap();
    let hardware = HardwareNode {
        name: "eth0".to_owned(),
        address: Some(address),
        node: Some(NodeId(1)),
        source: Some("/sys/devices/x/numa_node".to_owned()),
        measured_by: None,
    };
    let kernel = DeviceNode::from_hardware(&hardware, &[], None);
    assert_eq!((kernel.for_placement(), kernel.measured_by()), (Some(NodeId(1)), None));
    let nodes = |nodes: &[u32]| {
        let nodes = nodes.iter().copied().map(NodeId).collect();
        let measured = [MeasuredNode { address, nodes, source: "gpu-1.json".to_owned() }];
        let decided = DeviceNode::from_hardware(&hardware, &measured, None);
        (decided.for_placement(), decided.measured_by().map(str::to_owned))
    };
    let measured = Some("gpu-1.json".to_owned());
    assert_eq!(nodes(&[0, 1]), (Some(NodeId(1)), measured.clone()));
    assert_eq!(nodes(&[0]), (Some(NodeId(0)), measured));
}
