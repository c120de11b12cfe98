//! What a program would get, in words.

use nearfar_view::text::paragraph;

use super::near;
use crate::launch::Explanation;

const INDENT: &str = "           ";

/// A paragraph each for CPUs, memory, what happens when it is full, and the kernel.
pub fn text(explanation: &Explanation) -> String {
    let mut text = String::new();
    if let Some(near) = &explanation.near {
        text += &paragraph::of(&near::text(near), "Near       ", INDENT);
    }
    text += &paragraph::of(&explanation.cpus.sentence, "CPUs       ", INDENT);
    text += &paragraph::of(&explanation.memory.sentence, "Memory     ", INDENT);
    text += &paragraph::of(&explanation.memory.when_full, "When full  ", INDENT);
    if let Some(denied) = &explanation.denied {
        text += &paragraph::of(&format!("It cannot be had here. {denied}."), "Refused    ", INDENT);
    }
    text += &paragraph::of(&kernel(explanation), "Kernel     ", INDENT);
    for remark in &explanation.remarks {
        text += &paragraph::of(remark, "Note       ", INDENT);
    }
    text
}

fn kernel(explanation: &Explanation) -> String {
    match explanation.lacks.as_deref() {
        None => {
            let why = explanation
                .lacks_why
                .as_deref()
                .unwrap_or("the calls that would show it are refused");
            format!("Its policies are unknown: {why}.")
        }
        Some([]) => "It supports every memory policy.".to_owned(),
        Some(lacks) => {
            let each = lacks.iter().map(|lack| format!("{} (Linux {})", lack.what, lack.since));
            format!("It lacks {}.", each.collect::<Vec<_>>().join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use nearfar_model::{CpuId, CpuSet, NodeId, NodeSet};

    use super::*;
    use crate::launch::{CpusExplained, MemoryExplained, MissingFeature};

    fn explanation() -> Explanation {
        Explanation {
            schema: Explanation::SCHEMA,
            cpus: CpusExplained {
                cpus: CpuSet::from_id(CpuId(0)),
                nodes: NodeSet::from_id(NodeId(0)),
                chosen: true,
                sentence: "It runs on CPU 0 only.".to_owned(),
            },
            memory: MemoryExplained {
                policy: Some("bind"),
                nodes: Some(NodeSet::from_id(NodeId(0))),
                chosen: true,
                node_memory: Vec::new(),
                sentence: "Every page comes from node 0.".to_owned(),
                when_full: "It is killed.".to_owned(),
            },
            near: None,
            lacks: Some(Vec::new()),
            lacks_why: None,
            denied: None,
            remarks: vec!["A remark.".to_owned()],
        }
    }

    #[test]
    fn each_part_has_its_paragraph() {
        let expected = "\
CPUs       It runs on CPU 0 only.
Memory     Every page comes from node 0.
When full  It is killed.
Kernel     It supports every memory policy.
Note       A remark.
";
        assert_eq!(text(&explanation()), expected);
    }

    #[test]
    fn refused_and_missing_features_are_shown() {
        let lacks =
            Some(vec![MissingFeature { what: "the policy weighted-interleave", since: "6.9" }]);
        let text = text(&Explanation {
            denied: Some("seccomp \u{1b}[2J".to_owned()),
            lacks,
            ..explanation()
        });
        assert!(text.contains("Refused    It cannot be had here. seccomp \u{fffd}[2J."), "{text}");
        assert!(
            text.contains("Kernel     It lacks the policy weighted-interleave (Linux 6.9).\n"),
            "{text}"
        );
        let why = Some("get_mempolicy was refused".to_owned());
        let unknown = super::text(&Explanation { lacks: None, lacks_why: why, ..explanation() });
        let expected = "Kernel     Its policies are unknown: get_mempolicy was refused.\n";
        assert!(unknown.contains(expected), "{unknown}");
    }
}
