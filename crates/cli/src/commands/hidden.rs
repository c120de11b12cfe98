//! `nearfar hidden`: is there NUMA that the system does not show?

use clap::{ArgGroup, Args};
use nearfar_infer::hidden::MAX_SHARE;
use nearfar_survey::measure::HiddenSettings;
use nearfar_view::terminal::exit::WrongUsage;

use super::effort;
use super::measuring::MeasuringOptions;
use super::selection::Selection;
use super::threshold::Threshold;

/// Find NUMA nodes that firmware or a hypervisor hides.
///
/// Compares the latency of many pages and cache lines from each CPU group.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("effort").args(["quick", "thorough"]), after_help = "\
Examples:
  nearfar hidden                   64 pages across physical memory, in seconds
  sudo nearfar hidden              pages chosen by physical address (root only)
  sudo nearfar hidden --share 25%  hold at most a quarter of the free memory
  nearfar hidden --budget 1m       a minute, until the result is certain
  nearfar hidden --json | jq .hidden.pages

Results:
  found         pages belong to nodes that the OS does not show
  interleaved   firmware interleaves lines over nodes: nothing can be placed
  none          no difference, down to the reported size
  undetermined  with what would decide it")]
pub(crate) struct HiddenCommand {
    /// Faster: fewer samples
    #[arg(long)]
    quick: bool,
    /// Slower: more processes and more samples
    #[arg(long)]
    thorough: bool,
    #[command(flatten)]
    selection: Selection,
    /// Largest share of free memory to touch and hold, at most 75% [default: 25%, then 75% if
    /// undetermined and half of the memory is free]
    #[arg(long, value_name = "SHARE")]
    share: Option<Threshold>,
    #[command(flatten)]
    measuring: MeasuringOptions,
}

impl HiddenCommand {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let share = self.share.map(Threshold::share);
        if share.is_some_and(|share| share > MAX_SHARE) {
            let most = 100.0 * MAX_SHARE;
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
