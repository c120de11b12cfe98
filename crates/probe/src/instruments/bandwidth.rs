//! Memory bandwidth: threads of a CPU group stream through a node's memory in one common window.
//!
//! A visit is a series of windows; the fastest counts. It has a number of threads, a
//! kernel and a node. Each thread has its own memory, together too large for caches. Rates are
//! those of the window in which all threads worked; a sum of each thread's own rate overstates.

pub(crate) mod node_buffers;
mod setup;
mod station;

pub use setup::{BandwidthSetup, StreamTreatment};

/// Numbers of threads for a group of `cpus` CPUs: each about a third above the one before, the last
/// all of them.
pub fn thread_steps(cpus: usize) -> Vec<usize> {
    let next = |&now: &usize| (now < cpus).then(|| (now * 4).div_ceil(3).max(now + 1).min(cpus));
    std::iter::successors((cpus > 0).then_some(1), next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_begin_with_one_and_end_with_all() {
        assert_eq!(thread_steps(1), [1]);
        assert_eq!(thread_steps(2), [1, 2]);
        assert_eq!(thread_steps(16), [1, 2, 3, 4, 6, 8, 11, 15, 16]);
        assert!(thread_steps(0).is_empty());
    }

    #[test]
    fn a_large_group_has_few_steps() {
        assert!(thread_steps(256).len() <= 20, "{:?}", thread_steps(256));
    }
}
