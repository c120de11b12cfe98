//! Which thread's place matters: the same experiment, with CPUs in place of pages.

use std::time::{Duration, Instant};

use nearfar_infer::object_effects::{FarShares, MAX_OBJECTS, ObjectDesign};
use nearfar_machine::process::NodeSummaries;
use nearfar_machine::{Process, Source};
use nearfar_model::{Bytes, CpuSet, NodeId};
use nearfar_process::{
    MemoryObject, ObjectKind, ObjectPart, ThreadCpus, ThreadReading, UnmovableObject, WhyUnmovable,
    sample_threads,
};
use nearfar_view::terminal::Interrupt;

use crate::explain::balancing;
use crate::explain::metric_reader::MetricReader;
use crate::explain::objects::ObjectsSettings;
use crate::explain::objects::document::{ObjectsDocument, ObjectsStage};
use crate::explain::objects::moving::Placer;
use crate::explain::objects::run::{Run, Stage};
use crate::explain::pause::pause;
use crate::explain::subjects::{Moved, Subjects};
use crate::explain::trial_run::{TrialEvent, TrialReport};
use crate::explain::{DosedProcess, ExplainError};

/// How long threads are observed.
const OBSERVED: Duration = Duration::from_secs(1);
/// Clock ticks of `/proc/PID/stat` in a second.
const TICKS_PER_S: f64 = 100.0;
/// CPUs that a thread keeps busy at least: others have nothing to lose.
const BUSY: f64 = 0.01;

/// A thread that is bound near and far.
struct BoundThread {
    pid: u32,
    name: String,
    found: ThreadCpus,
    near: CpuSet,
    far: CpuSet,
    busy_cpus: f64,
    was_remote: bool,
}

/// Binds threads, and keeps where they were bound last.
struct ThreadMover<'s> {
    subjects: Subjects<'s>,
    threads: Vec<BoundThread>,
    last: Vec<CpuSet>,
}

impl Placer for ThreadMover<'_> {
    fn place(
        &mut self,
        _: &[MemoryObject],
        is_far: &dyn Fn(usize) -> bool,
        _: f64,
        _: u32,
    ) -> Result<Moved, ExplainError> {
        self.last.clear();
        for (at, thread) in self.threads.iter().enumerate() {
            let cpus = if is_far(at) { &thread.far } else { &thread.near };
            let granted = thread.found.bind(cpus)?;
            let ended = || ExplainError::ThreadEnded { name: thread.name.clone() };
            self.last.push(granted.ok_or_else(ended)?);
        }
        Ok(Moved::default())
    }

    fn have_moved(&self) -> bool {
        self.threads.iter().zip(&self.last).any(|(thread, cpus)| !thread.found.is_on(cpus))
    }

    fn remote_share(&self, object: usize, _: &MemoryObject) -> f64 {
        f64::from(u8::from(self.threads[object].was_remote))
    }

    fn busy_cpus(&self, object: usize) -> Option<f64> {
        Some(self.threads[object].busy_cpus)
    }

    fn moving_s(&self, _: &[MemoryObject], _: f64) -> f64 {
        0.0
    }
}

/// Measures the threads of these processes, near and far as [`thread_nodes`](super::thread_nodes)
/// has it. Whatever happens, each may run again where it might.
///
/// # Errors
///
/// No thread is busy, or none may run on both nodes; there are more of them than CPUs of a node;
/// one ends meanwhile; and those of [`measure_objects`](super::measure_objects).
pub fn measure_threads(
    source: &Source,
    (nodes, summaries): (&[DosedProcess], &NodeSummaries),
    settings: &ObjectsSettings,
    interrupt: &Interrupt,
    report: TrialReport<'_>,
) -> Result<ObjectsDocument, ExplainError> {
    let pids: Vec<u32> = nodes.iter().map(|process| process.pid).collect();
    let reader = MetricReader::new(source, &settings.run.metric, &pids)?;
    let (busy, mut unmovable) = busy_threads(source, nodes, summaries, interrupt)?;
    let begun = ObjectsDocument::begun(&settings.run, nodes);
    let guard = balancing::switched_off(source, settings.run.guard)?;
    let not_restored = |error: &ExplainError| report(TrialEvent::NotRestored(error));
    let of = |pid: u32| busy.iter().filter(move |thread| thread.pid == pid);
    let found = |pid: &u32| (*pid, of(*pid).map(|thread| thread.found.clone()).collect());
    let noted = pids.iter().map(found).collect();
    let subjects = Subjects::of_threads(source, noted, &settings.run.notes, &not_restored)?;
    let (threads, confined): (Vec<_>, Vec<_>) = busy.into_iter().partition(may_run_on_both);
    unmovable.extend(confined.into_iter().map(|one| left_out(one, WhyUnmovable::Confined)));
    check_room(&threads)?;
    let objects = threads.iter().map(|thread| MemoryObject {
        name: thread.name.clone(),
        kind: ObjectKind::Thread,
        bytes: Bytes(0),
        parts: vec![ObjectPart { pid: thread.pid, start: 0, end: 0 }],
    });
    let design = ObjectDesign::new(threads.len()).ok_or(ExplainError::NoBusyThread)?;
    let stage = Stage {
        cut: None,
        objects: objects.collect(),
        shares: vec![FarShares::WHOLE; threads.len()],
        taking_part: 1.0,
        design,
    };
    let mut mover = ThreadMover { subjects, threads, last: Vec::new() };
    let run = Run { settings, reader, interrupt, report, began: Instant::now() };
    let blocks = run.first_blocks(&stage.design)?;
    let measured = run.measured(&mut mover, &stage, blocks);
    report(TrialEvent::PeriodsEnded);
    let stages: Vec<ObjectsStage> = vec![measured?];
    let processes = mover.subjects.put_back().into_iter().collect::<Result<_, _>>()?;
    let balancing_was_off = guard.is_some();
    Ok(ObjectsDocument { stages, unmovable, balancing_was_off, processes, ..begun })
}

