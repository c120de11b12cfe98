//! What shared memory keeps, in the shape of numactl: addresses in hexadecimal, counted from the
//! segment's beginning.

use nearfar_model::Bytes;

use crate::launch::{PolicyStretch, SharedAnswer};

/// Lines for stdout; created segments are reported elsewhere.
pub fn text(answer: &SharedAnswer) -> String {
    let place = |start: Bytes, end: Bytes| format!("{:016x}-{:016x}", start.0, end.0);
    match answer {
        SharedAnswer::Made(_) => String::new(),
        SharedAnswer::Policies(stretches) => {
            let kept = stretches.iter().filter(|stretch| stretch.policy != "default");
            let nodes = |one: &PolicyStretch| {
                one.nodes.iter().map(|node| format!("{node} ")).collect::<String>()
            };
            kept.map(|one| {
                format!("{}: {} : {}\n", place(one.start, one.end), one.policy, nodes(one))
            })
            .collect()
        }
        SharedAnswer::Nodes(stretches) => stretches
            .iter()
            .map(|stretch| format!("{}: {}\n", place(stretch.start, stretch.end), stretch.node))
            .collect(),
        SharedAnswer::Misplaced(stretches) => stretches
            .iter()
            .map(|stretch| {
                format!("verify {}: {}\n", place(stretch.start, stretch.end), stretch.what)
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use nearfar_model::{NodeId, NodeSet};

    use super::*;
    use crate::launch::{MisplacedStretch, NodeStretch};

    #[test]
    fn stretches_have_numactls_shape() {
        let (start, end) = (Bytes(0x8_0000), Bytes(0x18_0000));
        let nodes: NodeSet = [NodeId(0), NodeId(4)].into_iter().collect();
        let kept = PolicyStretch { start, end, policy: "interleave", nodes };
        let none =
            PolicyStretch { start: Bytes(0), end: start, policy: "default", nodes: NodeSet::new() };
        assert_eq!(
            text(&SharedAnswer::Policies(vec![none, kept])),
            "0000000000080000-0000000000180000: interleave : 0 4 \n"
        );
        let on = SharedAnswer::Nodes(vec![NodeStretch { start, end, node: NodeId(4) }]);
        assert_eq!(text(&on), "0000000000080000-0000000000180000: 4\n");
        let what = "unexpected node 3".to_owned();
        let broken = SharedAnswer::Misplaced(vec![MisplacedStretch { start, end, what }]);
        assert_eq!(text(&broken), "verify 0000000000080000-0000000000180000: unexpected node 3\n");
    }
}
