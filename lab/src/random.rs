//! Machines that nothing was tuned to: drawn by a seed, and replayed as numbers.
//!
//! - [`drawn`]: a description: nodes, packages, costs, what firmware claims of them or hides.
//! - [`hidden_part`]: machines whose hidden nodes a search sees all or a part of, and the sentences
//!   about them.
//! - [`hidden_replay`]: a search for hidden nodes without a guest.
//! - [`replay`]: what a survey of it would be inferred to be, without a guest: noise on the true
//!   costs, judged as `check` judges a survey.

mod drawn;
mod hidden_part;
mod hidden_replay;
mod replay;

pub(crate) use drawn::description;
pub(crate) use hidden_part::HiddenMachine;
pub(crate) use replay::replayed;
