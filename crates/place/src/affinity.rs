//! CPU affinity of threads: sched_setaffinity(2), getcpu(2).

#![allow(unsafe_code)]

use std::marker::PhantomData;

use nearfar_model::{CpuId, CpuSet, MAX_ID, NodeId, NodeSet};

use crate::kernel_number::kernel_number;
use crate::place_error::{PlaceError, last_errno};

/// Words of the longest mask tried: enough for every CPU that a [`CpuSet`] can name.
const MAX_WORDS: usize = (MAX_ID as usize + 1) / 64;
const FIRST_WORDS: usize = 16;

/// The CPUs that the calling thread may run on.
///
/// # Errors
///
/// [`PlaceError::NotPermitted`] where a sandbox denies the call.
///
/// # References
///
/// sched_getaffinity(2)
pub fn affinity() -> Result<CpuSet, PlaceError> {
    affinity_by(None)
}

/// The CPUs that another thread may run on. `thread` is its number (TID); a process's first thread
/// has the process's number.
///
/// # Errors
///
/// [`PlaceError::ProcessGone`] if no such thread exists, [`PlaceError::NotPermitted`] where a
/// sandbox denies the call.
///
/// # References
///
/// sched_getaffinity(2)
pub fn thread_affinity(thread: u32) -> Result<CpuSet, PlaceError> {
    affinity_by(Some(thread))
}

/// Restricts the calling thread to these CPUs and returns those that the kernel granted. The kernel
/// ignores CPUs that are offline or outside the cpuset.
///
/// # Errors
///
/// [`PlaceError::NoSuchCpu`] if none of the CPUs can be used, [`PlaceError::NotPermitted`] where a
/// sandbox denies the call.
///
/// # References
///
/// sched_setaffinity(2), cpuset(7)
pub fn set_affinity(cpus: &CpuSet) -> Result<CpuSet, PlaceError> {
    set_affinity_by(None, cpus)
}

/// Like [`set_affinity`], for another thread of the same user, by its number (TID).
///
/// # Errors
///
/// Those of [`set_affinity`]; [`PlaceError::ProcessGone`] if no such thread exists,
/// [`PlaceError::NotYourProcess`] if it belongs to another user.
///
/// # References
///
/// sched_setaffinity(2)
pub fn set_thread_affinity(thread: u32, cpus: &CpuSet) -> Result<CpuSet, PlaceError> {
    set_affinity_by(Some(thread), cpus)
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
        if errno != libc::EINVAL || words.len() >= MAX_WORDS {
            return Err(place_error(CALL, thread, errno, || affinity().is_err()));
        }
        words = vec![0; words.len() * 2];
    }
}

