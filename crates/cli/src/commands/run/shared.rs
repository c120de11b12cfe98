//! The policy of shared memory: set, touched, told, verified.

use std::process::ExitCode;

use nearfar_launch::{Dialect, SharedAnswer, SharedStep, SharedWork};
use nearfar_report::launch;

use super::aside;
use super::failure::Failure;
use crate::output;

/// Does each thing in its order. Fails with status 1 when something does not follow its policy.
pub(super) fn work(steps: &[SharedStep], dialect: Dialect) -> Result<ExitCode, Failure> {
    let mut work = SharedWork::default();
    let mut status = ExitCode::SUCCESS;
    for step in steps {
        match work.follow(step)? {
            None => {}
            // numactl makes it without a word.
            Some(SharedAnswer::Made(_)) if dialect == Dialect::Numactl => {}
            Some(SharedAnswer::Made(name)) => aside(dialect, &format!("made {name}")),
            Some(answer) => {
                if matches!(&answer, SharedAnswer::Misplaced(broken) if !broken.is_empty()) {
                    status = ExitCode::FAILURE;
                }
                output::text(&launch::shared::text(&answer))?;
            }
        }
    }
    Ok(status)
}
