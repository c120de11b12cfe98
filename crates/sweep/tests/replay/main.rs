//! Sweeps of made-up programs on made-up machines: what was put in comes out, and no more.

mod course;
mod failing;
mod jobs;
mod made_up;
mod placements;
mod smt;
