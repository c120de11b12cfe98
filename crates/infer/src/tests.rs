//! Shared code of several modules' tests.

#[path = "../../machine/tests/it/cases.rs"]
pub(crate) mod cases;
mod of_replays;
pub(crate) mod simulate;
