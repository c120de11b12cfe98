//! How slow does memory become when it is busy? One CPU walks pages while others stream through the
//! same node's memory, or another's.
//!
//! A visit is one page sample of the *victim*, a row's CPU that the process drew, beside
//! *aggressors*: the CPUs of a row that are not the victim's core, each streaming through memory of
//! its own with a pause after every piece. The sample carries what they moved meanwhile.

mod aggressors;
mod setup;
mod station;
#[cfg(test)]
mod tests;

pub use setup::{Load, LoadedSetup};
