//! What accesses cost on whole machines.

mod handover;
mod model;
mod streams;
