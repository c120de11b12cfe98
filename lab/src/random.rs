//! Machines that nothing was tuned to: drawn by a seed, and replayed as numbers.
//!
//! - [`Family`]: kinds of machines; [`drawn`] has the mixed one, [`shown`] the others, of
//!   [`costs`] and claims of [`firmware`].
//! - [`fleet`]: machines of one shape, and their surveys.
//! - [`hidden_part`]: machines whose hidden nodes a search sees all or a part of, and the sentences
//!   about them.
//! - [`hidden_replay`]: a search for hidden nodes without a guest.
//! - [`noise`]: what it adds to costs.
//! - [`replay`]: what a survey of it would be inferred to be, without a guest: noise on the true
//!   costs, judged as `check` judges a survey. [`document`] makes a survey of them, so that its
//!   sentences are judged, too.

mod costs;
mod document;
mod drawn;
mod family;
mod firmware;
pub(crate) mod fleet;
mod hidden_part;
mod hidden_replay;
mod noise;
mod replay;
mod shown;

pub(crate) use family::Family;
pub(crate) use hidden_part::HiddenMachine;
pub(crate) use replay::{Replay, replayed};
#[cfg(test)]
pub(crate) use {document::claims as shown_claims, firmware::Claimed, replay::replayed_survey};

/// Describes a machine of a family; the same seed gives the same one.
pub(crate) fn description(seed: u64, family: Family) -> String {
    match family {
        Family::Mixed => drawn::description(seed),
        _ => shown::description(seed, family, None),
    }
}

/// Describes a machine of a family that shows its nodes, with claims of this kind.
#[cfg(test)]
pub(crate) fn described(seed: u64, family: Family, claimed: Claimed) -> String {
    shown::description(seed, family, Some(claimed))
}
