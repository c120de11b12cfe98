//! `nearfar latency`: latency with one probe.

use clap::Args;
use nearfar_survey::Mode;
use nearfar_survey::measure::LatencySettings;

use super::measuring::MeasuringOptions;
use super::probe_options::ProbeOptions;
use super::selection::Selection;

/// Measure latency with one probe.
///
/// A quick measurement: its verdict is of these samples alone. 'nearfar survey' takes more, and
/// looks for hidden nodes.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar latency                               from all CPU groups to all nodes
  nearfar latency --probe chase --pages 4k      a 256 MiB buffer on base pages
  nearfar latency --probe store-sweep --cpus 0  sweeps of stores, from CPU 0
  nearfar latency --probe core-walk             stores to the first CPU's buffer")]
pub(crate) struct LatencyCommand {
    #[command(flatten)]
    probe: ProbeOptions,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    measuring: MeasuringOptions,
}

impl LatencyCommand {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let probe = self.probe.spec()?;
        self.selection.check_for(probe.kind)?;
        let scope = self.measuring.scope(Mode::Quick, self.selection.wanted());
        self.measuring.deliver(scope, LatencySettings { probe, target_error: None })
    }
}
