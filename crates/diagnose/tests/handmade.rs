//! Machines written by hand: every verdict, and every silent fault.

#[path = "handmade/letter.rs"]
mod letter;
#[path = "handmade/machine.rs"]
mod machine;
#[path = "handmade/performance.rs"]
mod performance;
#[path = "handmade/silent_faults.rs"]
mod silent_faults;
#[path = "handmade/verdicts.rs"]
mod verdicts;
