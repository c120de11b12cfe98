//! Disks: a CPU reads blocks of a file or a disk into memory of a node, one or many at a time.
//!
//! Reads bypass the page cache (`O_DIRECT`). Buffers are placed and proven as in every instrument,
//! then registered with the kernel, which pins them. A visit reads for a window of time: its figure
//! is the median latency (one read at a time) or the bytes per second (several at a time), and its
//! record has all latencies and the CPUs that served the disk's interrupts meanwhile.

mod accesses;
mod engine;
mod engine_choice;
mod offsets;
mod progress;
mod record;
mod ring;
mod served;
mod setup;
mod station;
mod target_file;
mod threads;
mod traffic;

pub use engine::IoEngine;
pub use engine_choice::EngineChoice;
pub use record::IoRecord;
pub use ring::try_uring;
pub use setup::{
    AccessPattern, InterruptPlace, InterruptPlaces, IoOperation, IoSetup, IoTarget, IoTreatment,
    IoWorkload,
};
pub use target_file::{FileIdentity, MIN_BYTES, TargetError, TargetFile, check_new, folder_of};
