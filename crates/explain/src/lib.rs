//! Why is a program slow? What its remote memory costs, what would help, and whether that helped.
//!
//! - [`AccessCosts`]: what memory of each node costs from the CPUs of each node, by a survey.
//! - [`explain`]: from a process's sampled pages and threads, what an average access to its memory
//!   costs, and how much [`Cure`]s would save, each with its interval. [`Obstacle`]s are what would
//!   keep pages from moving, known before anything moves.
//! - [`TrialPlan`], [`TrialRecord`]: a cure is tried: pages are moved there and back several times,
//!   in random order, while a [`Metric`] is read. [`TrialVerdict`] is the answer.
//!
//! An average access is one to a page drawn at random, by a thread drawn by CPU time: the kernel
//! does not record which thread uses which page. A program that uses its remote pages most gains
//! more than an average access does, one that waits little for memory less. Only a trial measures
//! what it gains.
//!
//! Pure: samples, figures and random seeds are arguments. Nothing here reads a machine, moves a
//! page or prints.

mod access_costs;
mod cure;
mod document;
mod explained;
mod metric;
mod obstacle;
mod saving;
#[cfg(test)]
mod tests;
mod trial;
mod trial_plan;

pub use access_costs::AccessCosts;
pub use cure::{Cure, CureKind};
#[cfg(feature = "schema")]
pub use document::json_schema;
pub use document::{
    ExplainDocument, ExplainedProcess, NodeShare, ProcessVerdict, SCHEMA, SurveyUsed,
    TrialDocument, TrialledProcess,
};
pub use explained::{Around, ObservedProcess, explain, obstacles};
pub use metric::{Direction, Metric, MetricKind};
pub use obstacle::Obstacle;
pub use saving::Scenario;
pub use trial::{DroppedPeriod, TrialPeriod, TrialRecord, TrialVerdict};
pub use trial_plan::{TrialPlacement, TrialPlan};

/// A difference below this fraction is none: 2 %.
pub const FLOOR: f64 = 0.02;
