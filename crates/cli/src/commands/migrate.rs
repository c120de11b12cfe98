//! `nearfar migrate`: moves a process's pages from nodes to nodes.

use anyhow::bail;
use clap::Args;
use nearfar_machine::{ListContext, Source, node_list};
use nearfar_process::text::migration;
use nearfar_process::{Migration, ProcessSelector, STILL_WITHOUT_MIGRATION};
use nearfar_view::terminal::output;

use crate::denied::but_still;

/// Move a process's pages from some nodes to others.
///
/// Prints what did not move. New pages follow the process's own policy: see 'nearfar move'.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar migrate 4242 0 1      pages on node 0 to node 1
  nearfar migrate 4242 all 2-3  all pages to nodes 2 and 3
  nearfar migrate 4242 '!1' 1   all pages to node 1

Exit status: 0 if all of its own pages moved, 1 if some did not.")]
pub(crate) struct Migrate {
    /// Process ID
    #[arg(value_name = "PID")]
    pid: String,
    /// Nodes to empty, a list as in 'nearfar run -m': 0,2-3, all, !1, netdev:eth0
    #[arg(value_name = "FROM")]
    from: String,
    /// Nodes to fill, such a list too
    #[arg(value_name = "TO")]
    to: String,
    /// Print JSON (nearfar.migration/1).
    #[arg(long)]
    json: bool,
}

impl Migrate {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let pid = ProcessSelector::number(&self.pid)?;
        let source = Source::live();
        let lists = ListContext::new(&source);
        let (from, to) = (node_list(&self.from, &lists)?, node_list(&self.to, &lists)?);
        let done = Migration::carry_out(&source, pid, &from, &to);
        let done = done.map_err(|error| but_still(error, STILL_WITHOUT_MIGRATION))?;
        if self.json {
            output::json(&done)?;
        } else {
            output::text(&migration::text(&done))?;
        }
        if !done.is_complete() {
            bail!("not all pages of process {pid} moved");
        }
        Ok(())
    }
}