fn set_affinity_by(thread: Option<u32>, cpus: &CpuSet) -> Result<CpuSet, PlaceError> {
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
            affinity().and_then(|own| set_affinity(&own)).is_err()
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
///
/// # Errors
///
/// [`PlaceError::NotPermitted`] where a sandbox denies the call.
///
/// # References
///
/// getcpu(2)
pub fn current_cpu() -> Result<(CpuId, NodeId), PlaceError> {
    let (mut cpu, mut node): (u32, u32) = (0, 0);
    // SAFETY: the kernel writes two numbers to the given addresses; the third argument is unused
    // since Linux 2.6.24.
    let status = unsafe {
        libc::syscall(
            libc::SYS_getcpu,
            &raw mut cpu,
            &raw mut node,
            std::ptr::null_mut::<libc::c_void>(),
        )
    };
    if status == 0 {
        Ok((CpuId(cpu), NodeId(node)))
    } else {
        Err(PlaceError::last_os_error("getcpu"))
    }
}

/// Restricts the calling thread to other CPUs, and restores its affinity when dropped.
pub struct AffinityGuard {
    before: CpuSet,
    granted: CpuSet,
    /// Affinity belongs to a thread, so the guard stays in it.
    thread: PhantomData<*const ()>,
}

impl AffinityGuard {
    /// Restricts the calling thread to these CPUs.
    ///
    /// # Errors
    ///
    /// Those of [`set_affinity`].
    ///
    /// # References
    ///
    /// sched_setaffinity(2)
    pub fn enter(cpus: &CpuSet) -> Result<Self, PlaceError> {
        let before = affinity()?;
        let granted = set_affinity(cpus)?;
        Ok(Self { before, granted, thread: PhantomData })
    }

    /// Saves the calling thread's affinity without changing it.
    ///
    /// # Errors
    ///
    /// Those of [`affinity`].
    ///
    /// # References
    ///
    /// sched_getaffinity(2)
    pub fn save() -> Result<Self, PlaceError> {
        let before = affinity()?;
        Ok(Self { granted: before.clone(), before, thread: PhantomData })
    }

    /// The CPUs that the thread may run on until this is dropped.
    pub fn granted(&self) -> &CpuSet {
        &self.granted
    }
}

impl Drop for AffinityGuard {
    fn drop(&mut self) {
        // If every earlier CPU is offline now, the kernel has already moved the thread.
        let _ = set_affinity(&self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::denied_calls::{Denied, without};

    #[test]
    fn a_pinned_thread_runs_on_its_cpu() {
        for cpu in affinity().unwrap().iter() {
            let guard = AffinityGuard::enter(&CpuSet::from_id(cpu)).unwrap();
            assert_eq!(guard.granted(), &CpuSet::from_id(cpu));
            assert_eq!(current_cpu().unwrap().0, cpu);
        }
    }

    #[test]
    fn the_guard_restores_the_affinity() {
        let before = affinity().unwrap();
        drop(AffinityGuard::enter(&CpuSet::from_id(before.last().unwrap())).unwrap());
        assert_eq!(affinity().unwrap(), before);
    }

    #[test]
    fn absent_cpus_are_ignored_or_refused() {
        let _restore = AffinityGuard::save().unwrap();
        let absent = CpuId(60_000);
        let error = set_affinity(&CpuSet::from_id(absent)).unwrap_err();
        assert_eq!(error, PlaceError::NoSuchCpu { cpus: CpuSet::from_id(absent) });
        let mut partly_absent = CpuSet::from_id(absent);
        let present = affinity().unwrap().first().unwrap();
        partly_absent.insert(present);
        assert_eq!(set_affinity(&partly_absent).unwrap(), CpuSet::from_id(present));
        assert!(set_affinity(&CpuSet::new()).is_err());
    }

    #[test]
    fn other_threads_are_moved_and_missing_ones_reported() {
        let (own, one) =
            (affinity().unwrap(), CpuSet::from_id(affinity().unwrap().first().unwrap()));
        let (number_out, number_in) = std::sync::mpsc::channel();
        let (go_out, go_in) = std::sync::mpsc::channel::<()>();
        let other = std::thread::spawn(move || {
            // SAFETY: gettid takes no argument and cannot fail.
            number_out.send(unsafe { libc::gettid() }.unsigned_abs()).unwrap();
            let _ = go_in.recv();
            affinity()
        });
        let number = number_in.recv().unwrap();
        assert_eq!(thread_affinity(number).unwrap(), own);
        assert_eq!(set_thread_affinity(number, &one).unwrap(), one);
        drop(go_out);
        assert_eq!(other.join().unwrap().unwrap(), one);
        assert_eq!(affinity().unwrap(), own);
        for gone in [0, 0x3fff_ffff, u32::MAX] {
            assert!(matches!(thread_affinity(gone), Err(PlaceError::ProcessGone { .. })));
            assert!(matches!(set_thread_affinity(gone, &one), Err(PlaceError::ProcessGone { .. })));
        }
    }

    #[test]
    fn seccomp_is_distinguished_from_a_foreign_process() {
        let cpus = affinity().unwrap();
        let pid = std::process::id();
        let denied = without(&[libc::SYS_sched_setaffinity], Denied::Eperm, || {
            set_thread_affinity(pid, &cpus)
        });
        assert_eq!(denied, Err(PlaceError::NotPermitted { call: "sched_setaffinity" }));
    }
}
