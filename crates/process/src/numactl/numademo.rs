//! numademo: exercises memory under every policy, from every node, and prints rates.
//!
//! Lines keep numactl's format. Nodes keep their numbers, with gaps; those without memory are no
//! targets, those without CPUs run nothing. Unavailable memory is reported on stderr, and the rest
//! is still done.
//!
//! An exercise is a plain loop over memory, timed as a whole, and no instrument: one thread, no
//! controls, no interval. For figures to rely on there is the survey.

mod demonstration;
mod exercise;
mod exercise_runner;
mod loops;
mod node_selection;
mod pointer_chain;
mod rates;
mod request;
mod show;
mod subsets;

use std::ffi::OsString;

use nearfar_machine::{ListContext, Source};
use nearfar_model::{NodeId, NodeSet};
use nearfar_place::{AffinityGuard, Policy, allowed_nodes};

use crate::numactl::completion::Completion;
use crate::numactl::error::NumactlError;
use crate::numactl::printer::Printer;
use exercise::Exercise;
use exercise_runner::ExerciseRunner;
use node_selection::{NodeSelection, next_under, preferred_node};
use request::NumademoRequest;

/// What works without policies.
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
    printer.follow(NumademoRequest::parse(words), USAGE, demonstrate)
}

fn demonstrate(
    request: &NumademoRequest,
    printer: &mut Printer<'_>,
) -> Result<Completion, NumactlError> {
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
    let selection = NodeSelection::new(&lists, request.thin)?;
    if selection.memory.is_empty() {
        return Err(NumactlError::NoMemory);
    }
    let mut runner = ExerciseRunner::new(request, &source, printer);
    runner.print_line(&format!("{} nodes available", selection.memory.len()))?;
    let run = ExerciseRun { selection: &selection, lists: &lists };
    for &exercise in &request.exercises {
        run.all(exercise, &mut runner)?;
    }
    Ok(runner.completion())
}

/// What works where policies cannot be set: memory by the kernel's default.
fn without_policies(
    request: &NumademoRequest,
    source: &Source,
    printer: &mut Printer<'_>,
) -> Result<Completion, NumactlError> {
    let mut runner = ExerciseRunner::new(request, source, printer);
    for &exercise in &request.exercises {
        runner.exercise(exercise, "memory with no policy", &Policy::Default)?;
    }
    Ok(runner.completion())
}

/// What is exercised, in numademo's order and under its titles.
struct ExerciseRun<'a> {
    selection: &'a NodeSelection,
    lists: &'a ListContext<'a>,
}

impl ExerciseRun<'_> {
    fn all(
        &self,
        exercise: Exercise,
        runner: &mut ExerciseRunner<'_, '_>,
    ) -> Result<(), NumactlError> {
        runner.exercise(exercise, "memory with no policy", &Policy::Default)?;
        runner.exercise(exercise, "local memory", &Policy::Local)?;
        runner.exercise(exercise, "memory interleaved on all nodes", &self.everywhere())?;
        for node in self.selection.memory_nodes() {
            runner.exercise(
                exercise,
                &format!("memory on node {node}"),
                &Policy::Bind(NodeSet::from_id(node)),
            )?;
        }
        for subset in self.selection.subsets() {
            let title = format!("memory interleaved on {}", named(&subset, " "));
            runner.exercise(exercise, &title, &Policy::Interleave(subset))?;
        }
        self.thread_policies(exercise, runner)?;
        for node in self.selection.running_nodes() {
            self.running_on(node, exercise, runner)?;
        }
        Ok(())
    }

    fn everywhere(&self) -> Policy {
        Policy::Interleave(self.selection.memory.clone())
    }

    /// The same through the policy of the thread instead of the memory's own.
    fn thread_policies(
        &self,
        exercise: Exercise,
        runner: &mut ExerciseRunner<'_, '_>,
    ) -> Result<(), NumactlError> {
        for node in self.selection.memory_nodes() {
            runner.print_line(&format!("setting preferred node to {node}"))?;
            runner.under(&Policy::Preferred(node), exercise, "memory with preferred policy")?;
        }
        runner.under(&self.everywhere(), exercise, "manual interleaving to all nodes")?;
        let pair = self.selection.first_two();
        let title = format!("manual interleaving on node {}", named(&pair, "/"));
        let policy = Policy::Interleave(pair);
        runner.under(&policy, exercise, &title)?;
        if let Some(node) = next_under(&policy)? {
            runner.print_line(&format!("current interleave node {node}"))?;
        }
        Ok(())
    }

    fn running_on(
        &self,
        node: NodeId,
        exercise: Exercise,
        runner: &mut ExerciseRunner<'_, '_>,
    ) -> Result<(), NumactlError> {
        let _there = match AffinityGuard::enter(&self.lists.cpus_of(&NodeSet::from_id(node))) {
            Ok(guard) => guard,
            Err(refusal) => return runner.left_out(&format!("running on node {node}"), &refusal),
        };
        runner
            .print_line(&format!("running on node {node}, preferred node {}", preferred_node()?))?;
        runner.exercise(exercise, "local memory", &Policy::Local)?;
        runner.exercise(exercise, "memory interleaved on all nodes", &self.everywhere())?;
        let pair = self.selection.first_two();
        if pair.len() == 2 {
            let title = format!("memory interleaved on node {}", named(&pair, "/"));
            runner.exercise(exercise, &title, &Policy::Interleave(pair))?;
        }
        for other in self.selection.memory_nodes().into_iter().filter(|other| *other != node) {
            runner.under(
                &Policy::Bind(NodeSet::from_id(other)),
                exercise,
                &format!("alloc on node {other}"),
            )?;
        }
        runner.under(&Policy::Local, exercise, "local allocation")?;
        runner.under(
            &Policy::Preferred(self.selection.wrong(node)),
            exercise,
            "setting wrong preferred node",
        )?;
        runner.under(
            &Policy::Preferred(self.selection.right(node)),
            exercise,
            "setting correct preferred node",
        )
    }
}

/// The numbers of nodes, one by one.
fn named(nodes: &NodeSet, between: &str) -> String {
    nodes.iter().map(|node| node.to_string()).collect::<Vec<_>>().join(between)
}
