//! The number of hidden nodes, exact or the least, and what it leaves open.

use nearfar_infer::hidden::{Coverage, Nearness, PageStatement};
use nearfar_model::CpuSet;
use serde::{Deserialize, Serialize};

use crate::MatrixRow;

/// The number of hidden nodes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NodeCount {
    /// Kinds of pages that were seen. Nodes that all CPUs see alike are one.
    pub nodes: usize,
    /// Whether there are no more nodes. Otherwise there are at least this many, and memory may be
    /// slower than `effect`.
    pub is_exact: bool,
    /// Nodes that differ by less than this (a fraction) may count as one.
    pub resolution: f64,
    /// CPUs that are near none of the pages seen, in list form: equally far from the nearest two
    /// kinds, or farther from the nearest one than other CPUs.
    #[schemars(with = "String")]
    pub far_cpus: CpuSet,
    /// CPUs whose nearest kind may not be near: they are slow, or nearer memory was not seen.
    #[schemars(with = "String")]
    pub doubtful_cpus: CpuSet,
    /// CPUs whose nearest two kinds differ by less than their error.
    #[schemars(with = "String")]
    pub undetermined_cpus: CpuSet,
    /// The largest part of the memory that was not looked at and may be of another node: its first
    /// and last physical address. Null where there is none, or addresses are unknown.
    pub unseen_bytes: Option<[u64; 2]>,
    /// Its share of all memory, a fraction.
    pub unseen_share: Option<f64>,
    /// Pages that are too few for a kind, and of none of these.
    pub strays: usize,
    /// Whether more memory may show more nodes.
    pub needs_memory: bool,
}

impl NodeCount {
    /// The number of kinds, and what is known of their nodes. `None` without kinds.
    pub(super) fn new(
        statement: &PageStatement,
        coverage: Option<&Coverage>,
        rows: &[MatrixRow],
        left_out: Option<&CpuSet>,
    ) -> Option<Self> {
        let all_cpus = left_out.is_none_or(CpuSet::is_empty);
        let is_exact = statement.is_exact(coverage, all_cpus);
        let cpus = |is_meant: fn(&Nearness) -> bool| {
            let places = statement.near.iter().zip(rows).filter(|(near, _)| is_meant(near));
            places.fold(CpuSet::new(), |all, (_, row)| all.union(&row.cpus))
        };
        let unseen = coverage
            .and_then(|coverage| coverage.beyond.or(coverage.anywhere))
            .filter(|_| !is_exact);
        (!statement.clusters.is_empty()).then(|| Self {
            nodes: statement.clusters.len(),
            is_exact,
            resolution: statement.resolution.unwrap_or_default(),
            far_cpus: cpus(|near| *near == Nearness::None),
            // Where all memory was seen, nothing nearer is left.
            doubtful_cpus: cpus(|near| matches!(near, Nearness::Doubtful(_)))
                .difference(&if is_exact { all(rows) } else { CpuSet::new() }),
            undetermined_cpus: cpus(|near| *near == Nearness::Undetermined),
            unseen_bytes: unseen.map(|unseen| unseen.address_bytes),
            unseen_share: unseen.map(|unseen| unseen.share),
            strays: statement.strays,
            needs_memory: statement.asks_for_more_memory(coverage, all_cpus),
        })
    }
}

fn all(rows: &[MatrixRow]) -> CpuSet {
    rows.iter().fold(CpuSet::new(), |all, row| all.union(&row.cpus))
}
