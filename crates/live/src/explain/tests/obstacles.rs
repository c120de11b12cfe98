//! What keeps pages from moving.

use nearfar_machine::process::NumaPolicy;
use nearfar_model::{Bytes, NodeId, NodeSet};

use super::{explained, nodes, process, two_nodes};
use crate::explain::{Around, ObservedProcess, Obstacle, explain};

#[test]
fn obstacles_are_known_before_anything_moves() {
    let one = process(&[(1, 400)], &[(0, 1.0)]);
    assert_eq!(explained(&one, Some(&two_nodes())).obstacles, []);
    let hard = ObservedProcess {
        locked: Bytes::mib(1),
        pinned: Bytes::mib(2),
        is_of_other_user: true,
        memory: Bytes::gib(9),
        ..one
    };
    let (nodes, costs) = (nodes(2), two_nodes());
    let around = Around { nodes: &nodes, costs: Some(&costs), balancing: Some(true) };
    let found = explain(&hard, &around).obstacles;
    let no_room = Obstacle::NoRoom { node: NodeId(0), free: Bytes::gib(4), needed: Bytes::gib(9) };
    assert_eq!(
        found,
        [
            Obstacle::OtherUser,
            Obstacle::LockedMemory { bytes: Bytes::mib(1) },
            Obstacle::PinnedMemory { bytes: Bytes::mib(2) },
            Obstacle::Balancing,
            no_room,
        ]
    );
    let forbids: Vec<bool> = found.iter().map(Obstacle::forbids_trial).collect();
    assert_eq!(forbids, [true, true, false, false, true]);
}

/// Pages that are moved away from a bound node come back as new ones.
#[test]
fn a_policy_that_keeps_new_pages_elsewhere_is_known() {
    let found = |policy: &str| {
        let mut one = process(&[(1, 400)], &[(0, 1.0)]);
        one.policy = Some(NumaPolicy::parse(policy));
        explained(&one, Some(&two_nodes())).obstacles
    };
    let bound = |policy: &str, nodes: &str| Obstacle::Policy {
        policy: policy.to_owned(),
        nodes: NodeSet::parse_list(nodes).unwrap(),
        wanted: NodeSet::from_id(NodeId(0)),
    };
    assert_eq!(found("bind:1"), [bound("bind:1", "1")]);
    assert_eq!(found("interleave:0-1"), [bound("interleave:0-1", "0-1")]);
    assert!(!found("bind:1")[0].forbids_trial());
    for harmless in ["default", "local", "bind:0", "prefer:0"] {
        assert_eq!(found(harmless), [], "{harmless}");
    }
}
