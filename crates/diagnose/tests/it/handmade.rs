//! Machines written by hand: every verdict, and every fault that the kernel does not log.

mod devices;
mod evidence;
pub(crate) mod machine;
mod performance;
mod silent_faults;
mod verdicts;
