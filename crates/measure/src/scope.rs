//! What every measurement is asked: which CPUs and memory, how precisely, for how long.

use std::time::Duration;

use nearfar_model::Bytes;
use nearfar_probe::{LayoutRequest, RowKind};
use nearfar_survey::{Mode, Options};

/// Which CPUs and memory are measured, how precisely and for how long.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// How precisely.
    pub mode: Mode,
    /// Rows, CPUs and nodes.
    pub wanted: LayoutRequest,
    /// Time limit; without one each instrument measures until its figures are precise.
    pub budget: Option<Duration>,
    /// Seed of every random choice; drawn where there is none.
    pub seed: Option<u64>,
}

impl Scope {
    /// The same for groups of CPUs, where no kind of rows was asked for: a core by itself neither
    /// fills a node's channels nor has neighbours to disturb it.
    pub(crate) fn by_group(&self) -> LayoutRequest {
        let rows =
            if self.wanted.rows == RowKind::Auto { RowKind::Group } else { self.wanted.rows };
        LayoutRequest { rows, ..self.wanted.clone() }
    }

    /// As the document records it, with memory and accesses of one sample.
    pub(crate) fn options(&self, size: Bytes, accesses: u64) -> Options {
        Options {
            mode: self.mode,
            rows: self.wanted.rows.name().to_owned(),
            cpus: self.wanted.cpus.clone(),
            nodes: self.wanted.nodes.clone(),
            size_bytes: size.0,
            accesses,
        }
    }
}
