//! The pairs of CPUs, the lines that they exchange, and the lines' home nodes.

use nearfar_model::{CpuId, MatrixShape};
use serde::{Deserialize, Serialize};

use crate::layout_column::MemoryJob;
use crate::probe_error::ProbeError;
use crate::worker::station::{WorkSetup, sound};

/// What the two CPUs do with the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Exchange {
    /// Ping-pong of one line by compare-and-swap. The cost is that of one way: half a round trip.
    Handoff,
    /// The first loads lines that the second has just written and still holds modified.
    Modified,
    /// The first loads lines that the second has just read and holds clean.
    Clean,
}

/// The node of the line's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Home {
    /// The second CPU's node: that of the writer.
    Writer,
    /// The first CPU's node: that of the reader.
    Reader,
    /// Neither CPU's node.
    Third,
    /// Any node: there is one, or none is known.
    Any,
}

/// A combination of exchange and home that pairs are visited with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PairTreatment {
    /// The exchange.
    pub exchange: Exchange,
    /// Where the line is.
    pub home: Home,
}

/// The pairs: rows are their first CPUs, columns the second ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairSetup {
    /// The CPUs.
    pub cpus: Vec<CpuId>,
    /// The node of each CPU, as an index of `lines`.
    pub node_of: Vec<usize>,
    /// A page of lines on each node.
    pub lines: Vec<MemoryJob>,
    /// The combinations that pairs are visited with.
    pub treatments: Vec<PairTreatment>,
    /// Whether a hypervisor may time-share a core between two CPUs.
    pub is_guest: bool,
}

impl WorkSetup for PairSetup {
    fn shape(&self) -> MatrixShape {
        MatrixShape {
            rows: self.cpus.len(),
            columns: self.cpus.len(),
            treatments: self.treatments.len(),
        }
    }

    fn check(&self) -> Result<(), ProbeError> {
        let placed = self.node_of.len() == self.cpus.len()
            && self.node_of.iter().all(|&node| node < self.lines.len());
        sound(placed && !self.treatments.is_empty(), "pairs of CPUs without lines or treatments")
    }
}

impl PairSetup {
    /// The home node of a pair's line, as an index of `lines`; `None` if there is no third node.
    pub fn home(&self, first: usize, second: usize, home: Home, draw: u32) -> Option<usize> {
        let (reader, writer) = (self.node_of[first], self.node_of[second]);
        match home {
            Home::Writer | Home::Any => Some(writer),
            Home::Reader => Some(reader),
            Home::Third => {
                let others: Vec<usize> = (0..self.lines.len())
                    .filter(|&node| {
                        node != reader && node != writer && self.lines[node].why_not.is_none()
                    })
                    .collect();
                let chosen = draw as usize % others.len().max(1);
                others.get(chosen).copied()
            }
        }
    }
}

impl Exchange {
    /// Its name in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Handoff => "handoff",
            Self::Modified => "modified",
            Self::Clean => "clean",
        }
    }
}

impl Home {
    /// Its name in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Writer => "writer",
            Self::Reader => "reader",
            Self::Third => "third",
            Self::Any => "any",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup(nodes: usize) -> PairSetup {
        PairSetup {
            cpus: (0..4).map(CpuId).collect(),
            node_of: (0..4).map(|cpu| cpu % nodes).collect(),
            lines: vec![MemoryJob::default(); nodes],
            treatments: vec![
                PairTreatment { exchange: Exchange::Handoff, home: Home::Writer },
                PairTreatment { exchange: Exchange::Clean, home: Home::Third },
            ],
            is_guest: false,
        }
    }

    #[test]
    fn a_third_node_is_neither_cpus() {
        assert_eq!(setup(2).home(0, 1, Home::Third, 7), None);
        for draw in 0..10 {
            let third = setup(4).home(0, 1, Home::Third, draw);
            assert!(third == Some(2) || third == Some(3), "{third:?}");
        }
        assert_eq!(setup(4).home(0, 1, Home::Writer, 0), Some(1));
        assert_eq!(setup(4).home(0, 1, Home::Reader, 0), Some(0));
    }

    #[test]
    fn cpus_on_absent_nodes_are_refused() {
        let mut wrong = setup(2);
        wrong.node_of[3] = 2;
        assert!(wrong.check().is_err());
        assert!(PairSetup { treatments: vec![], ..setup(2) }.check().is_err());
        setup(2).check().unwrap();
    }
}
