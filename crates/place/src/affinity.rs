//! On which CPUs a thread runs: sched_setaffinity(2), getcpu(2).

#![allow(unsafe_code)]

use std::marker::PhantomData;

use nearfar_model::{CpuId, CpuSet, MAX_ID, NodeId, NodeSet};

use crate::kernel_number::kernel_number;
use crate::place_error::{PlaceError, last_errno};

/// Words of the longest mask tried: room for every CPU a [`CpuSet`] can name.
const MOST_WORDS: usize = (MAX_ID as usize + 1) / 64;
const FIRST_WORDS: usize = 16;

/// The CPUs that the calling thread may run on.
pub fn affinity() -> Result<CpuSet, PlaceError> {
    affinity_by(None)
}

/// The CPUs that another thread may run on, by its number (TID; a process's first thread has the
/// process's number).
pub fn affinity_of(thread: u32) -> Result<CpuSet, PlaceError> {
    affinity_by(Some(thread))
}

/// Lets the calling thread run on these CPUs only. Gives those of them that it may use: the kernel
/// leaves out CPUs that are offline or outside the cpuset, and refuses when none is left.
pub fn run_on(cpus: &CpuSet) -> Result<CpuSet, PlaceError> {
    run_on_by(None, cpus)
}

/// As [`run_on`], for another thread of the same user, by its number.
pub fn run_thread_on(thread: u32, cpus: &CpuSet) -> Result<CpuSet, PlaceError> {
    run_on_by(Some(thread), cpus)
}

fn affinity_by(thread: Option<u32>) -> Result<CpuSet, PlaceError> {
    const CALL: &str = "sched_getaffinity";
    let number = kernel_number(CALL, thread)?;
    let mut words = vec![0u64; FIRST_WORDS];
    loop {
        // SAFETY: the kernel writes at most as many bytes as the vector holds.
        let status = unsafe {
            libc::sched_getaffinity(number, size_of_val(&words[..]), words.as_mut_ptr().cast())
        };
        if status == 0 {
            return Ok(CpuSet::from_words(&words));
        }
        // EINVAL: the kernel supports more CPUs than the mask has bits.
        let errno = last_errno();
        if errno != libc::EINVAL || words.len() >= MOST_WORDS {
            return Err(place_error(CALL, thread, errno, || affinity().is_err()));
        }
        words = vec![0; words.len() * 2];
    }
}

fn run_on_by(thread: Option<u32>, cpus: &CpuSet) -> Result<CpuSet, PlaceError> {
    const CALL: &str = "sched_setaffinity";
    let number = kernel_number(CALL, thread)?;
    let words = cpus.words();
    // SAFETY: the kernel reads as many bytes as the slice holds.
    let status =
        unsafe { libc::sched_setaffinity(number, size_of_val(words), words.as_ptr().cast()) };
    if status == 0 {
        return affinity_by(thread);
    }
    match last_errno() {
        libc::EINVAL => Err(PlaceError::NoSuchCpu { cpus: cpus.clone() }),
        errno => Err(place_error(CALL, thread, errno, || {
            affinity().and_then(|own| run_on(&own)).is_err()
        })),
    }
}

fn place_error(
    call: &'static str,
    thread: Option<u32>,
    errno: i32,
    denied_to_all: impl FnOnce() -> bool,
) -> PlaceError {
    PlaceError::for_process(call, thread, &NodeSet::new(), errno, denied_to_all)
}

/// The CPU that the calling thread runs on at this moment, and its node.
pub fn current_cpu() -> Result<(CpuId, NodeId), PlaceError> {
    let (mut cpu, mut node): (u32, u32) = (0, 0);
    // SAFETY: the kernel writes two numbers to where they are kept; the third argument is unused
    // since Linux 2.6.24.
    let status = unsafe {
        libc::syscall(
            libc::SYS_getcpu,
            &raw mut cpu,
            &raw mut node,
            std::ptr::null_mut::<libc::c_void>(),
        )
    };
    if status == 0 { Ok((CpuId(cpu), NodeId(node))) } else { Err(PlaceError::last("getcpu")) }
}

