//! Machines written by hand: every verdict, and every silent fault.

mod evidence;
mod machine;
mod performance;
mod silent_faults;
mod verdicts;
