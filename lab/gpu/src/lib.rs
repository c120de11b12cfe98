//! A stand-in for the libraries of GPU drivers (`libcuda.so.1`, `libamdhip64.so`): its copies take
//! the time that a description gives them.
//!
//! The environment variable `NEARFAR_LAB_GPUS` names the [`Description`] of a machine's GPUs. The
//! time of a copy follows the node of the host's memory, as the kernel reports it, the node of the
//! calling CPU, whether the memory is registered, and what other copies share with it.
//! `src/schedule.rs` simulates that without a clock. A program that waits for a copy waits as long
//! as the copy takes. Between a program's calls no simulated time passes: durations between events
//! are exact, however busy the host is.
//!
//! The library has the functions that `crates/probe` needs, under both vendors' names, and no
//! others. Copies of up to 16 KiB move all bytes, larger ones 4 KiB at both ends. Unlike HIP, the
//! stand-in has to be initialised.

mod codes;
mod contradictions;
mod copy_model;
mod description;
mod description_file;
mod device_block;
mod driver;
mod exports;
mod fair_share;
mod handles;
mod host_memory;
mod missing_symbol;
mod paced_clock;
mod process;
mod registrations;
mod schedule;
mod timeline;

pub use description::{
    Api, Description, Faults, GpuDescription, LinkDescription, LostGpu, PeerDescription,
    Registration,
};
pub use description_file::{DESCRIPTION_VARIABLE, DescriptionError, parse};
pub use missing_symbol::without_symbol;