/// Runs the calling thread on other CPUs until dropped, then where it could run before.
pub struct AffinityGuard {
    before: CpuSet,
    granted: CpuSet,
    /// Affinity belongs to a thread, so the guard stays in it.
    thread: PhantomData<*const ()>,
}

impl AffinityGuard {
    /// Moves the calling thread to these CPUs.
    pub fn enter(cpus: &CpuSet) -> Result<Self, PlaceError> {
        let before = affinity()?;
        let granted = run_on(cpus)?;
        Ok(Self { before, granted, thread: PhantomData })
    }

    /// Notes where the calling thread may run, to come back to it, without moving it now.
    pub fn stay() -> Result<Self, PlaceError> {
        let before = affinity()?;
        Ok(Self { granted: before.clone(), before, thread: PhantomData })
    }

    /// The CPUs that the thread runs on meanwhile.
    pub fn granted(&self) -> &CpuSet {
        &self.granted
    }
}

impl Drop for AffinityGuard {
    fn drop(&mut self) {
        // When every CPU from before has gone offline the kernel has moved the thread elsewhere
        // already.
        let _ = run_on(&self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::denied_calls::{Denied, without};

    #[test]
    fn a_pinned_thread_runs_where_it_was_put() {
        for cpu in affinity().unwrap().iter() {
            let guard = AffinityGuard::enter(&CpuSet::of(cpu)).unwrap();
            assert_eq!(guard.granted(), &CpuSet::of(cpu));
            assert_eq!(current_cpu().unwrap().0, cpu);
        }
    }

    #[test]
    fn the_guard_brings_the_thread_back() {
        let before = affinity().unwrap();
        drop(AffinityGuard::enter(&CpuSet::of(before.last().unwrap())).unwrap());
        assert_eq!(affinity().unwrap(), before);
    }

    #[test]
    fn cpus_that_are_not_there_are_left_out_or_refused() {
        let _back = AffinityGuard::stay().unwrap();
        let absent = CpuId(60_000);
        let refused = run_on(&CpuSet::of(absent)).unwrap_err();
        assert_eq!(refused, PlaceError::NoSuchCpu { cpus: CpuSet::of(absent) });
        let mut some = CpuSet::of(absent);
        let present = affinity().unwrap().first().unwrap();
        some.insert(present);
        assert_eq!(run_on(&some).unwrap(), CpuSet::of(present));
        assert!(run_on(&CpuSet::new()).is_err());
    }

    #[test]
    fn another_thread_is_moved_by_its_number_and_one_that_is_gone_is_told() {
        let (own, one) = (affinity().unwrap(), CpuSet::of(affinity().unwrap().first().unwrap()));
        let (number_out, number_in) = std::sync::mpsc::channel();
        let (go_out, go_in) = std::sync::mpsc::channel::<()>();
        let other = std::thread::spawn(move || {
            // SAFETY: gettid only answers.
            number_out.send(unsafe { libc::gettid() }.unsigned_abs()).unwrap();
            let _ = go_in.recv();
            affinity()
        });
        let number = number_in.recv().unwrap();
        assert_eq!(affinity_of(number).unwrap(), own);
        assert_eq!(run_thread_on(number, &one).unwrap(), one);
        drop(go_out);
        assert_eq!(other.join().unwrap().unwrap(), one);
        assert_eq!(affinity().unwrap(), own);
        for gone in [0, 0x3fff_ffff, u32::MAX] {
            assert!(matches!(affinity_of(gone), Err(PlaceError::ProcessGone { .. })));
            assert!(matches!(run_thread_on(gone, &one), Err(PlaceError::ProcessGone { .. })));
        }
    }

    #[test]
    fn a_filter_is_told_from_a_process_of_somebody_else() {
        let cpus = affinity().unwrap();
        let pid = std::process::id();
        let denied =
            without(&[libc::SYS_sched_setaffinity], Denied::Eperm, || run_thread_on(pid, &cpus));
        assert_eq!(denied, Err(PlaceError::NotPermitted { call: "sched_setaffinity" }));
    }
}
