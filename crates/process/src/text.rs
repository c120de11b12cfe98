//! Running programs and the nodes they run on.

mod cut;
mod devices;
pub mod migration;
pub mod moved;
pub mod stat;
pub mod where_is;
