//! Running programs and the nodes they run on.

pub mod stat;
