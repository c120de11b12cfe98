//! Interleaved memory on this machine.

use std::time::Duration;

use nearfar_model::{Bytes, CpuId, NodeId};
use nearfar_place::{NodeWeight, WantedPages};

use super::*;
use crate::streams::{Isa, Kernel};
use crate::worker::station::WorkSetup;

/// Streams and a chase over memory of the nodes that this process may use.
pub(super) fn setup(footprint: Bytes) -> InterleaveSetup {
    let nodes: Vec<NodeId> = nearfar_place::allowed_nodes().unwrap().iter().collect();
    let weights = vec![1; nodes.len()];
    let kernels = [Some(Kernel::Read), Some(Kernel::Copy), None];
    InterleaveSetup {
        rows: vec![nearfar_place::affinity().unwrap().iter().take(2).collect()],
        nodes: nodes.into_iter().map(|node| InterleaveNode { node, free: None }).collect(),
        treatments: kernels
            .map(|kernel| InterleaveTreatment { weights: weights.clone(), kernel })
            .into_iter()
            .collect(),
        isa: Isa::best(),
        footprint,
        window: Duration::from_millis(2),
        loads: 8192,
    }
}

#[test]
fn threads_share_the_footprint_at_different_offsets() {
    let mut setup = setup(Bytes::mib(64));
    setup.rows = vec![(0..4).map(CpuId).collect()];
    setup.nodes =
        [0, 1].map(|node| InterleaveNode { node: NodeId(node), free: Some(Bytes::gib(4)) }).into();
    let memory = |thread| setup.thread_memory(0, thread, &[6, 2]);
    assert_eq!(memory(0).bytes, Bytes::mib(16));
    assert_eq!((0..4).map(|thread| memory(thread).first).collect::<Vec<_>>(), [0, 2, 4, 6]);
    assert_eq!(
        memory(3).weights[0],
        NodeWeight { node: NodeId(0), weight: 6, free: Some(Bytes::gib(1)) }
    );
}

#[test]
fn chases_use_huge_pages_if_weights_stay_exact() {
    let large = setup(Bytes::mib(256));
    assert_eq!(large.chase_memory(&[9, 2]).pages, WantedPages::Huge);
    assert_eq!(large.chase_memory(&[30, 16]).pages, WantedPages::Base);
    assert_eq!(setup(Bytes::mib(4)).chase_memory(&[1, 1]).pages, WantedPages::Base);
}

#[test]
fn missing_and_zero_weights_are_refused() {
    let with = |weights: Vec<u32>| {
        let mut setup = setup(Bytes::mib(4));
        setup.treatments[0].weights = weights;
        setup.check()
    };
    assert!(with(vec![]).is_err());
    let nodes = setup(Bytes::mib(4)).nodes.len();
    assert!(with(vec![0; nodes]).is_err());
    with(vec![7; nodes]).unwrap();
}
