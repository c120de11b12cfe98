//! GPUs: bytes are copied between memory of a node and a GPU, or from one GPU to another.
//!
//! Memory is placed and proven as in every instrument, then registered with the driver
//! (`cuMemHostRegister`, `hipHostRegister`), which pins it: so the GPU accesses just these pages.
//! Copies from pageable memory go through memory of the driver, wherever that is.
//!
//! Events of the driver time the copies, and the host's clock checks them: a copy that takes longer
//! by the driver than by the host is dropped. Latencies, and rates of several GPUs at once, are by
//! the host's clock, since events of different GPUs cannot be compared.
//!
//! The driver keeps memory of its own, which it allocates when it begins in a process. Processes
//! begin it on a CPU of each row in turn, so that its place is not mistaken for the program's.

mod clocks;
mod host_buffers;
mod inventory;
mod lanes;
mod setup;
mod station;

pub use crate::gpu_driver::{GpuApi, GpuIdentity};
pub use inventory::{GpuInventory, InventoryError, read_inventory, write_inventory};
pub use setup::{
    CopyDirection, CopyFigure, CopyRoute, GpuSetup, GpuTarget, GpuTreatment, HostMemory, MAX_COPY,
};
