//! Which CPUs and which memory: options that measuring commands share.

use clap::{Args, ValueEnum};
use nearfar_model::{CpuSet, NodeSet};
use nearfar_probe::{ProbeKind, RowKind, Wanted};
use nearfar_terminal::exit::WrongUsage;

/// What is compared.
#[derive(Clone, Debug, Args)]
pub(super) struct Selection {
    /// What a row is: a core, a group of CPUs that share their last-level cache, or a node. By
    /// default groups, or cores where there is one group.
    #[arg(long, value_name = "KIND", default_value = "auto")]
    rows: Rows,
    /// Measure from these CPUs only (list form: 0-3,8).
    #[arg(long, value_name = "LIST")]
    pub(super) cpus: Option<CpuSet>,
    /// Measure memory of these nodes only (list form: 0,2).
    #[arg(long, value_name = "LIST")]
    nodes: Option<NodeSet>,
}

/// What a row is.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Rows {
    Auto,
    Core,
    Group,
    Node,
}

impl Selection {
    /// Refuses what a core walk cannot heed: its rows are CPUs, and its buffer belongs to the first
    /// of them.
    pub(super) fn check_for(&self, probe: ProbeKind) -> Result<(), WrongUsage> {
        let refuse = |option| {
            Err(WrongUsage(format!(
                "{option} does not go with the core-walk probe: name CPUs with --cpus"
            )))
        };
        match (probe, self.rows, &self.nodes) {
            (ProbeKind::CoreWalk, _, Some(_)) => refuse("--nodes"),
            (ProbeKind::CoreWalk, Rows::Core | Rows::Group | Rows::Node, None) => refuse("--rows"),
            _ => Ok(()),
        }
    }

    /// As the layout takes it.
    pub(super) fn wanted(&self) -> Wanted {
        Wanted { rows: self.rows.kind(), cpus: self.cpus.clone(), nodes: self.nodes.clone() }
    }
}

impl Rows {
    /// As the layout takes it.
    pub(super) fn kind(self) -> RowKind {
        match self {
            Self::Auto => RowKind::Auto,
            Self::Core => RowKind::Core,
            Self::Group => RowKind::Group,
            Self::Node => RowKind::Node,
        }
    }
}
