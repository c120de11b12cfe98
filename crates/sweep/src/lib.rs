//! Where does a *program* run best?
//!
//! A sweep runs a command under several [`Configuration`]s: placements ([`SweepPlacement`]),
//! numbers of jobs, environment variables. Each *block* runs all of them once, in random order, so
//! that a slow moment hits all alike; blocks go on until medians are known well enough ([`sweep`]).
//! Each run has a supervisor, a process of its own ([`supervise`]). After every
//! run, what was seen is kept in a [`Sweep`]; its [`Answers`] follow from the runs alone.
//!
//! [`text`] and [`pictures`] show it. This crate prints nothing and measures no memory.

pub mod answers;
pub mod axes;
pub mod compare;
mod configuration;
pub mod cpusets;
mod document;
mod dosed_runs;
mod doses;
mod error;
mod every_run_failed;
mod file;
mod hook;
mod interrupts;
mod judging;
mod limits;
mod line;
mod live_runner;
pub mod machine_setup;
mod metric;
mod objective;
pub mod pictures;
pub mod placement;
mod plan;
pub mod recipe;
mod record;
mod shortest;
pub mod supervise;
mod system;
mod template;
pub mod text;

pub use answers::Answers;
pub use configuration::{Configuration, RequestedAxes, configurations};
pub use document::{
    Axes, ConfigurationResult, RunSettings, SCHEMA, Sweep, SweepMachine, SweepRecipe,
};
pub use dosed_runs::DosedRuns;
pub use doses::{DoseNodes, DoseSurvey, SweepDose, SweepDoses};
pub use error::SweepError;
pub use every_run_failed::EveryRunFailed;
pub use file::read;
pub use interrupts::{InterruptAxis, InterruptTarget, RunInterrupts, SweepInterrupts};
pub use judging::is_really_fastest;
pub use limits::{LimitOptions, Limits, SweepStopReason};
pub use live_runner::LiveRunner;
pub use metric::Metric;
pub use objective::Objective;
pub use placement::{SweepPlacement, Unavailable};
pub use plan::{Observer, RunAttempt, Runner, SweepProgress, sweep};
pub use record::{ProgramOutput, ResourceUsage, RunEnd, RunFailure, RunRecord, SweepRun};
pub use system::{SystemSetting, SystemValues};
pub use template::{Placeholders, fill};
