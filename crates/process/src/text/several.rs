//! Several processes: a line for each, or for each rank of a job, their total, and what does not
//! fit.

use std::collections::BTreeSet;

use nearfar_model::{NodeId, NodeSet};
use nearfar_view::terminal::screen::{MAX_LINES, Screen};
use nearfar_view::terminal::table::{Align, headed};
use nearfar_view::text::{count, paragraph, sections};

use super::conditions;
use super::cut::cut;
use super::gpu_memory;
use super::where_is::{on_each, percent, share, titled, unreadable_lines};
use crate::worker::{Misfit, Worker};
use crate::{BytesByNode, ProcessMemory, WhereResult, remote_share_of_all};

/// Characters of a command line at most: in the table, and of the one that all have.
const MAX_OF_A_COMMAND: usize = 48;
const MAX_OF_THE_COMMAND: usize = 100;

/// Several processes.
#[derive(Clone, Copy, Debug)]
struct Several<'m>(&'m WhereResult);

/// The total and what does not fit; a line for each process or rank.
pub fn screen(found: &WhereResult) -> Screen {
    let several = Several(found);
    let answer = several.answer();
    let (table, more) = (several.table(), unreadable_lines(&found.unreadable));
    let (opening, last) = (paragraph::of(&answer, "", "  "), paragraph::bold(&answer));
    let opening = opening + &several.what_to_do();
    let first = sections([opening.clone(), table.clone()]);
    match first.lines().count() + last.lines().count() < MAX_LINES {
        true => Screen { first, rest: more, last },
        false => Screen { first: opening, rest: sections([table, more]), last },
    }
}

