//! Where a started program's pages are.

use crate::launch::Watched;

use nearfar_view::text::count;

/// A line for each node with pages, and a sentence: for stderr, since stdout is the program's.
pub fn text(watched: &Watched) -> String {
    let others = match watched.processes.saturating_sub(1) {
        0 => String::new(),
        others => format!(" and {} that it started", count(others, "process")),
    };
    let mut text =
        format!("nearfar: process {}{others} after {} s:\n", watched.pid, watched.after_s);
    for on in &watched.nodes {
        let (node, bytes, percent) = (on.node, on.bytes.to_string(), on.share * 100.0);
        text += &format!("nearfar:   node {node:<4} {bytes:>10}  {percent:>5.1} %\n");
    }
    text + &format!("nearfar: {}\n", watched.sentence)
}

#[cfg(test)]
mod tests {
    use nearfar_model::{Bytes, NodeId};

    use super::*;
    use crate::launch::BytesOnNode;

    #[test]
    fn each_node_has_a_line() {
        let nodes = vec![
            BytesOnNode { node: NodeId(0), bytes: Bytes::mib(1), share: 0.25 },
            BytesOnNode { node: NodeId(12), bytes: Bytes::mib(3), share: 0.75 },
        ];
        let watched = Watched {
            schema: Watched::SCHEMA,
            pid: 7,
            processes: 1,
            after_s: 0.5,
            nodes,
            wanted: None,
            elsewhere_bytes: Bytes(0),
            elsewhere_share: Some(0.0),
            sentence: "Done.".to_owned(),
        };
        let expected = "\
nearfar: process 7 after 0.5 s:
nearfar:   node 0         1 MiB   25.0 %
nearfar:   node 12        3 MiB   75.0 %
nearfar: Done.
";
        assert_eq!(text(&watched), expected);
        let family = text(&Watched { processes: 3, ..watched });
        assert!(
            family.starts_with("nearfar: process 7 and 2 processes that it started after 0.5 s:\n"),
            "{family}"
        );
    }
}
