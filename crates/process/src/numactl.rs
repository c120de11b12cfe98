//! The programs that come with numactl, under the names that scripts call: their options, what they
//! do, and what they print, in the shape that scripts read.
//!
//! Each [`Program`] has a file or a folder. numactl itself is not among them: it is `nearfar run`
//! with numactl's options only, which `nearfar_process::launch` reads.
//!
//! A program prints through a [`Console`], and ends with a [`Completion`] or a [`NumactlError`].

mod completion;
mod console;
mod error;
mod memhog;
mod migratepages;
mod migspeed;
mod misuse;
mod numademo;
mod numastat;
mod printer;
mod program;

pub use completion::Completion;
pub use console::Console;
pub use error::NumactlError;
pub use program::Program;
