//! A sweep without a successful run is no success.

use anyhow::bail;
use nearfar_sweep::text::failures;
use nearfar_sweep::{Sweep, SweepRun};

/// Whether there is anything that the sweep rests on; else an error with the last run's reason.
pub(crate) fn some_run_succeeded(sweep: &Sweep) -> anyhow::Result<()> {
    let runs: Vec<&SweepRun> =
        sweep.configurations.iter().flat_map(|one| &one.configuration.runs).collect();
    if runs.iter().any(|run| run.failed.is_none()) {
        return Ok(());
    }
    let last = runs.iter().max_by_key(|run| run.order).and_then(|run| run.failed.as_ref());
    bail!(
        "every run failed: {}",
        last.map_or_else(|| "none was made".to_owned(), failures::sentence)
    )
}
