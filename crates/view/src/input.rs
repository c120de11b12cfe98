//! Files from outside: what a user names, and what lies in folders of other machines.
//!
//! Such a path may lead to anything. [`open`] takes regular files and pipes, [`open_entry`] regular
//! files only: the user who names a folder did not choose what lies in it. Both look before they
//! open, since opening a device may already do something. Both refuse a file by its size before
//! they read, and count what they read, since pipes and files of the kernel have no size.
//!
//! A pipe that no program writes to is given up after some seconds. One that a program holds open
//! may stay silent: its program may be measuring.

mod opening;
mod pasted;
mod refusal;

pub use opening::{Input, open, open_entry, read, read_entry};
pub use pasted::{unquoted, without_colours};
pub use refusal::is_too_large;
