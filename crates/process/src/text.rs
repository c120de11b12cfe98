//! Running programs and the nodes they run on.

pub(crate) mod advice;
mod cut;
mod devices;
pub mod migration;
pub mod moved;
pub(crate) mod near_devices;
pub mod page_cache;
pub mod stat;
pub mod where_is;
