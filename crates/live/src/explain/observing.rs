//! Reads processes: their pages, and where their threads run for a second.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use nearfar_machine::process::NodeSummaries;
use nearfar_machine::{PageSizes, Process, Source};
use nearfar_model::{Bytes, CpuId};
use nearfar_process::{PageSampler, ProcessError, ThreadReading, sample_threads};
use nearfar_view::terminal::Interrupt;

use crate::explain::ExplainError;
use crate::explain::ObservedProcess;
use crate::explain::pause::pause;
use crate::thread_weights::thread_weights;

/// How long threads are observed.
const OBSERVED: Duration = Duration::from_secs(1);
/// Clock ticks of `/proc/PID/stat` in a second.
const TICKS_PER_S: f64 = 100.0;
/// Pages that are located at most, of all processes: a quarter of a second. Few hot pages may be
/// elsewhere than all others, so that a sample misses them.
const LOCATED: u64 = 1 << 18;

/// The processes that can be read, and a sentence for each other one.
///
/// # Errors
///
/// None can be read, or the user interrupts.
pub fn observe(
    source: &Source,
    pids: &[u32],
    nodes: &NodeSummaries,
    interrupt: &Interrupt,
) -> Result<(Vec<ObservedProcess>, Vec<String>), ExplainError> {
    let (began, before) = (
        Instant::now(),
        pids.iter().map(|pid| sample_threads(&Process::known(source, *pid)).0).collect::<Vec<_>>(),
    );
    pause(OBSERVED, interrupt)?;
    let seconds = began.elapsed().as_secs_f64();
    let page = PageSizes::read(source).base.unwrap_or(Bytes::kib(4));
    let mut sampler = PageSampler::new(page, fastrand::u64(..))
        .locating_all_up_to(LOCATED / pids.len().max(1) as u64);
    let (mut observed, mut unreadable, mut first) = (Vec::new(), Vec::new(), None);
    for (pid, before) in pids.iter().zip(before) {
        match one(source, *pid, nodes, &before, seconds, &mut sampler) {
            Ok(process) => observed.push(process),
            Err(error) => {
                unreadable.push(error.to_string());
                first.get_or_insert(error);
            }
        }
    }
    match first.filter(|_| observed.is_empty()) {
        Some(error) => Err(error.into()),
        None => Ok((observed, unreadable)),
    }
}

fn one(
    source: &Source,
    pid: u32,
    nodes: &NodeSummaries,
    before: &[ThreadReading],
    seconds: f64,
    sampler: &mut PageSampler,
) -> Result<ObservedProcess, ProcessError> {
    let process = Process::find(source, pid)?;
    let name = process.name().unwrap_or_else(|| "?".to_owned());
    let status = process.status()?;
    let Some(resident) = status.resident else {
        return Err(ProcessError::KernelThread { pid, name });
    };
    let pages = sampler.sample(source, pid)?;
    let (threads, count) = sample_threads(&process);
    let ticks: BTreeMap<u32, u64> =
        before.iter().map(|thread| (thread.tid, thread.ticks)).collect();
    let spent: u64 = threads
        .iter()
        .filter_map(|thread| Some(thread.ticks.saturating_sub(*ticks.get(&thread.tid)?)))
        .sum();
    let node_of = |cpu: CpuId| nodes.node_of(cpu);
    let user = rustix::process::geteuid();
    Ok(ObservedProcess {
        pid,
        name,
        memory: resident + status.huge.unwrap_or_default(),
        pages,
        weights: thread_weights(&threads, Some(&ticks), node_of),
        threads: count,
        busy_cpus: spent as f64 / TICKS_PER_S / seconds,
        allowed_nodes: status.nodes,
        policy: process.policy(),
        locked: status.locked.unwrap_or_default(),
        pinned: status.pinned.unwrap_or_default(),
        is_of_other_user: !user.is_root() && process.owner() != Some(user.as_raw()),
    })
}
