//! The rows that stream, the rows that chase, and the nodes.

use nearfar_model::CpuSet;
use nearfar_probe::interleave::InterleaveNode;
use nearfar_probe::{Layout, LayoutColumn, LayoutRow, MemoryJob, PageSize, ProbeSpec};

/// The rows, and which of them stream and which chase.
pub(super) struct InterleaveRows {
    pub(super) layout: Layout,
    pub(super) streaming: Vec<usize>,
    pub(super) loading: Vec<usize>,
}

impl InterleaveRows {
    /// All CPUs together stream, and each group chases; if rows were requested, each of them does
    /// both.
    pub(super) fn new(layout: &Layout, together: bool) -> Self {
        let mut rows = layout.rows.clone();
        let (streaming, loading) = match (together, rows.len()) {
            (false, count) => ((0..count).collect(), (0..count).collect()),
            (true, count) => {
                let cpus = rows.iter().fold(CpuSet::new(), |all, row| all.union(&row.cpus));
                let all = LayoutRow::new("all CPUs".to_owned(), None, cpus);
                if count == 1 {
                    rows = vec![all];
                    (vec![0], vec![0])
                } else {
                    rows.insert(0, all);
                    (vec![0], (1..=count).collect())
                }
            }
        };
        let interleaved = LayoutColumn {
            label: "spread".to_owned(),
            probe: ProbeSpec::chase(PageSize::Huge),
            pages: 1,
            memory: MemoryJob::default(),
        };
        Self {
            layout: Layout { rows, columns: vec![interleaved], ..Layout::default() },
            streaming,
            loading,
        }
    }
}

pub(super) fn spread_node(column: &LayoutColumn) -> Option<InterleaveNode> {
    let node = column.memory.node.filter(|_| column.memory.why_not.is_none())?;
    Some(InterleaveNode { node, free: column.memory.free })
}

/// With fewer than two nodes there is nothing to compare.
pub(super) fn why_not(nodes: &[InterleaveNode]) -> Option<String> {
    match nodes {
        [] => Some("the kernel has no nodes: there is nothing to interleave".to_owned()),
        [only] => Some(format!(
            "node {} is the only one with memory to measure: there is nothing to interleave",
            only.node
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use nearfar_model::NodeId;

    use super::*;

    #[test]
    fn one_node_leaves_nothing_to_interleave() {
        let node = |id| InterleaveNode { node: NodeId(id), free: None };
        assert!(why_not(&[]).unwrap().contains("has no nodes"));
        assert!(why_not(&[node(4)]).unwrap().starts_with("node 4 is the only one"));
        assert_eq!(why_not(&[node(0), node(1)]), None);
    }

    #[test]
    fn all_cpus_stream_and_each_group_chases() {
        let row = |cpus: &str| {
            let cpus = CpuSet::parse_list(cpus).unwrap();
            LayoutRow::new(cpus.to_string(), None, cpus)
        };
        let layout = |rows| Layout { rows, ..Layout::default() };
        let two = InterleaveRows::new(&layout(vec![row("0-1"), row("2-3")]), true);
        assert_eq!(
            (two.layout.rows[0].cpus.to_string(), two.streaming, two.loading),
            ("0-3".to_owned(), vec![0], vec![1, 2])
        );
        let one = InterleaveRows::new(&layout(vec![row("0-1")]), true);
        assert_eq!((one.layout.rows.len(), one.streaming, one.loading), (1, vec![0], vec![0]));
        let each = InterleaveRows::new(&layout(vec![row("0-1"), row("2-3")]), false);
        assert_eq!(
            (each.layout.rows.len(), each.streaming, each.loading),
            (2, vec![0, 1], vec![0, 1])
        );
    }
}
