//! The scope of a measurement: CPUs, memory, precision and time limit.

use std::time::Duration;

use nearfar_model::Bytes;
use nearfar_probe::{LayoutRequest, RowKind};

use crate::{Mode, Options};

/// The CPUs and memory to measure, the precision and the time limit.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The precision.
    pub mode: Mode,
    /// Rows, CPUs and nodes.
    pub wanted: LayoutRequest,
    /// The time limit; without one each instrument measures until its figures are precise.
    pub budget: Option<Duration>,
    /// The seed of every random choice; random if absent.
    pub seed: Option<u64>,
}

impl Scope {
    /// The same by groups of CPUs, unless rows were requested: a single core neither fills a node's
    /// channels nor has neighbours to load it.
    pub(crate) fn by_group(&self) -> LayoutRequest {
        let rows =
            if self.wanted.rows == RowKind::Auto { RowKind::Group } else { self.wanted.rows };
        LayoutRequest { rows, ..self.wanted.clone() }
    }

    /// The scope as the document records it, with memory and accesses of one sample.
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
