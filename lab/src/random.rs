//! Machines that nothing was tuned to: drawn by a seed, and replayed as numbers.
//!
//! - [`drawn`]: a description: nodes, packages, costs, what firmware claims of them or hides.
//! - [`replay`]: what a survey of it would be inferred to be, without a guest: noise on the true
//!   costs, judged as `check` judges a survey.

mod drawn;
mod replay;

pub(crate) use drawn::description;
pub(crate) use replay::replayed;
