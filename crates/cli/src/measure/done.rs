//! How far instruments went.

use nearfar_probe::{Outcome, Stop};

/// How far an instrument went.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Done {
    pub(super) rounds: u32,
    pub(super) processes: u32,
    /// Why its last plan stopped.
    pub(super) stopped: Stop,
}

impl Done {
    /// All that these outcomes count.
    pub(super) fn of<'o>(outcomes: impl IntoIterator<Item = &'o Outcome>) -> Self {
        outcomes.into_iter().fold(Self::default(), |done, outcome| Self {
            rounds: done.rounds + outcome.rounds,
            processes: done.processes + outcome.processes,
            stopped: outcome.stopped,
        })
    }
}
