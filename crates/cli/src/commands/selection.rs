//! Options of measuring commands that select CPUs and memory.

use clap::{Args, ValueEnum};
use nearfar_model::{CpuSet, NodeSet};
use nearfar_probe::{LayoutRequest, ProbeKind, RowKind};
use nearfar_view::terminal::exit::WrongUsage;

/// The selected CPUs and nodes.
#[derive(Clone, Debug, Args)]
pub(super) struct Selection {
    /// CPUs that form one row of the matrix
    #[arg(long, value_name = "KIND", default_value = "auto")]
    rows: RowChoice,
    /// Measure from these CPUs only, e.g. 0-3,8 [default: all allowed]
    #[arg(long, value_name = "LIST")]
    pub(super) cpus: Option<CpuSet>,
    /// Measure memory of these nodes only, e.g. 0,2 [default: all allowed]
    #[arg(long, value_name = "LIST")]
    nodes: Option<NodeSet>,
}

/// The CPUs of a row.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum RowChoice {
    /// Groups, or cores where there is only one group
    Auto,
    /// The hardware threads of a core
    Core,
    /// CPUs that share a last-level cache
    Group,
    /// CPUs of a node
    Node,
}

impl Selection {
    /// Refuses options that a core walk ignores: its rows are CPUs, and its buffer is the first
    /// CPU's.
    pub(super) fn check_for(&self, probe: ProbeKind) -> Result<(), WrongUsage> {
        let refuse = |option| {
            Err(WrongUsage(format!(
                "{option} does not apply to the core-walk probe: name CPUs with --cpus"
            )))
        };
        match (probe, self.rows, &self.nodes) {
            (ProbeKind::CoreWalk, _, Some(_)) => refuse("--nodes"),
            (ProbeKind::CoreWalk, RowChoice::Core | RowChoice::Group | RowChoice::Node, None) => {
                refuse("--rows")
            }
            _ => Ok(()),
        }
    }

    /// As the layout takes it.
    pub(super) fn wanted(&self) -> LayoutRequest {
        LayoutRequest { rows: self.rows.kind(), cpus: self.cpus.clone(), nodes: self.nodes.clone() }
    }
}

impl RowChoice {
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
