//! What a machine is expected to have: of few machines, without itself.

use std::ops::Deref;

use super::MIN_MACHINES;
use super::fit::FleetFit;

/// Up to this many machines, each is compared with the others. Of more, one that is far off is left
/// out of the spread, and moves no center.
pub(super) const FEW_MACHINES: usize = 24;

/// A probability counts this many times: for two comparisons, and for spreads of few machines,
/// which are less precise than their degrees of freedom show (by simulation). With four, priors
/// are held back enough.
pub(super) fn comparisons(machines: usize) -> f64 {
    let few = if machines > MIN_MACHINES { 8.0 / machines as f64 } else { 0.0 };
    2.0 + few
}

/// What a machine is expected to have.
pub(super) enum Expected<'f> {
    OfAll(&'f FleetFit<'f>),
    OfOthers(Box<FleetFit<'f>>),
}

impl<'f> Expected<'f> {
    pub(super) fn of(fit: &'f FleetFit<'f>, machine: usize) -> Self {
        match fit.levels.len() {
            0..=FEW_MACHINES => Self::OfOthers(Box::new(fit.without(machine))),
            _ => Self::OfAll(fit),
        }
    }
}

impl<'f> Deref for Expected<'f> {
    type Target = FleetFit<'f>;

    fn deref(&self) -> &FleetFit<'f> {
        match self {
            Self::OfAll(fit) => fit,
            Self::OfOthers(fit) => fit,
        }
    }
}
