//! Running programs and the nodes they run on.

pub(crate) mod advice;
pub(crate) mod conditions;
mod cut;
mod devices;
mod gpu_memory;
pub mod killed;
pub mod migration;
pub mod moved;
pub(crate) mod near_devices;
pub mod objects;
pub mod page_cache;
pub mod several;
pub mod stat;
pub mod where_csv;
pub mod where_is;
