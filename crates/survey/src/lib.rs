//! Surveys of memory: how they are made, what is kept of them, and what they show together.
//!
//! - [`Survey`] is the document: versioned JSON (`"schema": "nearfar.survey/2"`), with a JSON
//!   Schema in `schema/`. Its parts have a file each: the [`MachineSummary`], what it [`Claims`],
//!   the cost [`Matrix`], [`Warning`]s, [`Provenance`] and the raw [`Samples`].
//! - [`assemble`] turns a plan's outcome into a survey. Every figure in it follows from its
//!   samples and its seed.
//! - [`PairMatrix`] reads matrices of core-to-core latencies that others measured, and
//!   [`Structure`] holds what they show.
//! - [`Store`] keeps surveys as files under the user's data folder, whole or not at all.
//!
//! - [`measure`]: the course of a measurement, from settings to the document. [`health`]: a check
//!   of one machine; [`compare`]: two surveys; [`fleet`]: many; [`atlas`]: published figures beside
//!   one.
//!
//! Nothing here times an access. Screens and pages of a survey are nearfar-report's.

mod assemble;
pub mod atlas;
mod claimed_parts;
mod claims;
pub mod compare;
mod controls;
mod destination;
mod disturbances;
mod document;
pub mod document_kind;
mod environment_warnings;
mod figure;
mod figures;
mod file;
mod fill_evidence;
mod fill_warning;
pub mod fleet;
pub mod health;
mod level_pair;
mod limited_value;
mod machine;
mod matrix;
pub mod measure;
mod memory_kind;
mod node_latency;
mod nodes;
mod page_size;
mod pair_matrix;
mod parquet;
mod part;
mod precision_warnings;
mod provenance;
mod sample_warnings;
mod samples;
#[cfg(test)]
mod sketch;
mod skipped;
mod soundness;
mod store;
mod structure;
mod two_levels;
mod warning;

pub use assemble::{Observed, assemble};
pub use claimed_parts::{
    CacheGroupPart, ClaimedPackage, ClaimedParts, CorePart, CpuKindPart, DiePart, EqualCaches,
    SideCachePart,
};
pub use claims::{ClaimedDevice, ClaimedNode, Claims};
pub use controls::{ControlComparison, Controls};
pub use destination::Destination;
pub use disturbances::{Disturbance, RoundTimeline};
pub use document::*;
pub use figure::{Figure, InstrumentTable, MiddleFigure};
pub use file::{SurveyError, read, read_entry};
pub use fill_evidence::{CellFills, FillCounting, FillEvidence};
pub use level_pair::LevelPair;
pub use limited_value::{limited_map, limited_value};
pub use machine::{CpuNumbers, MachineSummary};
pub use matrix::{Matrix, MatrixCell, MatrixColumn, MatrixRow, NoTreatment};
pub use memory_kind::MemoryKind;
pub use nearfar_view::owned_files::{IfExists, WholeFile};
pub use nodes::{ClaimsMeasured, DistanceClasses, NodeLinks};
pub use page_size::PageSizeMatrix;
pub use pair_matrix::{NoMatrix, PairMatrix, PairMatrixError};
pub use part::{Treatment, TreatmentMatrix};
pub use provenance::{InstrumentRun, Mode, Options, Provenance, Skipped};
pub use samples::Samples;
pub use store::{Content, KeptSurvey, Store};
pub use structure::{
    PossibleGroup, STRUCTURE_SCHEMA, SlowCpuFactor, Structure, Undecided, UndecidedReason,
};
pub use warning::{
    Attempts, CellLevels, CellWarning, DroppedCode, EnvironmentWarning, FillsContradict, NeedsTime,
    Outlier, PrecisionWarning, SampleWarning, SkippedWarning, TwoLevels, Warning, WarningCode,
    WarningKind,
};