impl Several<'_> {
    fn memories(&self) -> impl Iterator<Item = &ProcessMemory> {
        self.0.processes.iter().map(|(memory, _)| memory)
    }

    fn is_ranked(&self) -> bool {
        self.0.workers.iter().any(|worker| worker.rank.is_some())
    }

    /// "3 processes: 1.2 GiB, 40 % remote to their threads"
    fn answer(&self) -> String {
        let remote = remote_share_of_all(self.memories());
        let remote = remote.map_or_else(String::new, |share| {
            format!(", {} remote to their threads", percent(share))
        });
        let least = if self.0.together.is_exact { "" } else { "at least " };
        let ranks = self.0.workers.iter().filter(|worker| worker.rank.is_some()).count();
        let of = match ranks {
            0 => count(self.0.processes.len(), "process"),
            _ if ranks == self.0.workers.len() => count(ranks, "rank"),
            _ => {
                let others = self.0.workers.len() - ranks;
                format!("{} and {}", count(ranks, "rank"), count(others, "other process"))
            }
        };
        format!("{of}: {least}{}{remote}{}", self.0.together.bytes, self.misfits())
    }

    /// The worker whose misfit is likely to cost most. Processes of a service are often meant to be
    /// where they are: of these, none.
    fn worst(&self) -> Option<&Worker> {
        let odd = self.0.workers.iter().filter(|worker| !worker.misfits.is_empty());
        let odd = odd.filter(|_| self.is_ranked());
        odd.min_by_key(|worker| worker.misfits.iter().map(Misfit::order).min())
    }

    /// "; rank 2 (process 4242) does not fit: 93 % remote"
    fn misfits(&self) -> String {
        let Some(first) = self.worst() else { return String::new() };
        let odd = self.0.workers.iter().filter(|worker| !worker.misfits.is_empty()).count();
        let others = match odd - 1 {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        format!("; {} does not fit: {}{others}", conditions::name(first), misfits(first))
    }

    /// What to do about it.
    fn what_to_do(&self) -> String {
        let Some(odd) = self.worst() else { return String::new() };
        let Some((memory, devices)) =
            self.0.processes.iter().find(|(memory, _)| odd.pids.first() == Some(&memory.pid))
        else {
            return String::new();
        };
        let advice = odd.misfits.first().map(|misfit| match misfit {
            Misfit::RemoteMemory { .. } => conditions::how_to_move(memory),
            Misfit::FarDevice { .. } => devices.advice.clone().unwrap_or_default(),
            Misfit::Unbound { .. } | Misfit::SharedCpus { .. } => conditions::how_to_bind(odd),
        });
        advice.map_or_else(String::new, |advice| paragraph::of(&advice, "", "  "))
    }

    fn table(&self) -> String {
        let nodes: Vec<NodeId> = self.nodes().iter().collect();
        let ranked = self.is_ranked();
        let has_devices = self.0.workers.iter().any(|worker| !devices(worker).is_empty());
        let commands: BTreeSet<&str> =
            self.0.workers.iter().map(|worker| worker.command.as_str()).collect();
        let one_command = commands.first().filter(|_| ranked && commands.len() == 1);
        let has_misfits = ranked && self.0.workers.iter().any(|worker| !worker.misfits.is_empty());
        let line = |worker: Option<&Worker>, facts: Facts<'_>| {
            let rank = |worker: &Worker| {
                worker.rank.as_ref().map_or_else(|| "-".to_owned(), |one| one.rank.to_string())
            };
            let of = |text: &dyn Fn(&Worker) -> String| worker.map_or_else(String::new, text);
            let mut line = Vec::new();
            line.extend(ranked.then(|| of(&rank)));
            line.extend([facts.name, facts.threads.to_string(), facts.sizes.total().to_string()]);
            line.extend(on_each(facts.sizes, &nodes));
            line.push(share(facts.remote));
            line.extend(ranked.then(|| of(&|worker| worker.cpu_nodes.to_string())));
            line.extend(has_devices.then(|| of(&devices)));
            line.extend(has_misfits.then(|| of(&misfits)));
            line.extend(
                one_command.is_none().then(|| of(&|worker| cut(&worker.command, MAX_OF_A_COMMAND))),
            );
            line
        };
        let mut lines: Vec<Vec<String>> =
            self.0.workers.iter().map(|worker| line(Some(worker), Facts::of(worker))).collect();
        if self.0.workers.len() > 1 {
            let total = if self.0.together.is_exact { "total" } else { "at least" };
            // Right below the numbers that it is the sum of.
            lines.push(line(
                None,
                Facts {
                    name: total.to_owned(),
                    threads: self.memories().map(|memory| memory.threads.0.len()).sum(),
                    sizes: &self.0.together.by_node,
                    remote: remote_share_of_all(self.memories()),
                },
            ));
        }
        let rank: &[&str] = if ranked { &["rank"] } else { &[] };
        let first = [rank, &["pid", "threads", "memory"]].concat();
        let mut last = vec!["remote"];
        last.extend(ranked.then_some("CPUs on"));
        last.extend(has_devices.then_some("devices"));
        last.extend(has_misfits.then_some("does not fit"));
        last.extend(one_command.is_none().then_some("command"));
        let head = titled(&first, &nodes, &last);
        let mut aligns = vec![Align::Right; first.len() + nodes.len() + 1];
        aligns.resize(head.len(), Align::Left);
        let note =
            "Memory that several processes share counts in each line, and once in the total.";
        let note =
            if self.0.workers.len() > 1 { paragraph::of(note, "", "") } else { String::new() };
        let command = one_command.map_or_else(String::new, |command| {
            let text = format!("All run: {}", cut(command, MAX_OF_THE_COMMAND));
            paragraph::of(&text, "", "  ")
        });
        let around = self.memories().next().map(|memory| &memory.around);
        let of_gpus = around.map(|around| gpu_memory::text(&self.0.together.by_node, around));
        headed(head, lines, &aligns) + &of_gpus.unwrap_or_default() + &note + &command
    }

    /// The nodes with memory or threads.
    fn nodes(&self) -> NodeSet {
        self.memories().fold(NodeSet::new(), |nodes, memory| {
            nodes.union(&memory.by_node().nodes()).union(&memory.threads.nodes())
        })
    }
}

/// The numbers of a line.
struct Facts<'w> {
    name: String,
    threads: usize,
    sizes: &'w BytesByNode,
    remote: Option<f64>,
}

impl<'w> Facts<'w> {
    fn of(worker: &'w Worker) -> Self {
        let first = worker.pids.first().map_or_else(String::new, u32::to_string);
        let name = match worker.pids.len() {
            0 | 1 => first,
            several => format!("{first} +{}", several - 1),
        };
        let remote = worker.remote_share;
        Self { name, threads: worker.threads, sizes: &worker.by_node, remote }
    }
}

/// "nvidia0 on node 1, far"
fn devices(worker: &Worker) -> String {
    let shown = worker.devices.iter().filter(|device| device.is_for_work()).map(|device| {
        let node = device.node.map_or_else(|| "?".to_owned(), |node| node.to_string());
        let far = if device.is_far() { ", far" } else { "" };
        format!("{} on node {node}{far}", device.names.join("+"))
    });
    shown.collect::<Vec<_>>().join("; ")
}

fn misfits(worker: &Worker) -> String {
    worker.misfits.iter().map(conditions::misfit).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
