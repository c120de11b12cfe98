//! Many small files are read in threads: on large machines each takes a system call or three.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{panic, thread};

use crate::source::Source;

/// The smallest number of items that several threads read faster than one.
const MIN_FOR_THREADS: usize = 256;
/// The kernel's locks of directories keep more threads waiting.
const MAX_THREADS: usize = 8;
/// Items that a thread takes at once.
const CHUNK: usize = 64;

/// Reads items, in the order of the items. `start` makes what a thread keeps between chunks.
pub(crate) fn chunks<T: Sync, K, R: Send>(
    source: &Source,
    items: &[T],
    start: impl Fn() -> K + Sync,
    read: impl Fn(&mut K, &[T]) -> R + Sync,
) -> Vec<R> {
    let threads = match source.reads_on_demand() && items.len() >= MIN_FOR_THREADS {
        true => thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS),
        false => 1,
    };
    let next = AtomicUsize::new(0);
    let work = || {
        let (mut done, mut kept) = (Vec::new(), start());
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(chunk) = items.chunks(CHUNK).nth(index) else { return done };
            done.push((index, read(&mut kept, chunk)));
        }
    };
    let mut parts = thread::scope(|scope| {
        // A system that allows no more threads takes longer.
        let others: Vec<_> = (1..threads)
            .filter_map(|_| thread::Builder::new().spawn_scoped(scope, work).ok())
            .collect();
        let mut parts = work();
        for other in others {
            parts.extend(other.join().unwrap_or_else(|panic| panic::resume_unwind(panic)));
        }
        parts
    });
    parts.sort_by_key(|(index, _)| *index);
    parts.into_iter().map(|(_, part)| part).collect()
}

/// Reads each item, in the order of the items.
pub(crate) fn each<T: Sync, R: Send>(
    source: &Source,
    items: &[T],
    read: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let chunk = |(): &mut (), chunk: &[T]| chunk.iter().map(&read).collect::<Vec<R>>();
    chunks(source, items, || (), chunk).into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("sys")).unwrap();
        let source = Source::open(folder.path()).unwrap();
        for count in [0, 1, 63, 64, 1000] {
            let items: Vec<usize> = (0..count).collect();
            assert_eq!(each(&source, &items, |item| *item), items);
        }
    }
}
