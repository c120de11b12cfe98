//! Is this machine normal? Published figures of machines, and a survey beside them.
//!
//! - [`Atlas`] holds rows by CPU model and mode, each with source, tool and [`Method`]. The build
//!   fails on a wrong row.
//! - [`compare`] puts a machine's [`MachineFigures`] beside them: symmetry within the machine
//!   first, then remote to local, then the share of theoretical bandwidth, absolute latency last.
//!   It calls nothing unusual that methods differ by.
//! - [`Submission`] is what is sent of a survey: a row, and the document without what identifies
//!   the machine.
//!
//! Pure: texts and documents are arguments. Sentences are those of nearfar-report.

mod built_in;
mod comparison;
mod cpu_name;
mod document;
mod family;
mod figures;
mod published;
mod row;
mod submission;

pub use built_in::{Atlas, AtlasMatch};
pub use comparison::{
    AtlasCheck, AtlasComparison, Beside, CheckOutcome, MatchedBy, Quantity, Symmetry, SymmetryOf,
    Unjudged, compare,
};
pub use document::{AtlasDocument, SCHEMA};
pub use figures::{MachineFigures, NodeFigure};
pub use published::Published;
pub use row::{AtlasRow, Method, Platform, Span};
pub use submission::{KEPT, Submission, SubmissionError};
