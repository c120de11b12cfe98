//! How does a measurement go: what is planned, for how long, and when is it done?
//!
//! A [`Measurement`] is made of a [`Scope`] (which CPUs and memory, how precisely, for how long)
//! and of an instrument's [`Settings`], and run: it gives a [`Survey`](nearfar_survey::Survey).
//! Each instrument has a file, with its settings and an [`Experiment`]: a first [`Turn`], and
//! further ones as long as they make its figures more certain. [`Measurement::survey`] measures
//! with several; `schedule` gives each its time. Worker processes are started by `live`, which is
//! one [`Backend`]; tests have simulated ones.
//!
//! This crate decides what is measured. It neither times an access (`probe`) nor decides what
//! figures mean (`infer`), and prints nothing: the caller's [`Progress`] does.

mod backend;
mod cost;
mod error;
mod experiment;
mod instruments;
mod live;
mod measurement;
mod progress;
mod run;
mod schedule;
mod scope;
mod session;
#[cfg(test)]
mod tests;
mod turn;

pub use backend::{Backend, Spacing, Task};
pub use error::{MeasureError, SettingsError};
pub use experiment::{Effort, Experiment, Settings};
pub use instruments::*;
pub use measurement::{Measurement, SurveySettings};
pub use progress::{Progress, TaskState, TaskStatus, TimeLeft};
pub use run::{Run, RunSummary};
pub use scope::Scope;
pub use session::Session;
pub use turn::Turn;
