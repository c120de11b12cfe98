//! Where the program's pages are while it runs, and how many of them are remote to its threads.

use std::fs;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use nearfar_machine::Source;
use nearfar_process::{ProcessMemory, with_descendants_at_a_glance};

/// The first look.
const FIRST: Duration = Duration::from_millis(50);
/// Each further look waits so much longer: a run has few, however long it is.
const GROWTH: f64 = 1.6;
/// The program's mappings are held for at most this share of the time,
const HELD: f64 = 0.01;
/// and looking takes this share in all, beside the program where there are other CPUs.
const LOOKING: f64 = 0.1;

/// What one look saw.
#[derive(Clone, Copy, Default)]
struct Look {
    bytes: u64,
    remote_share: Option<f64>,
    /// How long the kernel held the mappings of its processes.
    held: Duration,
}

/// When to look.
pub(super) struct Looks {
    ended: Receiver<()>,
    /// The program is expected to be in the midst of its work then, which is looked at whatever earlier looks took.
    halfway: Option<Instant>,
    pause: Duration,
}

impl Looks {
    /// From now until it ends; `halfway` is expected after so long.
    pub(super) fn until(ended: Receiver<()>, halfway: Option<Duration>) -> Self {
        let halfway = halfway.and_then(|after| Instant::now().checked_add(after));
        Self { ended, halfway, pause: FIRST }
    }

    /// Waits for the next one; false when the program has ended before.
    fn is_due(&self) -> bool {
        let left = self.halfway.and_then(|halfway| halfway.checked_duration_since(Instant::now()));
        // Not before the first look's time: of very short runs none is looked at.
        let wait = left.map_or(self.pause, |left| left.max(FIRST).min(self.pause));
        self.ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout)
    }

    /// What a look took decides on the next.
    fn learn(&mut self, look: &Look, took: Duration) {
        let cheap = look.held.div_f64(HELD).max(took.div_f64(LOOKING));
        self.pause = self.pause.mul_f64(GROWTH).max(cheap);
    }
}

/// The share of pages that were remote when the program had most of them; none where it could not be seen.
pub(super) fn remote_share(source: &Source, own: u32, outside: Option<&Path>, mut looks: Looks) -> Option<f64> {
    let mut fullest: Option<Look> = None;
    while looks.is_due() {
        if fullest.is_none() {
            leave_its_cpus(outside);
        }
        let began = Instant::now();
        let seen = look(source, own);
        // Of looks that saw as much, the last: while a program fills its memory, its threads may not yet be where they work.
        if fullest.is_none_or(|fullest| seen.bytes >= fullest.bytes) {
            fullest = Some(seen);
        }
        looks.learn(&seen, began.elapsed());
    }
    fullest?.remote_share
}

/// A look takes CPU time, and not the program's where there are other CPUs. Where that is refused, it is the program's after all.
fn leave_its_cpus(outside: Option<&Path>) {
    let _ = outside.map(|threads| fs::write(threads, "0"));
}

/// How much memory all of the program's processes have, and the remote share of it.
fn look(source: &Source, own: u32) -> Look {
    let mut look = Look::default();
    let mut remote = 0.0;
    for pid in with_descendants_at_a_glance(source, own).into_iter().filter(|&pid| pid != own) {
        let Ok((memory, held)) = ProcessMemory::read_timed(source, pid) else { continue };
        look.held += held;
        let Some(share) = memory.remote_share() else { continue };
        let bytes = memory.by_node().total().0;
        look.bytes += bytes;
        remote += share * bytes as f64;
    }
    look.remote_share = (look.bytes > 0).then(|| remote / look.bytes as f64);
    look
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    const COSTLY: Look = Look { bytes: 1, remote_share: None, held: Duration::from_secs(1) };

    #[test]
    fn what_holds_the_program_up_comes_seldom() {
        let mut looks = Looks::until(channel().1, None);
        looks.learn(&Look::default(), Duration::from_millis(1));
        assert_eq!(looks.pause, FIRST.mul_f64(GROWTH));
        looks.learn(&Look::default(), Duration::from_secs(1));
        assert_eq!(looks.pause, Duration::from_secs(10));
        looks.learn(&COSTLY, Duration::from_secs(1));
        assert_eq!(looks.pause, Duration::from_secs(100));
    }

    #[test]
    fn the_midst_of_the_work_is_looked_at_even_so() {
        let (_runs, ended) = channel();
        let mut looks = Looks::until(ended, Some(Duration::from_millis(200)));
        looks.learn(&COSTLY, Duration::from_secs(1));
        let began = Instant::now();
        assert!(looks.is_due());
        assert!((0.1..20.0).contains(&began.elapsed().as_secs_f64()), "{:?}", began.elapsed());
    }
}
