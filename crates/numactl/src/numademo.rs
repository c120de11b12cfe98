//! numademo: exercises memory under every policy, from every node, and prints rates.
//!
//! Lines keep numactl's shape. Nodes go by their numbers, gaps and all; those without memory are no
//! targets, those without CPUs run nothing. What cannot be had is said on stderr, and the rest is
//! still done.
//!
//! An exercise is a plain loop over memory, timed as a whole, and no instrument: one thread, no
//! controls, no interval. For figures to rely on there is the survey.

mod bench;
mod chase;
mod demonstration;
mod exercise;
mod loops;
mod rates;
mod request;
mod show;
mod stage;
mod subsets;

use std::ffi::OsString;

use nearfar_machine::{ListContext, Source};
use nearfar_model::{NodeId, NodeSet};
use nearfar_place::{AffinityGuard, Policy, allowed_nodes};

use crate::completion::Completion;
use crate::error::NumactlError;
use crate::printer::Printer;
use bench::Bench;
use exercise::Exercise;
use request::Request;
use stage::{Stage, next_under, preferred_node};

/// What can be had without policies.
const STILL: &str = "-f still times memory without a policy";
const USAGE: &str = "\
usage: numademo [-S] [-f] [-c] [-e] [-t] msize[kmg] {tests}
No tests means run all.
-c output CSV data. -f run even without NUMA API. -S run stupid tests. -e exit on error
-t regression test; do not run all node combinations
valid tests: memset memcpy forward backward stream random2 ptrchase";

/// Runs it with the words behind its name.
pub(crate) fn run(
    words: Vec<OsString>,
    printer: &mut Printer<'_>,
) -> Result<Completion, NumactlError> {
    printer.follow(Request::parse(words), USAGE, demonstrate)
}

fn demonstrate(request: &Request, printer: &mut Printer<'_>) -> Result<Completion, NumactlError> {
    let source = Source::live();
    let lists = ListContext::new(&source);
    if let Err(refusal) = allowed_nodes() {
        let still = if request.force { "memory without a policy is still timed" } else { STILL };
        printer.complain(format!("your system does not support the numa API: {refusal}; {still}"));
        if request.force {
            return without_policies(request, &source, printer);
        }
        return Ok(Completion::Partial);
    }
    let stage = Stage::new(&lists, request.thin)?;
    if stage.memory.is_empty() {
        return Err(NumactlError::NoMemory);
    }
    let mut bench = Bench::new(request, &source, printer);
    bench.say(&format!("{} nodes available", stage.memory.len()))?;
    let play = Play { stage: &stage, lists: &lists };
    for &exercise in &request.exercises {
        play.all(exercise, &mut bench)?;
    }
    Ok(bench.completion())
}

/// What is left where policies cannot be set: memory as the kernel gives it.
fn without_policies(
    request: &Request,
    source: &Source,
    printer: &mut Printer<'_>,
) -> Result<Completion, NumactlError> {
    let mut bench = Bench::new(request, source, printer);
    for &exercise in &request.exercises {
        bench.exercise(exercise, "memory with no policy", &Policy::Default)?;
    }
    Ok(bench.completion())
}

/// What is exercised, in numademo's order and under its titles.
struct Play<'a> {
    stage: &'a Stage,
    lists: &'a ListContext<'a>,
}

impl Play<'_> {
    fn all(&self, exercise: Exercise, bench: &mut Bench<'_, '_>) -> Result<(), NumactlError> {
        bench.exercise(exercise, "memory with no policy", &Policy::Default)?;
        bench.exercise(exercise, "local memory", &Policy::Local)?;
        bench.exercise(exercise, "memory interleaved on all nodes", &self.everywhere())?;
        for node in self.stage.memory_nodes() {
            bench.exercise(
                exercise,
                &format!("memory on node {node}"),
                &Policy::Bind(NodeSet::from_id(node)),
            )?;
        }
        for subset in self.stage.subsets() {
            let title = format!("memory interleaved on {}", named(&subset, " "));
            bench.exercise(exercise, &title, &Policy::Interleave(subset))?;
        }
        self.thread_policies(exercise, bench)?;
        for node in self.stage.running_nodes() {
            self.running_on(node, exercise, bench)?;
        }
        Ok(())
    }

    fn everywhere(&self) -> Policy {
        Policy::Interleave(self.stage.memory.clone())
    }

    /// The same through the policy of the thread instead of the memory's own.
    fn thread_policies(
        &self,
        exercise: Exercise,
        bench: &mut Bench<'_, '_>,
    ) -> Result<(), NumactlError> {
        for node in self.stage.memory_nodes() {
            bench.say(&format!("setting preferred node to {node}"))?;
            bench.under(&Policy::Preferred(node), exercise, "memory with preferred policy")?;
        }
        bench.under(&self.everywhere(), exercise, "manual interleaving to all nodes")?;
        let pair = self.stage.first_two();
        let title = format!("manual interleaving on node {}", named(&pair, "/"));
        let policy = Policy::Interleave(pair);
        bench.under(&policy, exercise, &title)?;
        if let Some(node) = next_under(&policy)? {
            bench.say(&format!("current interleave node {node}"))?;
        }
        Ok(())
    }

    fn running_on(
        &self,
        node: NodeId,
        exercise: Exercise,
        bench: &mut Bench<'_, '_>,
    ) -> Result<(), NumactlError> {
        let _there = match AffinityGuard::enter(&self.lists.cpus_of(&NodeSet::from_id(node))) {
            Ok(guard) => guard,
            Err(refusal) => return bench.left_out(&format!("running on node {node}"), &refusal),
        };
        bench.say(&format!("running on node {node}, preferred node {}", preferred_node()?))?;
        bench.exercise(exercise, "local memory", &Policy::Local)?;
        bench.exercise(exercise, "memory interleaved on all nodes", &self.everywhere())?;
        let pair = self.stage.first_two();
        if pair.len() == 2 {
            let title = format!("memory interleaved on node {}", named(&pair, "/"));
            bench.exercise(exercise, &title, &Policy::Interleave(pair))?;
        }
        for other in self.stage.memory_nodes().into_iter().filter(|other| *other != node) {
            bench.under(
                &Policy::Bind(NodeSet::from_id(other)),
                exercise,
                &format!("alloc on node {other}"),
            )?;
        }
        bench.under(&Policy::Local, exercise, "local allocation")?;
        bench.under(
            &Policy::Preferred(self.stage.wrong(node)),
            exercise,
            "setting wrong preferred node",
        )?;
        bench.under(
            &Policy::Preferred(self.stage.right(node)),
            exercise,
            "setting correct preferred node",
        )
    }
}

/// The numbers of nodes, one by one.
fn named(nodes: &NodeSet, between: &str) -> String {
    nodes.iter().map(|node| node.to_string()).collect::<Vec<_>>().join(between)
}
