//! Whose CPUs stream, whose load, and through which nodes.

use nearfar_model::CpuSet;
use nearfar_probe::interleave::SpreadNode;
use nearfar_probe::{Layout, LayoutColumn, LayoutRow, PageSize, ProbeSpec};

/// The rows, and who of them streams and who loads.
pub(super) struct Rows {
    pub(super) layout: Layout,
    pub(super) streaming: Vec<usize>,
    pub(super) loading: Vec<usize>,
}

impl Rows {
    /// All CPUs together stream, and each group loads; where rows were asked for, each of them does both.
    pub(super) fn of(layout: &Layout, together: bool) -> Self {
        let mut rows = layout.rows.clone();
        let (streaming, loading) = match (together, rows.len()) {
            (false, count) => ((0..count).collect(), (0..count).collect()),
            (true, count) => {
                let cpus = rows.iter().fold(CpuSet::new(), |all, row| all.union(&row.cpus));
                let all = LayoutRow { label: "all CPUs".to_owned(), node: None, candidates: cpus.clone(), cpus };
                if count == 1 {
                    rows = vec![all];
                    (vec![0], vec![0])
                } else {
                    rows.insert(0, all);
                    (vec![0], (1..=count).collect())
                }
            }
        };
        let spread = LayoutColumn {
            label: "spread".to_owned(),
            node: None,
            pages: 1,
            probe: ProbeSpec::chase(PageSize::Huge),
            touch_from: CpuSet::new(),
            free: None,
            why_not: None,
        };
        let layout =
            Layout { rows, columns: vec![spread], control_columns: vec![], controls: vec![], spinners: CpuSet::new() };
        Self { layout, streaming, loading }
    }
}

pub(super) fn spread_node(column: &LayoutColumn) -> Option<SpreadNode> {
    let node = column.node.filter(|_| column.why_not.is_none())?;
    Some(SpreadNode { node, free: column.free })
}

/// Fewer than two nodes leave nothing to compare.
pub(super) fn why_not(nodes: &[SpreadNode]) -> Option<String> {
    match nodes {
        [] => Some("the kernel knows no nodes: memory cannot be spread over them".to_owned()),
        [only] => {
            Some(format!("node {} is the only one with memory to measure: there is nothing to interleave", only.node))
        }
        _ => None,
    }
}
