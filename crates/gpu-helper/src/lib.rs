//! GPUs are measured through the library of their driver, which only a dynamic program can load.
//!
//! The released nearfar is static. So GPU work runs in a second program, `nearfar-gpu`: dynamic,
//! for glibc 2.17 and newer, and otherwise the same worker. [`GpuHelper::find`] finds it:
//!
//! 1. the file that the environment variable [`HELPER_VARIABLE`] names;
//! 2. this program itself, if it is dynamic;
//! 3. the copy embedded in this program, which is started from memory (`memfd_create`);
//! 4. a file `nearfar-gpu` near this program, if no other user can change it.
//!
//! Root, and a program with more rights than its user, start a named file on the same condition.
//!
//! A helper of another version refuses to work: the two exchange JSON of one version.
//! [`WorkerTask`] is what both programs do as workers. [`main`] is the whole of `nearfar-gpu`.

mod arguments;
mod candidates;
#[cfg(test)]
mod elf_header;
mod embedded;
mod error;
mod helper;
mod helper_main;
mod memory_file;
mod program;
mod trial;
mod worker_task;

pub use candidates::HELPER_VARIABLE;
pub use error::HelperError;
pub use helper::GpuHelper;
pub use helper_main::main;
pub use program::HelperOrigin;
pub use worker_task::WorkerTask;

/// The version that both programs must have.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
