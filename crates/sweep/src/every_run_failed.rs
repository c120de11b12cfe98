//! A sweep without a successful run is no success.

use thiserror::Error;

use crate::document::Sweep;
use crate::record::SweepRun;
use crate::text::failures;

/// There is nothing that the sweep rests on; with the last run's reason.
#[derive(Debug, Error)]
#[error("every run failed: {0}")]
pub struct EveryRunFailed(String);

impl Sweep {
    /// Whether some run succeeded.
    ///
    /// # Errors
    ///
    /// None did.
    pub fn check_success(&self) -> Result<(), EveryRunFailed> {
        let runs: Vec<&SweepRun> = self
            .configurations
            .iter()
            .flat_map(|configuration| &configuration.configuration.runs)
            .collect();
        if runs.iter().any(|run| run.failed.is_none()) {
            return Ok(());
        }
        let last = runs.iter().max_by_key(|run| run.order).and_then(|run| run.failed.as_ref());
        let why = last.map_or_else(|| "none was made".to_owned(), failures::sentence);
        Err(EveryRunFailed(why))
    }
}
