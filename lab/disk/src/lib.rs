//! A disk of a guest whose requests take a described time: the back end of QEMU's `vhost-user-blk`.
//!
//! A plugin of QEMU never sees what a device reads and writes. This back end has the guest's memory
//! in its own address space, and each request names its buffers by physical address: so a request
//! can cost more where its buffer is in the memory of a far node. [`DiskCosts`] lists the costs,
//! [`Transfers`] computes the end of each request from them, and [`serve`] waits for these times.

mod backend;
mod content;
mod costs;
mod pending;
mod request;
mod server;
mod transfers;

pub use backend::QUEUE_SIZE;
pub use costs::{BufferCost, DiskCosts};
pub use server::{DiskServerError, serve};
pub use transfers::Transfers;
