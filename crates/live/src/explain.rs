//! Why is a program slow? What the place of its memory costs, what may help, and whether it did.
//!
//! - [`AccessCosts`]: what memory of each node costs from the CPUs of each node, by a survey.
//! - [`explain`]: from a process's sampled pages and threads, how much longer an access takes than
//!   to the fastest memory, and how much more or less with each [`Cure`]. [`Obstacle`]s are what
//!   would keep pages from moving, known before anything moves.
//! - [`TrialPlan`], [`TrialRecord`]: a cure is tried: pages are moved there and back several times,
//!   in random order, while a [`Metric`] is read. [`TrialVerdict`] is the answer.
//!
//! The kernel does not record which thread uses which page, nor how often. So these figures are
//! [`TimeBounds`] over all ways of use, and cures have no order. Only a trial measures a gain.
//!
//! Only [`observe`] reads processes, and [`try_cure`] moves pages and reads a metric. All else is
//! pure: samples, figures and random seeds are arguments. Nothing here prints.

mod access_costs;
mod bounds;
mod cure;
mod document;
mod error;
mod explained;
mod metric;
mod metric_reader;
mod observed;
mod observing;
mod obstacle;
mod obstacles;
mod pause;
mod possible_cures;
#[cfg(test)]
mod tests;
pub mod text;
mod trial;
mod trial_plan;
mod trial_run;

pub use access_costs::AccessCosts;
pub use bounds::{AccessChange, AccessTime, TimeBounds};
pub use cure::{Cure, CureKind};
pub use document::{
    ExplainDocument, ExplainedProcess, NodeShare, ProcessVerdict, SCHEMA, SurveyUsed,
    TrialDocument, TrialledProcess,
};
pub use error::ExplainError;
pub use explained::explain;
pub use metric::{Direction, Metric, MetricKind};
pub use observed::{Around, ObservedProcess};
pub use observing::observe;
pub use obstacle::Obstacle;
pub use obstacles::obstacles;
pub use trial::{DroppedPeriod, TrialPeriod, TrialRecord, TrialVerdict};
pub use trial_plan::{TrialPlacement, TrialPlan};
pub use trial_run::{
    TrialEvent, TrialReport, TrialSettings, chosen_cure, trial_refusals, try_cure,
};

/// A difference below this fraction is none: 2 %.
pub const FLOOR: f64 = 0.02;
