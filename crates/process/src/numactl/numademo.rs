//! numademo: exercises memory under every policy, from every node, and prints rates.
//!
//! Lines keep numactl's format. Nodes keep their numbers, with gaps; those without memory are no
//! targets, those without CPUs run nothing. Unavailable memory is reported on stderr, and the rest
//! is still done.
//!
//! An exercise is a plain loop over memory, timed as a whole, and no instrument: one thread, no
//! controls, no interval. For figures to rely on there is the survey.

mod exercise;
mod loops;
mod node_selection;
mod pointer_chain;
mod request;
mod show;
mod subsets;

use std::ffi::OsString;
use std::fmt::Display;

use nearfar_machine::{ListContext, MachineCounters, Source};
use nearfar_model::{Bytes, NodeId, NodeSet};
use nearfar_place::{AffinityGuard, Memory, PlaceError, Policy, PolicyGuard, allowed_nodes};

use crate::numactl::Completion;
use crate::numactl::Printer;
use crate::numactl::error::NumactlError;
use exercise::Exercise;
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

/// Exercises of memory of one size, on a live machine.
#[derive(Clone, Copy, Debug)]
struct Demonstration<'a> {
    source: &'a Source,
    size: Bytes,
}

impl Demonstration<'_> {
    /// Exercises fresh memory that has a policy of its own.
    fn for_memory(&self, exercise: Exercise, policy: &Policy) -> Result<Rates, NumactlError> {
        self.check_free(policy)?;
        let mut memory = Memory::with_policy(self.size, policy)?;
        memory.touch()?;
        let length = usize::try_from(self.size.0).unwrap_or(usize::MAX).min(memory.length());
        exercise.rates(&mut memory[..length]).ok_or(NumactlError::TooSmall { size: self.size })
    }

    /// Exercises fresh memory that follows the thread, under a policy of the thread.
    fn for_thread(&self, exercise: Exercise, policy: &Policy) -> Result<Rates, NumactlError> {
        self.check_free(policy)?;
        let _guard = PolicyGuard::enter(policy)?;
        self.for_memory(exercise, &Policy::Default)
    }

    /// Bound memory that runs out ends the process, so free memory is checked before.
    fn check_free(&self, policy: &Policy) -> Result<(), PlaceError> {
        let Policy::Bind(nodes) = policy else { return Ok(()) };
        let Some(free) = self.free_on(nodes) else { return Ok(()) };
        let reserved = Bytes(free.0 / 16);
        if self.size + reserved <= free {
            return Ok(());
        }
        Err(PlaceError::TooLittleFree {
            place: format!("node {nodes}"),
            wanted: self.size,
            free,
            reserved,
        })
    }

    fn free_on(&self, nodes: &NodeSet) -> Option<Bytes> {
        let counters = MachineCounters::read(self.source);
        let there = counters.nodes.iter().filter(|node| nodes.contains(node.node));
        there.map(|node| node.memory.as_ref()?.get("MemFree").map(Bytes)).sum()
    }
}

/// Rates of an exercise, in bytes a second.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rates {
    /// Over all passes.
    Passes {
        /// All bytes over all time.
        average: f64,
        /// Of the fastest pass.
        fastest: f64,
        /// Of the slowest pass.
        slowest: f64,
    },
    /// The best pass of each kernel of STREAM.
    Stream {
        /// a = b
        copy: f64,
        /// a = q b
        scale: f64,
        /// a = b + c
        add: f64,
        /// a = b + q c
        triad: f64,
    },
}

/// Runs exercises, and remembers whether one was skipped.
struct ExerciseRunner<'a, 'c> {
    request: &'a NumademoRequest,
    demonstration: Demonstration<'a>,
    printer: &'a mut Printer<'c>,
    left_out: bool,
}

impl<'a, 'c> ExerciseRunner<'a, 'c> {
    fn new(request: &'a NumademoRequest, source: &'a Source, printer: &'a mut Printer<'c>) -> Self {
        let demonstration = Demonstration { source, size: request.size };
        Self { request, demonstration, printer, left_out: false }
    }

