//! Integration tests of the crate, in one program.

#[path = "../../../machine/tests/it/cases.rs"]
mod cases;
mod contrast;
mod fonts;
mod golden;
mod golden_plans;
mod strange;
mod strange_plans;
