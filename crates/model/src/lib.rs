//! The types that every crate of nearfar shares. They perform no actions.
//!
//! - [`NodeId`], [`CpuId`] and [`ProximityDomain`] are different types. Firmware's proximity
//!   domains, the kernel's nodes and its logical CPUs are three numberings that are easily
//!   confused.
//! - [`CpuSet`] and [`NodeSet`] parse and print the kernel's two notations: lists (`0-5,48-53`) and
//!   masks (`00ff,ffffffff`).
//! - [`DistanceMatrix`] holds the node distances that firmware claims (10 is local).
//! - [`Bytes`] keeps its unit in its type.
//! - A [`Sample`] is one measured value at a [`CellIndex`]: a row, a column and a treatment.
//! - [`DurationCounts`] is a distribution of durations in little memory.
//! - An [`Instrument`] is one kind of measurement, a [`Unit`] the unit of its figures.
//! - [`Bounded`] is JSON without numbers that would overflow computations; [`is_cost`] is a number
//!   that a measurement can have.
//! - Text of other programs: [`is_obeyed`] characters, [`write_json`] without them, a [`HostName`],
//!   a [`CommandLine`] for the files of other programs.
//!
//! ```
//! use nearfar_model::{Bytes, CpuSet, NodeId, NodeSet};
//!
//! let cpus = CpuSet::parse_list("0-5,48-53")?;
//! assert_eq!((cpus.len(), cpus.to_string()), (12, "0-5,48-53".to_owned()));
//! let nodes = NodeSet::parse_list("0-1")?;
//! assert!(nodes.contains(NodeId(1)));
//! assert_eq!(Bytes::mib(1536).to_string(), "1.5 GiB");
//! # Ok::<(), nearfar_model::SetTextError>(())
//! ```
//!
//! This crate reads no file and makes no system call.

mod bytes;
mod command_line;
mod distance;
mod duration;
mod duration_counts;
mod finding;
mod host_name;
mod id;
mod instrument;
mod json;
mod magnitude;
mod obeyed;
mod place_label;
mod sample;
mod scanned_text;
mod schema_as;
mod set;
mod set_text;
mod unit;

pub use bytes::{Bytes, BytesTextError};
pub use command_line::{CommandLine, UnwritableWord, shell_word};
pub use distance::{DistanceMatrix, RaggedDistances, nearest_nodes};
pub use duration::format_duration;
pub use duration_counts::{DurationCounts, class_end_ns, class_middle_ns};
pub use finding::{FindingCode, Severity};
pub use host_name::{HostName, NoHostName};
pub use id::{CpuId, Id, NodeId, ProximityDomain};
pub use instrument::Instrument;
pub use json::{json_line, write_indented_json, write_json};
pub use magnitude::{Bounded, MAX_FIGURE, NonNegative, is_cost, is_figure};
pub use obeyed::is_obeyed;
pub use place_label::PlaceLabel;
pub use sample::{CellIndex, MatrixShape, Sample};
pub use scanned_text::ScannedText;
pub use set::{CpuSet, IdSet, MAX_ID, NodeSet};
pub use set_text::SetTextError;
pub use unit::Unit;

/// Runs the examples of the README as doctests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