    /// Exercises memory that has a policy of its own.
    fn exercise(
        &mut self,
        exercise: Exercise,
        title: &str,
        policy: &Policy,
    ) -> Result<(), NumactlError> {
        let done = self.demonstration.for_memory(exercise, policy);
        self.report(exercise, title, done)
    }

    /// Exercises memory that follows the thread, under a policy of the thread.
    fn under(
        &mut self,
        policy: &Policy,
        exercise: Exercise,
        title: &str,
    ) -> Result<(), NumactlError> {
        let done = self.demonstration.for_thread(exercise, policy);
        self.report(exercise, title, done)
    }

    fn report(
        &mut self,
        exercise: Exercise,
        title: &str,
        done: Result<Rates, NumactlError>,
    ) -> Result<(), NumactlError> {
        match done {
            Ok(rates) => self.printer.text(&show::line(title, exercise, rates, self.request.csv)),
            Err(why) => self.left_out(title, &why),
        }
    }

    /// Reports what was skipped and why; with `-e` that is an error.
    fn left_out(&mut self, title: &str, why: &dyn Display) -> Result<(), NumactlError> {
        self.left_out = true;
        if self.request.strict {
            return Err(NumactlError::LeftOut { title: title.to_owned(), why: why.to_string() });
        }
        self.printer.complain(format!("test \"{title}\" is left out: {why}"));
        Ok(())
    }

    /// Prints a line of its own.
    fn print_line(&mut self, line: &str) -> Result<(), NumactlError> {
        self.printer.text(&format!("{line}\n"))
    }

    /// Whether all was exercised.
    fn completion(&self) -> Completion {
        Completion::full_if(!self.left_out)
    }
}

#[cfg(test)]
mod tests {
    use nearfar_model::NodeId;
    use nearfar_place::allowed_nodes;

    use super::*;

    #[test]
    fn thread_policies_are_restored() {
        let (source, before) = (Source::live(), Policy::current().unwrap());
        let demonstration = Demonstration { source: &source, size: Bytes::kib(64) };
        let nodes = Policy::Interleave(allowed_nodes().unwrap());
        assert!(demonstration.for_memory(Exercise::Memset, &nodes).is_ok());
        assert!(demonstration.for_thread(Exercise::Memset, &nodes).is_ok());
        assert_eq!(Policy::current().unwrap(), before);
    }

    #[test]
    fn insufficient_bound_memory_is_skipped() {
        let node = allowed_nodes().unwrap().first().unwrap();
        let meminfo = format!("Node {node} MemFree: 1024 kB\n");
        let source =
            Source::from_files([(format!("/sys/devices/system/node/node{node}/meminfo"), meminfo)]);
        let done = |size, policy| {
            Demonstration { source: &source, size }.for_memory(Exercise::Memset, policy)
        };
        let bound = Policy::Bind(NodeSet::from_id(node));
        assert!(done(Bytes::kib(512), &bound).is_ok());
        let refused = done(Bytes::kib(1000), &bound);
        assert!(
            matches!(refused, Err(NumactlError::PlaceError(PlaceError::TooLittleFree { .. }))),
            "{refused:?}"
        );
        assert!(done(Bytes::kib(1000), &Policy::Default).is_ok());
    }

    #[test]
    fn unavailable_memory_is_reported() {
        let source = Source::live();
        let absent = Policy::Interleave(NodeSet::from_id(NodeId(777)));
        let refused = Demonstration { source: &source, size: Bytes::kib(64) }
            .for_memory(Exercise::Memset, &absent)
            .unwrap_err();
        assert!(refused.to_string().contains("777"), "{refused}");
        let few = Demonstration { source: &source, size: Bytes(1) }
            .for_memory(Exercise::Memset, &Policy::Default)
            .unwrap_err();
        assert!(matches!(few, NumactlError::TooSmall { size: Bytes(1) }), "{few}");
    }
}
