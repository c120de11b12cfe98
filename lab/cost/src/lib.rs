//! What does an access cost on a machine of the lab?
//!
//! - [`Charges`] is the plugin's input, [`Ledger`] its output when the
//!   guest ends.
//! - [`Model`] charges: each [`Access`] of an [`EmulatedCpu`] that misses its model cache ends when
//!   the machine's figures require, after waiting for memory and links that others use.
//! - [`Instruction`] knows the few instructions that the emulator makes nothing of, and the lab
//!   does.
//!
//! Pure: addresses and times come in, times come out. The plugin (`lab/plugin`) brings QEMU and a
//! clock to it.

mod cache;
mod charges;
mod charges_error;
mod cpu;
mod device_access;
mod directory;
mod disturbance;
mod histogram;
mod instruction;
mod ledger;
mod model;
mod pages;
mod paths;
mod places;
mod posted;
mod streams;
#[cfg(test)]
mod tests;
mod turnstile;

pub use charges::{
    Bursts, Charges, Drift, HomeRange, LINE_BYTES, Link, ModifiedLines, Move, Noise, Streams,
};
pub use charges_error::ChargesError;
pub use cpu::EmulatedCpu;
pub use device_access::{DeviceAccess, DeviceReached, DeviceWindow};
pub use instruction::{Instruction, InstructionSet};
pub use ledger::{Charged, Ledger, Moved};
pub use model::{Access, Model, Wait};
