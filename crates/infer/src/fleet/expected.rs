//! What one machine is expected to have: what the others have.

use std::ops::Deref;

use super::MIN_MACHINES;
use super::fit::{Compared, FleetFit};
use super::tails::Tail;

/// Up to this many machines, each is compared with the others. Of more, one that is far off is left
/// out of the spread, and moves no center.
pub(super) const FEW_MACHINES: usize = 24;

/// A probability counts this many times: by itself, and beside the machine's other cells.
pub(super) const COMPARISONS: f64 = 2.0;

/// One with normal tails counts this many times: spreads of few machines are less precise than
/// their degrees of freedom show (by simulation). With four, priors are held back enough.
pub(super) fn comparisons(machines: usize) -> f64 {
    let few = if machines > MIN_MACHINES { 8.0 / machines as f64 } else { 0.0 };
    COMPARISONS + few
}

/// How far healthy machines are taken to lie out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tails {
    /// As the other machines show.
    Seen,
    /// As normal deviates do.
    Normal,
}

/// The fit that a machine is compared with, and the tails of the other machines.
pub(super) struct Expected<'f> {
    fit: Fit<'f>,
    /// By itself, and beside the machine's other cells; none where they are normal.
    tails: Option<[[Tail; 2]; 2]>,
}

enum Fit<'f> {
    OfAll(&'f FleetFit<'f>),
    OfOthers(Box<FleetFit<'f>>),
}

impl<'f> Expected<'f> {
    pub(super) fn of(fit: &'f FleetFit<'f>, machine: usize, tails: Tails) -> Self {
        let expected = match fit.levels.len() {
            0..=FEW_MACHINES => Fit::OfOthers(Box::new(fit.without(machine))),
            _ => Fit::OfAll(fit),
        };
        let tails = (tails == Tails::Seen).then(|| expected.tails_without(machine));
        Self { fit: expected, tails }
    }

    /// A machine's cell compared with its batch.
    pub(super) fn own(&self, machine: usize, cell: usize) -> Option<Compared> {
        let cells = self.fit.independent_cells(cell)[0];
        Some(self.with_tail(self.fit.own(machine, cell)?, 0, cells))
    }

    /// The same, beside the machine's other cells.
    pub(super) fn beside(&self, machine: usize, cell: usize) -> Option<Compared> {
        let cells = self.fit.independent_cells(cell)[1];
        Some(self.with_tail(self.fit.beside(machine, cell)?, 1, cells))
    }

    /// What healthy machines have above the center, by itself and beside the machine's others;
    /// of a mean, with the tails of a single cell.
    pub(super) fn slower(&self, machine: usize, cell: usize) -> [Option<Compared>; 2] {
        let [own, beside] = self.fit.slower(machine, cell);
        let own = own.map(|it| self.with_tail(it, 0, 1.0));
        [own, beside.map(|it| self.with_tail(it, 1, 1.0))]
    }

    /// Of the mean of this many independent cells.
    fn with_tail(&self, compared: Compared, which: usize, cells: f64) -> Compared {
        let is_above = usize::from(compared.log > 0.0);
        let tail = self.tails.map(|tails| tails[which][is_above].of_mean(cells));
        Compared { tail, ..compared }
    }
}

impl<'f> Deref for Fit<'f> {
    type Target = FleetFit<'f>;

    fn deref(&self) -> &FleetFit<'f> {
        match self {
            Self::OfAll(fit) => fit,
            Self::OfOthers(fit) => fit,
        }
    }
}
