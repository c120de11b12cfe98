//! Options of every measuring command (time limit, seed, document), and how it measures.

use std::process::Command;
use std::time::Duration;

use clap::Args;
use nearfar_model::Instrument;
use nearfar_probe::{LayoutRequest, Work};
use nearfar_survey::measure::{Measurement, Scope, Settings, WorkerCommand};
use nearfar_survey::{Mode, Store};
use nearfar_view::terminal::output;

use super::budget::BudgetOption;
use super::document_options::{DocumentOptions, DocumentView, SaveTarget};
use crate::measured_nodes::GPU_PREFIX;
use crate::progress::Bar;

/// Time limit, seed and document.
#[derive(Debug, Args)]
pub(super) struct MeasuringOptions {
    #[command(flatten)]
    time: BudgetOption,
    /// Seed of all random choices [default: random]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    #[command(flatten)]
    pub(super) document: DocumentOptions,
}

impl MeasuringOptions {
    /// The scope of a measurement.
    pub(super) fn scope(&self, mode: Mode, wanted: LayoutRequest) -> Scope {
        Scope { mode, wanted, budget: self.budget(), seed: self.seed }
    }

    pub(super) fn budget(&self) -> Option<Duration> {
        self.time.time()
    }

    /// Measures with one instrument, prints and saves.
    pub(super) fn deliver(&self, scope: Scope, settings: impl Settings) -> anyhow::Result<()> {
        // From here on, Ctrl-C ends the measurement cleanly.
        self.deliver_on(&mut Bar::new()?, scope, settings)
    }

    /// The same, with a bar that listens for Ctrl-C already.
    pub(super) fn deliver_on(
        &self,
        bar: &mut Bar,
        scope: Scope,
        settings: impl Settings,
    ) -> anyhow::Result<()> {
        self.deliver_with(bar, scope, settings, &worker)
    }

    /// The same by other worker processes.
    pub(super) fn deliver_with(
        &self,
        bar: &mut Bar,
        scope: Scope,
        settings: impl Settings,
        worker: WorkerCommand<'_>,
    ) -> anyhow::Result<()> {
        let named = self.document.save_target()?;
        let measurement = Measurement::new(scope, settings)?;
        let save_target = named.unwrap_or_else(|| kept(&measurement));
        let shown = DocumentView::Part(measurement.instrument());
        self.document.finish(save_target, measurement.run(worker, bar)?, shown)
    }
}

/// Figures of GPUs are kept without being asked for: they show nodes of devices from then on. All
/// others are only printed.
fn kept(measurement: &Measurement) -> SaveTarget {
    if measurement.instrument() != Instrument::Gpu {
        return SaveTarget::Nowhere;
    }
    let name = format!("{GPU_PREFIX}{}", measurement.name());
    match Store::from_user().and_then(|store| store.destination(&name)) {
        Ok(destination) => SaveTarget::File(Box::new(destination)),
        Err(error) => {
            output::aside(&format!("the figures will be printed, but not kept: {error}"));
            SaveTarget::Nowhere
        }
    }
}

/// A worker process, whatever its work.
pub(super) fn worker(_: &Work) -> Command {
    this_program("worker")
}

/// This program again, with one of its commands.
pub(super) fn this_program(subcommand: &str) -> Command {
    let mut command = Command::new("/proc/self/exe");
    command.arg(subcommand);
    command
}
