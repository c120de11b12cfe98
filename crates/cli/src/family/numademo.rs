//! The name `numademo`: exercises memory under every policy, from every node, and prints rates.
//!
//! Lines keep numactl's shape. Nodes go by their numbers, gaps and all; those without memory are no targets, those without CPUs run
//! nothing. What cannot be had is said on stderr, and the rest is still done.

mod bench;
mod request;
mod show;
mod subsets;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Context;
use nearfar_machine::{ListContext, Source};
use nearfar_model::{NodeId, NodeSet};
use nearfar_place::{
    AffinityGuard, Memory, Policy, PolicyGuard, Refusal, allowed_nodes, current_cpu, next_interleave_node,
};
use nearfar_probe::demo::Exercise;

use super::outcome::{complain, status, usage};
use crate::output;
use bench::Bench;
use request::Request;
use subsets::subsets;

const NAME: &str = "numademo";
/// What can be had without policies.
const STILL: &str = "-f still times memory without a policy";
const USAGE: &str = "\
usage: numademo [-S] [-f] [-c] [-e] [-t] msize[kmg] {tests}
No tests means run all.
-c output CSV data. -f run even without NUMA API. -S run stupid tests. -e exit on error
-t regression test; do not run all node combinations
valid tests: memset memcpy forward backward stream random2 ptrchase";

/// Runs it with the words behind its name.
pub(super) fn run(words: Vec<OsString>) -> ExitCode {
    match Request::parse(words) {
        Ok(request) => status(NAME, demonstrate(&request)),
        Err(wrong) => usage(NAME, USAGE, wrong.as_ref().map(|wrong| wrong as _)),
    }
}

fn demonstrate(request: &Request) -> anyhow::Result<ExitCode> {
    let source = Source::live();
    let lists = ListContext::new(&source);
    if let Err(refusal) = allowed_nodes() {
        let still = if request.force { "memory without a policy is still timed" } else { STILL };
        complain(NAME, format!("your system does not support the numa API: {refusal}; {still}"));
        return if request.force { without_policies(request, &source) } else { Ok(ExitCode::FAILURE) };
    }
    let stage = Stage::new(request, &lists)?;
    output::text(&format!("{} nodes available\n", stage.memory.len()))?;
    let mut bench = Bench::new(request, &source);
    for &exercise in &request.exercises {
        stage.demonstrate(exercise, &mut bench)?;
    }
    Ok(bench.status())
}

/// What is left where policies cannot be set: memory as the kernel gives it.
fn without_policies(request: &Request, source: &Source) -> anyhow::Result<ExitCode> {
    let mut bench = Bench::new(request, source);
    for &exercise in &request.exercises {
        bench.exercise(exercise, "memory with no policy", &Policy::Default)?;
    }
    Ok(bench.status())
}

/// The nodes to play with.
struct Stage<'a> {
    lists: &'a ListContext<'a>,
    /// Those that memory can be had from, and all that these have.
    memory: NodeSet,
    /// Those that programs can run on.
    running: Vec<NodeId>,
    /// `-t`: a part of the nodes and combinations.
    thin: bool,
}

/// From how many nodes on `-t` leaves some out.
const FEW_NODES: usize = 3;

impl<'a> Stage<'a> {
    fn new(request: &Request, lists: &'a ListContext<'a>) -> anyhow::Result<Self> {
        let memory = lists.memory_nodes().intersection(&allowed_nodes()?);
        memory.first().context("no node has memory that this process may use")?;
        let running =
            lists.cpu_nodes().iter().filter(|&node| AffinityGuard::enter(&lists.cpus_of(&NodeSet::of(node))).is_ok());
        let thin = request.thin && memory.len() > FEW_NODES;
        Ok(Self { lists, running: running.collect(), thin, memory })
    }

    /// Every so-many-th node where combinations are thinned out, as numactl's does: by the node's number.
    fn chosen(&self, nodes: &[NodeId]) -> Vec<NodeId> {
        let step = u32::try_from((self.memory.len().saturating_sub(1) / 8) * 2 + 8).unwrap_or(u32::MAX);
        nodes.iter().copied().filter(|node| !self.thin || node.0 % step == 0).collect()
    }

    fn memory_nodes(&self) -> Vec<NodeId> {
        self.chosen(&self.memory.iter().collect::<Vec<_>>())
    }

