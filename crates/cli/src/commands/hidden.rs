//! `nearfar hidden`: is there NUMA that the system does not show?

use clap::{ArgGroup, Args};
use nearfar_infer::hidden::LARGEST_SHARE;
use nearfar_measure::HiddenSettings;
use nearfar_terminal::exit::WrongUsage;

use super::effort;
use super::measuring::MeasuringOptions;
use super::selection::Selection;
use super::threshold::Threshold;

/// Find NUMA nodes that firmware or a hypervisor hides.
///
/// Compares what many pages, and single lines, cost each group of CPUs.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("effort").args(["quick", "thorough"]), after_help = "\
Examples:
  nearfar hidden                              64 pages that span physical memory, clustered by their cost; seconds
  sudo nearfar hidden                         chosen by where in physical memory they are, which only root may see
  sudo nearfar hidden --share 25%             touch and hold no more than a quarter of the free memory for that
  nearfar hidden --budget 1m                  as many processes as fit into a minute, until figures are certain
  nearfar hidden --json | jq '.hidden.pages'  the finding, kinds of pages and the CPUs they are near to

'found': pages belong to nodes that the system does not show. 'interleaved': firmware deals neighbouring lines out to nodes; there is nothing to place.
'none': no difference down to the size that is told. 'undetermined': with what would settle it.")]
pub(crate) struct Hidden {
    /// Fewer samples.
    #[arg(long)]
    quick: bool,
    /// More processes and more samples.
    #[arg(long)]
    thorough: bool,
    #[command(flatten)]
    selection: Selection,
    /// How much of the free memory may be touched and held meanwhile, in percent or as a fraction:
    /// at most 75%. Without it a quarter; where that settles nothing, and at least half of the
    /// memory is free, 75% in a second look.
    #[arg(long, value_name = "SHARE")]
    share: Option<Threshold>,
    #[command(flatten)]
    measuring: MeasuringOptions,
}

impl Hidden {
    /// Measures and prints.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let share = self.share.map(Threshold::share);
        if share.is_some_and(|share| share > LARGEST_SHARE) {
            let most = 100.0 * LARGEST_SHARE;
            return Err(WrongUsage(format!(
                "--share is too large: at most {most:.0}% of the free memory"
            ))
            .into());
        }
        let scope =
            self.measuring.scope(effort::mode(self.quick, self.thorough), self.selection.wanted());
        self.measuring.deliver(scope, HiddenSettings { share })
    }
}
