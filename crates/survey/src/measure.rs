//! Runs measurements: what is planned, for how long, and when it is done.
//!
//! A [`Measurement`] consists of a [`Scope`] (CPUs, memory, precision, time limit) and an
//! instrument's [`Settings`]; running it gives a [`Survey`](nearfar_survey::Survey). Each
//! instrument has a file with its settings and an [`Experiment`]: a first [`Turn`], and further
//! ones while they make its figures more precise. [`Measurement::survey`] runs several instruments;
//! `schedule` allocates their time. `live` starts worker processes and is one [`Backend`]; tests
//! have simulated ones.
//!
//! What is measured is decided here. This module does not time an access (`probe`), does not
//! interpret figures (`infer`), and prints nothing: the caller's [`Progress`] does.

mod backend;
mod cost;
mod error;
mod experiment;
mod instruments;
mod limits;
mod live;
mod measurement;
mod plan_parts;
mod progress;
mod run;
mod schedule;
mod scope;
mod session;
#[cfg(test)]
mod tests;
mod turn;

pub use backend::{Backend, PlanTask, StartSpacing};
pub use error::{MeasureError, SettingsError};
pub use experiment::{Effort, Experiment, NewExperiment, Settings};
pub use instruments::*;
pub use live::WorkerCommand;
pub use measurement::{Measurement, SurveySettings};
pub use progress::{Progress, TaskProgress, TaskState, TimeLeft};
pub use run::{ExperimentRun, RunSummary};
pub use scope::Scope;
pub use session::Session;
pub use turn::Turn;
