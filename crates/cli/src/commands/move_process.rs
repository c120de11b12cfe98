//! `nearfar move`: moves a running process, or the page cache of files.

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use nearfar_machine::{ListContext, Source, cpu_list, node_list};
use nearfar_process::moving::{MoveDestination, MoveTarget, move_running};
use nearfar_process::text::{migration, moved, objects, page_cache};
use nearfar_process::{
    Migration, STILL_WITHOUT_MIGRATION, Target, file_path, move_files, move_object,
};
use nearfar_view::terminal::exit::WrongUsage;
use nearfar_view::terminal::output;

use super::target::TargetArgument;
use crate::denied::but_still;

/// Move a running process to other CPUs or nodes, or cached files.
///
/// Moves its threads, its children and their pages. Prints what did not move, and why. With --from,
/// only its pages on these nodes move, as migratepages moves them.
#[derive(Debug, Args)]
#[command(
    name = "move",
    after_help = "\
Examples:
  nearfar move 4242 --cpus 0-7 --nodes 0  threads to CPUs 0-7, pages to node 0
  nearfar move 4242 --nodes 1             pages to node 1; threads stay
  nearfar move 4242 --nodes all           only shows where new pages go
  nearfar move 4242 --from 0 --nodes 2-3  its pages on node 0 alone
  nearfar move 4242 --object /dev/shm/x --nodes 0        one object alone
  sudo nearfar move system.slice/db.service --nodes 1    a control group
  nearfar move ./a.gguf ./b.gguf --nodes 0               the page cache of files

The memory policy of another process cannot be changed. Its new pages follow its CPUs (local \
policy) or the limits of its control group. Only root moves pages that several processes \
share, or cached pages that a process maps. Of files, only cached pages move; a file needs a '/' \
or 'file:' before it.

Exit status: 0 if all moved except shared pages, 1 if some did not, 2 for wrong usage."
)]
pub(crate) struct MoveCommand {
    #[command(flatten)]
    target: TargetArgument,
    /// More files, if TARGET is one [default: none]
    #[arg(value_name = "FILE", requires = "target")]
    files: Vec<PathBuf>,
    /// CPUs to run on, a list as in 'nearfar run -C' [default: unchanged]
    #[arg(long, value_name = "CPUS", allow_hyphen_values = true)]
    cpus: Option<String>,
    /// Nodes to have memory on, a list as in 'nearfar run -m' [default: unchanged]
    #[arg(long, value_name = "NODES", allow_hyphen_values = true)]
    nodes: Option<String>,
    /// Move only this process's pages on these nodes: 0,2-3, all, !1, netdev:eth0 [default: all
    /// pages, of its children, too]
    #[arg(
        long,
        value_name = "NODES",
        allow_hyphen_values = true,
        conflicts_with = "cpus",
        requires = "nodes"
    )]
    from: Option<String>,
    /// Move only this object of its memory: a file, '/dev/shm/x', '[heap]', '[anon:NAME]', or
    /// addresses (7f0000000000-7f0040000000) [default: all memory]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["cpus", "from"], requires = "nodes")]
    object: Option<String>,
    /// Print JSON (nearfar.move/1; with --from nearfar.migration/1, with --object
    /// nearfar.object-move/1; of files nearfar.file-move/1).
    #[arg(long)]
    json: bool,
}

impl MoveCommand {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let source = Source::live();
        let target = self.target.find(&source)?;
        if let Target::File(file) = target {
            return self.move_files(&source, file);
        }
        if let Some(second) = self.files.first() {
            let why = format!(
                "'{}' stands after a process: move one process, or files (./model.gguf)",
                second.display()
            );
            return Err(WrongUsage(why).into());
        }
        if let Some(object) = &self.object {
            return self.move_object(&source, &target, object);
        }
        if let Some(from) = &self.from {
            return self.migrate(&source, target, from);
        }
        let wanted = self.wanted(&source)?;
        let done = move_running(&source, &one_target(target)?, &wanted)?;
        if self.json {
            output::json(&done)?;
        } else {
            output::text(&moved::text(&done))?;
        }
        if !done.is_complete() {
            bail!("not all of {} moved: see above", self.target.word());
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

    /// Moves one object of all processes of the target.
    fn move_object(&self, source: &Source, target: &Target, word: &str) -> anyhow::Result<()> {
        let pids: Vec<u32> = target.processes(source)?.into_iter().map(|(pid, _)| pid).collect();
        let lists = ListContext::new(source);
        let nodes = node_list(self.nodes.as_deref().unwrap_or_default(), &lists)?;
        let done = move_object(source, &pids, word, &nodes)?;
        if self.json {
            output::json(&done)?;
        } else {
            output::text(&objects::text(&done))?;
        }
        if !done.is_complete() {
            bail!("not all of '{word}' moved: see above");
        }
        Ok(())
    }

    /// Moves pages from nodes to nodes.
    fn migrate(&self, source: &Source, target: Target, from: &str) -> anyhow::Result<()> {
        let MoveTarget::Process(pid) = one_target(target)? else {
            return Err(WrongUsage("--from is for a process, and this is a group".into()).into());
        };
        let lists = ListContext::new(source);
        let to = node_list(self.nodes.as_deref().unwrap_or_default(), &lists)?;
        let done = Migration::carry_out(source, pid, &node_list(from, &lists)?, &to);
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

    /// Moves the cached pages of files.
    fn move_files(&self, source: &Source, first: PathBuf) -> anyhow::Result<()> {
        let is_of_process = self.from.is_some() || self.object.is_some();
        let Some(nodes) = self.nodes.as_deref().filter(|_| !is_of_process) else {
            let why = "files move to nodes: give --nodes, and none of --cpus, --from and --object";
            return Err(WrongUsage(why.to_owned()).into());
        };
        if self.cpus.is_some() {
            return Err(WrongUsage("--cpus is for processes, and this is a file".into()).into());
        }
        let nodes = node_list(nodes, &ListContext::new(source))?;
        let paths: Vec<PathBuf> =
            [first].into_iter().chain(self.files.iter().map(|file| file_path(file))).collect();
        let done = move_files(&paths, &nodes)?;
        if self.json {
            output::json(&done)?;
        } else {
            output::text(&page_cache::moved(&done))?;
        }
        if !done.is_complete() {
            bail!("not all cached pages moved: see above");
        }
        Ok(())
    }
}

/// The only process, or the group.
fn one_target(target: Target) -> anyhow::Result<MoveTarget> {
    match target {
        Target::Pid(pid) => Ok(MoveTarget::Process(pid)),
        Target::Cgroup(group) => Ok(MoveTarget::Group(group)),
        Target::Name(name, found) => match found[..] {
            [(pid, _)] => Ok(MoveTarget::Process(pid)),
            // Moving a wrong one is not undone by moving another.
            _ => Err(WrongUsage(several(&format!("have the name '{name}'"), &found)).into()),
        },
        Target::Job(job, found) => match found[..] {
            [(pid, _)] => Ok(MoveTarget::Process(pid)),
            // Ranks belong on different nodes.
            _ => Err(WrongUsage(several(&format!("belong to '{job}'"), &found)).into()),
        },
        Target::File(path) => {
            Err(WrongUsage(format!("{} is a file, and no process", path.display())).into())
        }
    }
}

fn several(what: &str, found: &[(u32, String)]) -> String {
    let pids: Vec<String> = found.iter().map(|(pid, _)| pid.to_string()).collect();
    format!("{} processes {what}, name one: {}", found.len(), pids.join(", "))
}
