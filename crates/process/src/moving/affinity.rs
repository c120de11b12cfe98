//! Binds every thread of a process to CPUs.

use nearfar_machine::{MachineError, Process};
use nearfar_model::CpuSet;
use nearfar_place::{PlaceError, set_thread_affinity};
use serde::Serialize;

/// Readings of the list of threads at most; each finds those that started during the last one.
const ROUNDS: usize = 5;

/// The result of binding a process's threads.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct ThreadsMoved {
    /// Number of threads that were bound.
    pub bound: usize,
    /// The CPUs that all of them may run on now: fewer than requested if a cpuset has fewer. `None`
    /// if no thread was bound.
    pub cpus: Option<CpuSet>,
    /// Threads that could not be bound.
    pub refused: Vec<ThreadRefused>,
}

/// A thread that could not be bound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct ThreadRefused {
    /// Its number.
    pub tid: u32,
    /// The reason.
    pub why: String,
}

impl ThreadsMoved {
    /// Of a process whose threads are not visible.
    pub(super) fn refused(pid: u32, error: &MachineError) -> Self {
        let refused = vec![ThreadRefused { tid: pid, why: error.to_string() }];
        Self { refused, ..Self::default() }
    }
}

/// Binds all threads; those that end meanwhile are ignored.
pub(super) fn bind(process: &Process<'_>, cpus: &CpuSet) -> ThreadsMoved {
    let mut moved = ThreadsMoved::default();
    let mut seen: Vec<u32> = Vec::new();
    for _ in 0..ROUNDS {
        let fresh: Vec<u32> = process
            .thread_ids()
            .into_iter()
            .filter(|tid| seen.binary_search(tid).is_err())
            .collect();
        if fresh.is_empty() {
            break;
        }
        for &tid in &fresh {
            match set_thread_affinity(tid, cpus) {
                Ok(granted) => {
                    moved.bound += 1;
                    moved.cpus =
                        Some(moved.cpus.map_or(granted.clone(), |all| all.intersection(&granted)));
                }
                Err(PlaceError::ProcessGone { .. }) => {}
                Err(refusal) => moved.refused.push(ThreadRefused { tid, why: refusal.to_string() }),
            }
        }
        seen.extend(fresh);
        seen.sort_unstable();
    }
    moved
}
