//! What shared memory keeps, in the shape of numactl: addresses in hexadecimal, counted from the segment's beginning.

use std::fmt::Write;

use nearfar_launch::SharedAnswer;

/// Lines for stdout; what was made is no answer, and told elsewhere.
pub fn text(answer: &SharedAnswer) -> String {
    let mut text = String::new();
    match answer {
        SharedAnswer::Made(_) => {}
        SharedAnswer::Policies(stretches) => {
            for stretch in stretches.iter().filter(|stretch| stretch.policy != "default") {
                let nodes = stretch.nodes.iter().fold(String::new(), |nodes, node| format!("{nodes}{node} "));
                let _ = writeln!(text, "{:016x}-{:016x}: {} : {nodes}", stretch.start.0, stretch.end.0, stretch.policy);
            }
        }
        SharedAnswer::Nodes(stretches) => {
            for stretch in stretches {
                let _ = writeln!(text, "{:016x}-{:016x}: {}", stretch.start.0, stretch.end.0, stretch.node);
            }
        }
        SharedAnswer::Misplaced(stretches) => {
            for stretch in stretches {
                let _ = writeln!(text, "verify {:016x}-{:016x}: {}", stretch.start.0, stretch.end.0, stretch.what);
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use nearfar_launch::{MisplacedStretch, NodeStretch, PolicyStretch};
    use nearfar_model::{Bytes, NodeId, NodeSet};

    use super::*;

    #[test]
    fn stretches_have_numactls_shape() {
        let (start, end) = (Bytes(0x8_0000), Bytes(0x18_0000));
        let nodes: NodeSet = [NodeId(0), NodeId(4)].into_iter().collect();
        let kept = PolicyStretch { start, end, policy: "interleave", nodes };
        let none = PolicyStretch { start: Bytes(0), end: start, policy: "default", nodes: NodeSet::new() };
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
