//! Integration tests of the crate, in one program. All sweeps are of made-up programs on made-up
//! machines.

mod comparing;
mod doses;

mod failing;
mod interrupts;
mod jobs;
mod made_up;
mod near_interrupts;
mod placements;
mod recipes;
mod screens;
mod siblings;
#[path = "../sketch/mod.rs"]
mod sketch;
mod smt;
mod stopping;
mod words;