/// The busiest threads, by process and number, and those that take no part.
fn busy_threads(
    source: &Source,
    nodes: &[DosedProcess],
    summaries: &NodeSummaries,
    interrupt: &Interrupt,
) -> Result<(Vec<BoundThread>, Vec<UnmovableObject>), ExplainError> {
    let read = || -> Vec<Vec<ThreadReading>> {
        let all = nodes.iter();
        all.map(|process| sample_threads(&Process::known(source, process.pid)).0).collect()
    };
    let (began, before) = (Instant::now(), read());
    pause(OBSERVED, interrupt)?;
    let (seconds, after) = (began.elapsed().as_secs_f64(), read());
    let (mut busy, mut unmovable) = (Vec::new(), Vec::new());
    for ((process, before), after) in nodes.iter().zip(before).zip(after) {
        let on = |node: NodeId| summaries.node(node).map(|node| node.cpus.clone());
        let near = on(process.near).unwrap_or_default();
        let far = on(process.far).unwrap_or_default();
        for now in after {
            let Some(first) = before.iter().find(|thread| thread.tid == now.tid) else { continue };
            let busy_cpus = now.ticks.saturating_sub(first.ticks) as f64 / TICKS_PER_S / seconds;
            let Ok(found) = ThreadCpus::read(now.tid) else { continue };
            if busy_cpus < BUSY {
                continue;
            }
            let own = found.cpus.intersection(&near);
            busy.push(BoundThread {
                pid: process.pid,
                name: name(source, process.pid, now.tid),
                near: if own.is_empty() { near.clone() } else { own },
                far: far.clone(),
                busy_cpus,
                was_remote: now.cpu.is_some_and(|cpu| !near.contains(cpu)),
                found,
            });
        }
    }
    busy.sort_by(|one, other| other.busy_cpus.total_cmp(&one.busy_cpus));
    let too_many = busy.split_off(busy.len().min(MAX_OBJECTS));
    unmovable.extend(too_many.into_iter().map(|one| left_out(one, WhyUnmovable::TooMany)));
    busy.sort_by_key(|thread| (thread.pid, thread.found.tid));
    Ok((busy, unmovable))
}

fn left_out(thread: BoundThread, why: WhyUnmovable) -> UnmovableObject {
    UnmovableObject { name: thread.name, bytes: Bytes(0), why }
}

/// "worker, thread 4243".
fn name(source: &Source, pid: u32, tid: u32) -> String {
    let name = Process::known(source, pid).thread_name(tid).unwrap_or_else(|| "?".to_owned());
    format!("{name}, thread {tid}")
}

/// Tries it: the kernel alone knows what a cpuset allows.
fn may_run_on_both(thread: &BoundThread) -> bool {
    let granted = |cpus: &CpuSet| thread.found.bind(cpus).ok().flatten();
    let fits = |cpus: &CpuSet| granted(cpus).is_some_and(|granted| granted.is_subset(cpus));
    let both = fits(&thread.far) && fits(&thread.near);
    let given_back = thread.found.give_back().is_ok();
    both && given_back
}

/// Busy threads that wait for a CPU would be slower wherever their memory is.
fn check_room(threads: &[BoundThread]) -> Result<(), ExplainError> {
    let places: [fn(&BoundThread) -> &CpuSet; 2] = [|thread| &thread.near, |thread| &thread.far];
    for place in places {
        for thread in threads {
            let cpus = place(thread);
            let there = threads.iter().filter(|other| place(other) == cpus);
            let busy = there.map(|other| other.busy_cpus).sum::<f64>();
            // A share of a CPU is a figure of one second: what is nearly whole is whole.
            let busy = (busy - BUSY).ceil() as usize;
            if busy > cpus.len() {
                return Err(ExplainError::NoRoom { busy, cpus: cpus.clone() });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use nearfar_model::CpuId;

    use super::*;

    fn thread(near: u32, busy_cpus: f64) -> BoundThread {
        let [near, far] =
            [near, 8].map(|first| CpuSet::from_iter([CpuId(first), CpuId(first + 1)]));
        let (pid, name) = (7, "x, thread 7".to_owned());
        let found = ThreadCpus { tid: 7, cpus: near.clone() };
        BoundThread { pid, name, found, near, far, busy_cpus, was_remote: false }
    }

    #[test]
    fn threads_need_room_on_both_nodes() {
        let near = |all: &[f64]| all.iter().map(|busy| thread(0, *busy)).collect::<Vec<_>>();
        assert!(check_room(&near(&[1.004, 0.5, 0.3])).is_ok());
        let error = check_room(&near(&[1.0, 0.9, 0.4])).unwrap_err().to_string();
        assert!(error.contains("3 CPUs busy, more than CPUs 0-1 are"), "{error}");
        let apart = [thread(0, 1.0), thread(2, 1.0), thread(4, 1.0)];
        let error = check_room(&apart).unwrap_err().to_string();
        assert!(error.contains("more than CPUs 8-9 are"), "{error}");
    }
}
