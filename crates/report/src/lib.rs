//! How surveys and machines are shown.
//!
//! Everything here is a function of a document: the same survey gives the same bytes on any
//! machine. Text carries ANSI colours, which the command strips where the terminal, a pipe or
//! `NO_COLOR` wants none; no statement rests on colour alone. No control character of a document or
//! a captured machine comes through.
//!
//! - [`survey::text`]: the one screen of a survey. [`survey::csv`]: its cells for a spreadsheet.
//! - [`page`]: surveys and sweeps as one HTML file. [`pictures`]: each picture in it.
//! - [`structure::text`]: the structure of a machine from core-to-core latencies.
//! - [`surveys::text`]: the list of kept surveys. [`survey_comparison::text`]: two of them beside
//!   each other. [`atlas`]: published figures beside one. [`health`]: a check in one line.
//! - [`export`]: files of NCCL, hwloc and Kubernetes. [`metrics`]: figures for Prometheus.

pub mod atlas;
mod claim_findings;
mod differing;
pub mod export;
mod first_screen;
mod groups;
pub mod health;
mod instruments;
pub mod links;
pub mod metrics;
pub mod page;
pub mod pictures;
pub mod structure;
pub mod survey;
pub mod survey_comparison;
pub mod surveys;
mod verbosity;
