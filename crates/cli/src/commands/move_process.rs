//! `nearfar move`: rebinds what is already running.

use anyhow::bail;
use clap::Args;
use nearfar_machine::process::cgroup_folder;
use nearfar_machine::{ListContext, Source, cpu_list, node_list};
use nearfar_process::ProcessSelector;
use nearfar_process::moving::{Target, Wanted, move_running};
use nearfar_report::process::moved;
use nearfar_terminal::exit::WrongUsage;
use nearfar_terminal::output;

/// Move a running process to other CPUs or nodes.
///
/// With all its threads and children, pages included. Prints what did not move, and why.
#[derive(Debug, Args)]
#[command(
    name = "move",
    after_help = "\
Examples:
  nearfar move 4242 --cpus 0-7 --nodes 0       threads to CPUs 0-7, pages to node 0
  nearfar move 4242 --nodes all                pages to wherever there is memory: none moves, and \
                  where its next pages come from is said
  sudo nearfar move system.slice/db.service --nodes 1
                                               a control group: its limits, so that pages of \
                  tomorrow follow, and the pages of today

Another process's policy cannot be changed from outside. Its next pages follow its CPUs where its \
                  policy is local, and a control group's limit
where one is moved. Pages that other processes share move for root only.

Exit status: 0 when all is where it was wanted but for pages that others share, 1 when some is \
                  not, 2 for wrong usage."
)]
pub(crate) struct Move {
    /// A process's number, or a control group: its path, or its name below the hierarchy.
    #[arg(value_name = "PID|CGROUP")]
    target: String,
    /// CPUs to run on, as in 'nearfar run -C': numbers, ranges, all, !N, netdev:DEV and so on.
    #[arg(long, value_name = "CPUS", allow_hyphen_values = true)]
    cpus: Option<String>,
    /// Nodes to have memory on, as in 'nearfar run -m'.
    #[arg(long, value_name = "NODES", allow_hyphen_values = true)]
    nodes: Option<String>,
    /// Print JSON (nearfar.move/1).
    #[arg(long)]
    json: bool,
}

impl Move {
    /// Moves and prints.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let source = Source::live();
        let wanted = self.wanted(&source)?;
        let done = move_running(&source, &self.target(&source)?, &wanted)?;
        match self.json {
            true => output::json(&done)?,
            false => output::text(&moved::text(&done))?,
        }
        if !done.is_complete() {
            bail!("not all of {} is where it was wanted", self.target);
        }
        Ok(())
    }

    fn wanted(&self, source: &Source) -> anyhow::Result<Wanted> {
        if self.cpus.is_none() && self.nodes.is_none() {
            let said = "say where to: --cpus, --nodes, or both, such as --cpus 0-3 --nodes 0";
            return Err(WrongUsage(said.to_owned()).into());
        }
        let lists = ListContext::new(source);
        Ok(Wanted {
            cpus: self.cpus.as_deref().map(|list| cpu_list(list, &lists)).transpose()?,
            nodes: self.nodes.as_deref().map(|list| node_list(list, &lists)).transpose()?,
        })
    }

    fn target(&self, source: &Source) -> anyhow::Result<Target> {
        match ProcessSelector::parse(&self.target)? {
            ProcessSelector::Number(pid) => Ok(Target::Process(pid)),
            ProcessSelector::Text(group) => Ok(Target::Group(cgroup_folder(source, &group)?)),
        }
    }
}
