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
//!   each other.
//! - [`atlas`]: published figures, and a survey beside them. [`health`]: a check in one line.
//! - [`firmware`]: the contents of firmware's tables.
//! - [`diagnosis::text`]: why the operating system sees the nodes that it sees.
//!   [`diagnosis::letter`]: the same for a vendor's support.
//! - [`devices::text`]: where devices are. [`devices::matrix`]: their pairs.
//! - [`export`]: the same in the files of NCCL, hwloc and Kubernetes.
//! - [`irq::text`]: who serves interrupts.
//! - [`process`]: where a running program's memory is, and what moved it.
//! - [`topology::text`]: the topology that a machine reports.
//! - [`process::stat`]: what nodes hold and processes have on them.
//! - [`doctor`]: what a machine allows, and how to allow the rest.
//! - [`explain`]: what remote memory costs a program, and what would help.
//! - [`metrics`]: figures for Prometheus.
//! - [`live`]: a machine during one interval, for a terminal of any size.
//! - [`launch`]: what a program that is started gets, and where its pages are.

pub mod atlas;
mod claim_findings;
mod differing;
pub mod export;
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
