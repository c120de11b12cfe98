//! `nearfar latency`: one probe, for those who want just that.

use clap::Args;
use nearfar_survey::Mode;

use super::budget::BudgetOption;
use super::document_options::DocumentOptions;
use super::probe_options::ProbeOptions;
use super::selection::Selection;
use crate::measure::{Measurement, Request};

/// Measure with one probe and print its costs, without a verdict.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar latency                                      the page probe, every CPU group to every node
  nearfar latency --probe chase --size 1G --pages 4k   a large chase through 4 KiB pages
  nearfar latency --probe store-sweep --cpus 0         the classical sweep of stores, from CPU 0
  nearfar latency --probe core-walk                    stores from every CPU to a buffer of the first, with its control")]
pub(crate) struct Latency {
    #[command(flatten)]
    probe: ProbeOptions,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    time: BudgetOption,
    /// Seed of every random choice.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    #[command(flatten)]
    document: DocumentOptions,
}

impl Latency {
    /// Measures and prints.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let probe = self.probe.spec()?;
        self.selection.check_for(probe.kind)?;
        let request = Request {
            mode: Mode::Quick,
            probe,
            wanted: self.selection.wanted(),
            rows_name: self.selection.rows_name(),
            threshold: nearfar_infer::THRESHOLD,
            seed: self.seed,
            page_size: false,
            everything: false,
            budget: self.time.time(),
            hidden: false,
        };
        let measurement = Measurement::prepare(request)?;
        let measure = || measurement.survey();
        self.document.deliver(measure, nearfar_report::survey::csv, nearfar_report::survey::matrix_text)
    }
}
