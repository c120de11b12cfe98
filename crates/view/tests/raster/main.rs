//! Integration tests of the crate, in one program.

#[path = "../../../machine/tests/it/cases.rs"]
mod cases;
mod characters;
mod pixels;
