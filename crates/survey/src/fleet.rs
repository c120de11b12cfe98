//! Which machine of a fleet is sick?
//!
//! A fleet is a set of surveys, one or more of each machine.
//!
//! - [`DocumentReader`] takes surveys out of a file's bytes, one after the other: figures and
//!   settings, never samples. Its memory does not depend on the number of samples.
//! - [`FleetSurveys`] collects them: surveys of one machine are joined, duplicates found.
//! - [`FleetSurveys::judge`] makes the [`FleetDocument`]: groups of machines with one
//!   [`FleetShape`], [`FleetDrift`] of settings within them, [`FleetFinding`]s (cells that differ
//!   from those of the other machines, by `nearfar_infer`), and what findings share
//!   ([`FleetCause`]).
//!
//! [`text`] has its sentences, its table and its maps. Only
//! [`read_files`] and [`open_file`] open files.

mod cause;
mod cell_name;
mod compared_cell;
mod document;
mod drift;
mod fleet_cause;
mod fleet_direction;
mod fleet_group;
mod group;
mod interned;
mod joined;
mod judge;
mod natural_order;
mod one_document;
mod reader;
mod reading;
mod rounded_memory;
mod shape;
mod skipped;
mod statement;
mod survey_figures;
mod survey_seed;
mod surveys;
pub mod text;

pub use cell_name::FleetCellName;
pub use document::{FleetDocument, SCHEMA};
pub use drift::{DriftState, DriftValue, FleetDrift};
pub use fleet_cause::{CauseKind, CausePart, FleetCause};
pub use fleet_direction::FleetDirection;
pub use fleet_group::{
    FleetBatch, FleetCellSummary, FleetFinding, FleetGroup, FleetMachine, GroupState, NameSource,
};
pub use reader::{DocumentReader, ReadDocument};
pub use reading::{FolderError, ReadCaller, file_place, open_file, read_files};
pub use shape::FleetShape;
pub use skipped::{DocumentFault, SkippedDocument};
pub use survey_figures::SurveyFigures;
pub use surveys::{DocumentPlace, FleetSettings, FleetSurveys, NotJudged};
