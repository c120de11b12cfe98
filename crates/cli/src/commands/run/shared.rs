//! Shared memory: sets its policy, touches, shows and verifies its pages.

use std::process::ExitCode;

use nearfar_process::launch::text as launch;
use nearfar_process::launch::{Dialect, SharedAnswer, SharedStep, SharedWork};
use nearfar_view::terminal::output;
use schemars::JsonSchema;
use serde::Serialize;

use super::aside;
use super::failure::NotLaunched;

/// The results of all steps, in their order.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SharedDocument {
    schema: &'static str,
    /// In the order of the options.
    answers: Vec<SharedAnswer>,
}

impl SharedDocument {
    pub(crate) const SCHEMA: &str = "nearfar.shared/1";
}

/// Runs the steps in their order. The status is 1 if pages do not follow their policy.
pub(super) fn work(
    steps: &[SharedStep],
    dialect: Dialect,
    json: bool,
) -> Result<ExitCode, NotLaunched> {
    let mut work = SharedWork::default();
    let mut status = ExitCode::SUCCESS;
    let mut document = SharedDocument { schema: SharedDocument::SCHEMA, answers: Vec::new() };
    for step in steps {
        match work.follow(step)? {
            None => {}
            // numactl does not report this.
            Some(SharedAnswer::Made(_)) if dialect == Dialect::Numactl => {}
            Some(SharedAnswer::Made(name)) => aside(dialect, &format!("made {name}")),
            Some(answer) => {
                if matches!(&answer, SharedAnswer::Misplaced(broken) if !broken.is_empty()) {
                    status = ExitCode::FAILURE;
                }
                if json {
                    document.answers.push(answer);
                } else {
                    output::text(&launch::shared::text(&answer))?;
                }
            }
        }
    }
    if json {
        output::json(&document)?;
    }
    Ok(status)
}
