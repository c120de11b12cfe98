//! Requests that are served and not over yet.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::spin_loop;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How late the host may wake a sleeper: this much before the end, waiting is awake.
const WAKES_LATE: Duration = Duration::from_micros(60);

/// Things that are due at different times, waited for by one thread.
#[derive(Debug)]
pub(crate) struct Pending<T> {
    began: Instant,
    heap: Mutex<BinaryHeap<Reverse<Due<T>>>>,
    added: Condvar,
}

/// Compared by time alone; of equal ones the earlier comes first.
#[derive(Debug)]
struct Due<T> {
    at: (u64, u64),
    what: T,
}

impl<T> Pending<T> {
    pub(crate) fn new() -> Self {
        let heap = Mutex::new(BinaryHeap::new());
        Self { began: Instant::now(), heap, added: Condvar::new() }
    }

    /// Nanoseconds since it was made.
    pub(crate) fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    pub(crate) fn add(&self, at: u64, number: u64, what: T) {
        let mut heap = self.heap.lock().unwrap_or_else(PoisonError::into_inner);
        heap.push(Reverse(Due { at: (at, number), what }));
        self.added.notify_one();
    }

    /// Waits for what is due next.
    pub(crate) fn next(&self) -> T {
        let mut heap = self.heap.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let Some(Reverse(first)) = heap.peek() else {
                heap = self.added.wait(heap).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let left = Duration::from_nanos(first.at.0.saturating_sub(self.now()));
            if left.is_zero() {
                if let Some(Reverse(due)) = heap.pop() {
                    return due.what;
                }
            } else if left > WAKES_LATE {
                let sleep = self.added.wait_timeout(heap, left - WAKES_LATE);
                heap = sleep.unwrap_or_else(PoisonError::into_inner).0;
            } else {
                drop(heap);
                spin_loop();
                heap = self.heap.lock().unwrap_or_else(PoisonError::into_inner);
            }
        }
    }
}

impl<T> Ord for Due<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.at.cmp(&other.at)
    }
}

impl<T> PartialOrd for Due<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> PartialEq for Due<T> {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at
    }
}

impl<T> Eq for Due<T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_comes_first_and_not_before_its_time() {
        let pending = Pending::new();
        for (number, at) in [(0, 3_000_000), (1, 1_000_000), (2, 1_000_000), (3, 0)] {
            pending.add(at, number, number);
        }
        let order: Vec<u64> = (0..4).map(|_| pending.next()).collect();
        assert_eq!(order, [3, 1, 2, 0]);
        assert!(pending.now() >= 3_000_000);
    }
}