    fn demonstrate(&self, exercise: Exercise, bench: &mut Bench<'_>) -> anyhow::Result<()> {
        bench.exercise(exercise, "memory with no policy", &Policy::Default)?;
        bench.exercise(exercise, "local memory", &Policy::Local)?;
        bench.exercise(exercise, "memory interleaved on all nodes", &Policy::Interleave(self.memory.clone()))?;
        for node in self.memory_nodes() {
            bench.exercise(exercise, &format!("memory on node {node}"), &Policy::Bind(NodeSet::of(node)))?;
        }
        for subset in subsets(&self.memory, self.thin) {
            let names: Vec<String> = subset.iter().map(|node| node.to_string()).collect();
            let title = format!("memory interleaved on {}", names.join(" "));
            bench.exercise(exercise, &title, &Policy::Interleave(subset))?;
        }
        self.thread_policies(exercise, bench)?;
        for node in self.chosen(&self.running) {
            self.running_on(node, exercise, bench)?;
        }
        Ok(())
    }

    /// The same through the policy of the thread instead of the memory's own.
    fn thread_policies(&self, exercise: Exercise, bench: &mut Bench<'_>) -> anyhow::Result<()> {
        for node in self.memory_nodes() {
            output::text(&format!("setting preferred node to {node}\n"))?;
            bench.under(&Policy::Preferred(node), exercise, "memory with preferred policy")?;
        }
        bench.under(&Policy::Interleave(self.memory.clone()), exercise, "manual interleaving to all nodes")?;
        if let Some((pair, title)) = self.first_two() {
            let policy = Policy::Interleave(pair);
            bench.under(&policy, exercise, &format!("manual interleaving on node {title}"))?;
            if let Some(node) = next_under(&policy)? {
                output::text(&format!("current interleave node {node}\n"))?;
            }
        }
        Ok(())
    }

    /// The first two nodes, and their names; the first alone where there is one.
    fn first_two(&self) -> Option<(NodeSet, String)> {
        let pair: NodeSet = self.memory.iter().take(2).collect();
        let names: Vec<String> = pair.iter().map(|node| node.to_string()).collect();
        (!pair.is_empty()).then(|| (pair, names.join("/")))
    }

    fn running_on(&self, node: NodeId, exercise: Exercise, bench: &mut Bench<'_>) -> anyhow::Result<()> {
        let _there = match AffinityGuard::enter(&self.lists.cpus_of(&NodeSet::of(node))) {
            Ok(guard) => guard,
            Err(refusal) => return bench.left_out(&format!("running on node {node}"), &refusal),
        };
        output::text(&format!("running on node {node}, preferred node {}\n", preferred_node()?))?;
        bench.exercise(exercise, "local memory", &Policy::Local)?;
        bench.exercise(exercise, "memory interleaved on all nodes", &Policy::Interleave(self.memory.clone()))?;
        if let Some((pair, title)) = self.first_two().filter(|(pair, _)| pair.len() == 2) {
            bench.exercise(exercise, &format!("memory interleaved on node {title}"), &Policy::Interleave(pair))?;
        }
        for other in self.memory_nodes().into_iter().filter(|other| *other != node) {
            bench.under(&Policy::Bind(NodeSet::of(other)), exercise, &format!("alloc on node {other}"))?;
        }
        bench.under(&Policy::Local, exercise, "local allocation")?;
        bench.under(&Policy::Preferred(self.wrong(node)), exercise, "setting wrong preferred node")?;
        let right = if self.memory.contains(node) { node } else { self.wrong(node) };
        bench.under(&Policy::Preferred(right), exercise, "setting correct preferred node")
    }

    /// The next node round that has memory.
    fn wrong(&self, node: NodeId) -> NodeId {
        let next = self.memory.iter().find(|other| *other > node).or_else(|| self.memory.first());
        next.unwrap_or(node)
    }
}

/// The node that new memory comes from first: the policy's, else that of the CPU.
fn preferred_node() -> Result<NodeId, Refusal> {
    match Policy::of_thread()? {
        Policy::Preferred(node) => Ok(node),
        _ => current_cpu().map(|(_, node)| node),
    }
}

/// The node that the next page comes from under an interleaving policy.
fn next_under(policy: &Policy) -> anyhow::Result<Option<NodeId>> {
    let _guard = PolicyGuard::enter(policy)?;
    Ok(next_interleave_node()?)
}

/// Memory of an exercise: whole pages, under a policy of its own or the thread's.
fn memory(request: &Request, policy: &Policy) -> Result<Memory, Refusal> {
    Memory::with_policy(request.size, policy)
}
