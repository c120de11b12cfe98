//! What do we keep of a measured machine?
//!
//! - [`Survey`] is the document: versioned JSON (`"schema": "nearfar.survey/1"`), with a JSON Schema in `schema/`. Its
//!   parts have a file each: the [`Machine`], what it [`Claims`], the cost [`Matrix`], [`Warning`]s, [`Provenance`] and the raw [`Samples`].
//! - [`assemble`] turns what a plan heard into a survey. Every figure in it follows from its samples and its seed.
//! - [`PairMatrix`] reads matrices of core-to-core latencies that others measured, and [`Structure`] says what they show.
//! - [`Store`] keeps surveys as files under the user's data folder, whole or not at all.
//!
//! This crate renders nothing and measures nothing.

mod assemble;
mod bandwidth;
mod boot_options;
mod caches;
mod claimed_parts;
mod claims;
pub mod compare;
mod controls;
mod core_to_core;
mod core_walk;
mod destination;
mod disturbances;
mod document;
mod environment_warnings;
mod figures;
mod file;
mod hidden;
mod interleave;
mod left_out;
mod loaded;
mod machine;
mod matrix;
mod meaning;
mod node_latency;
mod nodes;
mod page_size;
mod pair_matrix;
mod part;
mod precision_warnings;
mod provenance;
mod sample_warnings;
mod samples;
#[cfg(test)]
mod sketch;
mod soundness;
mod store;
mod structure;
mod two_levels;
mod verdict;
mod warning;
mod whole_file;

pub use assemble::{Instruments, LatencyRun, Observed, assemble};
pub use bandwidth::{Bandwidth, BandwidthRun, KernelTraffic, Knee, Peak, StoodOut, Streaming, knee};
pub use caches::{Caches, CachesRun, FoundCaches, FoundLevel, FoundTlb, JudgedClaim, Paging};
pub use claimed_parts::{CacheGroupPart, CorePart, DiePart, PackagePart, Parts};
pub use claims::{ClaimedDevice, ClaimedNode, Claims};
pub use controls::{Compared, Controls};
pub use core_to_core::{CoreToCore, CoreToCoreRun, Exchanging, FoundGroup, FoundStructure, Misclaimed, PairClass};
pub use destination::Destination;
pub use disturbances::{Course, Disturbance};
#[cfg(feature = "schema")]
pub use document::json_schema;
pub use document::{SCHEMA, Survey};
pub use file::{SurveyError, read};
pub use hidden::{
    Fingerprint, FirstLook, Hidden, HiddenLines, HiddenPages, HiddenRun, HiddenSamples, Jump, LARGEST_SHARE, PageKind,
    Timeline,
};
pub use interleave::{
    BestSpread, Interleave, InterleaveRun, SpreadLoad, SpreadRun, SpreadStream, spell as spell_weights,
};
pub use loaded::{Loaded, LoadedRun, Loading, LoadingCurve, Measured, SharedLink, load_points};
pub use machine::Machine;
pub use matrix::{Cell, Column, Matrix, Plain, Row};
pub use node_latency::NodeLatency;
pub use nodes::{
    CheckedCell, CheckedClaim, ClaimsMeasured, Confirmed, DistanceClass, DistanceClasses, NodeHops, NodeLink,
    NodeLinks, NodeWay, Ranked,
};
pub use page_size::{PageSize, PageSizeRun};
pub use pair_matrix::{NoMatrix, PairMatrix, PairMatrixError};
pub use part::{Part, Treatment};
pub use provenance::{InstrumentRun, LeftOut, Mode, Options, Provenance};
pub use samples::Samples;
pub use store::{Content, Kept, Store};
pub use structure::{STRUCTURE_SCHEMA, Structure, Undecided};
pub use verdict::Verdict;
pub use warning::Warning;
pub use whole_file::{IfExists, WholeFile};
