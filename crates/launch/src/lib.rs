//! How does a *program* get its place? What numactl is asked for, from words to system calls.
//!
//! What is there to choose among is a [`Hardware`]; what this thread has, and a program started by it would get, a [`Show`].

mod hardware;
mod show;

pub use hardware::{HARDWARE_SCHEMA, Hardware};
pub use show::{SHOW_SCHEMA, Show};
