//! One time that a crew works: from the call to the last thread's tally.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::answer::DropReason;
use crate::crew::tally::Tally;
use crate::crew::window_error::WindowError;
use crate::probe_error::ProbeError;

/// Threads wake from their sleep in this time.
const LEAD: Duration = Duration::from_millis(2);

/// What threads wait for, and look at while they work.
pub(super) struct Whistle {
    hours: Mutex<Option<Hours>>,
    blown: Condvar,
    over: AtomicBool,
}

/// When work begins, when it ends if nobody says so before, and how long a piece of it is.
#[derive(Clone, Copy)]
pub(super) struct Hours {
    pub(super) start: Instant,
    pub(super) end: Option<Instant>,
    pub(super) piece: Duration,
}

impl Whistle {
    /// Sleeps until it is known when to begin. Nothing when the work was called off.
    pub(super) fn wait(&self) -> Option<Hours> {
        let hours = self.hours.lock().unwrap_or_else(PoisonError::into_inner);
        let unknown = |hours: &mut Option<Hours>| hours.is_none() && !self.over.load(Ordering::Relaxed);
        *self.blown.wait_while(hours, unknown).unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether to stop.
    pub(super) fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    fn blow(&self, hours: Hours) {
        *self.hours.lock().unwrap_or_else(PoisonError::into_inner) = Some(hours);
        self.blown.notify_all();
    }

    fn stop(&self) {
        // Under the lock, so that no thread falls asleep between looking and waiting.
        let _hours = self.hours.lock().unwrap_or_else(PoisonError::into_inner);
        self.over.store(true, Ordering::Relaxed);
        self.blown.notify_all();
    }
}

/// What a thread says, with the index of its duty.
pub(super) enum Told {
    /// Its memory is proven, and it waits for the whistle.
    Ready,
    /// It has noted its first piece of work.
    Going,
    /// It is done, or was disturbed.
    Done(Result<Tally, DropReason>),
    /// It cannot do this at all.
    Cannot(ProbeError),
}

/// A shift, ended when dropped.
pub(super) struct Shift {
    whistle: Arc<Whistle>,
    duties: usize,
    answers: Receiver<(usize, Told)>,
}

impl Shift {
    pub(super) fn new(duties: usize, answers: Receiver<(usize, Told)>) -> Self {
        let whistle = Whistle { hours: Mutex::new(None), blown: Condvar::new(), over: AtomicBool::new(false) };
        Self { whistle: Arc::new(whistle), duties, answers }
    }

    pub(super) fn whistle(&self) -> Arc<Whistle> {
        Arc::clone(&self.whistle)
    }

    /// Waits until every thread is ready, or one is not.
    pub(super) fn wait_until_ready(&self) -> Result<(), WindowError> {
        for _ in 0..self.duties {
            if let (_, Told::Done(Err(reason))) = self.hear()? {
                return Err(reason.into());
            }
        }
        Ok(())
    }

    /// What a thread says next, of one that can do its duty.
    fn hear(&self) -> Result<(usize, Told), WindowError> {
        match self.answers.recv() {
            Ok((_, Told::Cannot(error))) => Err(error.into()),
            Ok(told) => Ok(told),
            Err(_) => Err(ProbeError::CrewLost.into()),
        }
    }

    /// Agrees on an instant, and gives it.
    pub(super) fn begin(&self, length: Option<Duration>, piece: Duration) -> Instant {
        let start = Instant::now() + LEAD;
        self.whistle.blow(Hours { start, end: length.map(|length| start + length), piece });
        start
    }

    /// Waits until every thread is at work.
    pub(super) fn wait_until_all_go(&self) {
        let going = self.answers.iter().filter(|(_, told)| matches!(told, Told::Going));
        going.take(self.duties).for_each(drop);
    }

    pub(super) fn stop(&self) {
        self.whistle.stop();
    }

    /// Waits for every thread's tally; they come in the order of the duties.
    pub(super) fn finish(self) -> Result<Vec<Tally>, WindowError> {
        let mut tallies: Vec<Option<Result<Tally, DropReason>>> = (0..self.duties).map(|_| None).collect();
        while tallies.iter().any(Option::is_none) {
            if let (index, Told::Done(tally)) = self.hear()? {
                tallies[index] = Some(tally);
            }
        }
        tallies.into_iter().flatten().map(|tally| Ok(tally?)).collect()
    }
}

impl Drop for Shift {
    fn drop(&mut self) {
        self.whistle.stop();
    }
}
