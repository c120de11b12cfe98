//! `nearfar move`: moves a running process.

use anyhow::bail;
use clap::Args;
use nearfar_machine::process::cgroup_folder;
use nearfar_machine::{ListContext, Source, cpu_list, node_list};
use nearfar_process::ProcessSelector;
use nearfar_process::moving::{MoveDestination, MoveTarget, move_running};
use nearfar_process::text::moved;
use nearfar_view::terminal::exit::WrongUsage;
use nearfar_view::terminal::output;

/// Move a running process to other CPUs or nodes.
///
/// Moves its threads, its children and their pages. Prints what did not move, and why.
#[derive(Debug, Args)]
#[command(
    name = "move",
    after_help = "\
Examples:
  nearfar move 4242 --cpus 0-7 --nodes 0  threads to CPUs 0-7, pages to node 0
  nearfar move 4242 --nodes 1             pages to node 1; threads stay
  nearfar move 4242 --nodes all           only shows where new pages go
  sudo nearfar move system.slice/db.service --nodes 1    a control group

The memory policy of another process cannot be changed. Its new pages follow its CPUs (local \
policy) or the limits of its control group. Only root moves pages that several processes \
share.

Exit status: 0 if all moved except shared pages, 1 if some did not, 2 for wrong usage."
)]
pub(crate) struct MoveCommand {
    /// Process ID, or a control group: its path, or its name below the hierarchy
    #[arg(value_name = "PID|CGROUP")]
    target: String,
    /// CPUs to run on, a list as in 'nearfar run -C' [default: unchanged]
    #[arg(long, value_name = "CPUS", allow_hyphen_values = true)]
    cpus: Option<String>,
    /// Nodes to have memory on, a list as in 'nearfar run -m' [default: unchanged]
    #[arg(long, value_name = "NODES", allow_hyphen_values = true)]
    nodes: Option<String>,
    /// Print JSON (nearfar.move/1).
    #[arg(long)]
    json: bool,
}

impl MoveCommand {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let source = Source::live();
        let wanted = self.wanted(&source)?;
        let done = move_running(&source, &self.target(&source)?, &wanted)?;
        if self.json {
            output::json(&done)?;
        } else {
            output::text(&moved::text(&done))?;
        }
        if !done.is_complete() {
            bail!("not all of {} moved: see above", self.target);
        }
        Ok(())
    }

    fn wanted(&self, source: &Source) -> anyhow::Result<MoveDestination> {
        if self.cpus.is_none() && self.nodes.is_none() {
            let why = "give --cpus, --nodes, or both, for example --cpus 0-3 --nodes 0";
            return Err(WrongUsage(why.to_owned()).into());
        }
        let lists = ListContext::new(source);
        Ok(MoveDestination {
            cpus: self.cpus.as_deref().map(|list| cpu_list(list, &lists)).transpose()?,
            nodes: self.nodes.as_deref().map(|list| node_list(list, &lists)).transpose()?,
        })
    }

    fn target(&self, source: &Source) -> anyhow::Result<MoveTarget> {
        match ProcessSelector::parse(&self.target)? {
            ProcessSelector::Number(pid) => Ok(MoveTarget::Process(pid)),
            ProcessSelector::Text(group) => Ok(MoveTarget::Group(cgroup_folder(source, &group)?)),
        }
    }
}
