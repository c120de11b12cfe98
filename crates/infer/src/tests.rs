//! What tests of several modules share.

#[path = "../../machine/tests/it/cases.rs"]
pub(crate) mod cases;
mod of_replays;
pub(crate) mod simulate;
