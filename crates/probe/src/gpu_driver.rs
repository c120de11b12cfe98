//! GPU drivers by their libraries, loaded while the program runs: which GPUs there are, and copies
//! between their memory and the host's, timed by the GPUs.
//!
//! [`load_driver`] finds NVIDIA's (`libcuda.so.1`) or AMD's (`libamdhip64.so`). No other software
//! of the vendors is needed, and none when nearfar is built. [`GpuDriver`] lists GPUs and opens
//! them. A [`Gpu`] gives memory, streams and events, which release themselves.
//! [`Gpu::register`] pins memory of the host where the caller has placed it.
//!
//! The interfaces have the same functions but for their names and a few arguments
//! (`src/functions.rs`), so that one implementation serves both. Signatures, constants and error
//! codes were compared with `cuda.h` of CUDA 12.9, with `hip_runtime_api.h` of HIP 5.2 (Debian 12),
//! and with what AMD's Python bindings of HIP 10.0 declare.

mod api;
mod calls;
mod context;
mod device_memory;
mod driver;
mod event;
mod functions;
mod gpu;
mod gpu_error;
mod identity;
mod library;
mod load_error;
mod registered_memory;
mod stream;

pub use api::GpuApi;
pub use device_memory::DeviceMemory;
pub use driver::{GpuDriver, load_driver};
pub use event::Event;
pub use gpu::Gpu;
pub use gpu_error::{GpuError, GpuErrorKind};
pub use identity::GpuIdentity;
pub use load_error::{LoadAttempt, LoadError, LoadFailure};
pub use registered_memory::RegisteredMemory;
pub use stream::Stream;
