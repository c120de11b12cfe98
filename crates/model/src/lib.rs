//! The nouns that every crate of nearfar shares, and nothing that acts.
//!
//! - [`NodeId`], [`CpuId`] and [`ProximityDomain`] are different types, because firmware's
//!   proximity domains, the kernel's nodes and its logical CPUs are three numberings that are
//!   easily taken for one another.
//! - [`CpuSet`] and [`NodeSet`] read and write the kernel's two notations: lists (`0-5,48-53`) and
//!   masks (`00ff,ffffffff`).
//! - [`DistanceMatrix`] holds what firmware claims a node costs (10 is local).
//! - [`Bytes`] keeps its unit in its type.
//! - A [`Sample`] is one measured value at a [`Place`]: a row, a column and a treatment.
//! - An [`Instrument`] is one kind of measurement, a [`Unit`] what its figures are counted in.
//! - [`Bounded`] is JSON without numbers so large that what is computed from them overflows.
//!
//! This crate reads no file and calls no system.

mod bytes;
mod distance;
mod duration;
mod id;
mod instrument;
mod magnitude;
mod sample;
mod set;
mod set_text;
mod unit;

pub use bytes::{Bytes, BytesTextError};
pub use distance::{DistanceMatrix, RaggedDistances};
pub use duration::format_duration;
pub use id::{CpuId, Id, NodeId, ProximityDomain};
pub use instrument::Instrument;
pub use magnitude::{Bounded, LARGEST_FIGURE, may_hold_large_figures};
pub use sample::{Place, Sample, Shape};
pub use set::{CpuSet, IdSet, MAX_ID, NodeSet};
pub use set_text::SetTextError;
pub use unit::Unit;
