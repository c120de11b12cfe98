//! One time that a thread team works: from the call to the last thread's tally.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::probe_error::ProbeError;
use crate::thread_team::tally::Tally;
use crate::thread_team::window_error::WindowError;
use crate::worker_message::DropReason;

/// Threads wake from their sleep in this time.
const LEAD: Duration = Duration::from_millis(2);

/// What threads wait for, and look at while they work.
pub(super) struct StartSignal {
    times: Mutex<Option<RunTimes>>,
    changed: Condvar,
    over: AtomicBool,
}

/// When work begins, when it ends if nobody says so before, and how long a piece of it is.
#[derive(Clone, Copy)]
pub(super) struct RunTimes {
    pub(super) start: Instant,
    pub(super) end: Option<Instant>,
    pub(super) piece: Duration,
}

impl StartSignal {
    /// Sleeps until it is known when to begin. Nothing when the work was called off.
    pub(super) fn wait(&self) -> Option<RunTimes> {
        let times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        let unknown =
            |times: &mut Option<RunTimes>| times.is_none() && !self.over.load(Ordering::Relaxed);
        *self.changed.wait_while(times, unknown).unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether to stop.
    pub(super) fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    fn start(&self, times: RunTimes) {
        *self.times.lock().unwrap_or_else(PoisonError::into_inner) = Some(times);
        self.changed.notify_all();
    }

    fn stop(&self) {
        // Under the lock, so that no thread falls asleep between looking and waiting.
        let _times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        self.over.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }
}

/// What a thread says, with the index of its task.
pub(super) enum MemberMessage {
    /// Its memory is proven, and it waits for the start signal.
    Ready,
    /// It has noted its first piece of work.
    Going,
    /// It is done, or was disturbed.
    Done(Result<Tally, DropReason>),
    /// It cannot do this at all.
    Cannot(ProbeError),
}

/// A shift, ended when dropped.
pub(super) struct TeamRun {
    signal: Arc<StartSignal>,
    tasks: usize,
    answers: Receiver<(usize, MemberMessage)>,
}

impl TeamRun {
    pub(super) fn new(tasks: usize, answers: Receiver<(usize, MemberMessage)>) -> Self {
        let signal = StartSignal {
            times: Mutex::new(None),
            changed: Condvar::new(),
            over: AtomicBool::new(false),
        };
        Self { signal: Arc::new(signal), tasks, answers }
    }

    pub(super) fn signal(&self) -> Arc<StartSignal> {
        Arc::clone(&self.signal)
    }

    /// Waits until every thread is ready, or one is not.
    pub(super) fn wait_until_ready(&self) -> Result<(), WindowError> {
        for _ in 0..self.tasks {
            if let (_, MemberMessage::Done(Err(reason))) = self.next_message()? {
                return Err(reason.into());
            }
        }
        Ok(())
    }

    /// What a thread says next, of one that can do its task.
    fn next_message(&self) -> Result<(usize, MemberMessage), WindowError> {
        match self.answers.recv() {
            Ok((_, MemberMessage::Cannot(error))) => Err(error.into()),
            Ok(message) => Ok(message),
            Err(_) => Err(ProbeError::TeamLost.into()),
        }
    }

    /// Agrees on an instant, and gives it.
    pub(super) fn begin(&self, length: Option<Duration>, piece: Duration) -> Instant {
        let start = Instant::now() + LEAD;
        self.signal.start(RunTimes { start, end: length.map(|length| start + length), piece });
        start
    }

    /// Waits until every thread is at work.
    pub(super) fn wait_until_all_go(&self) {
        let going =
            self.answers.iter().filter(|(_, message)| matches!(message, MemberMessage::Going));
        going.take(self.tasks).for_each(drop);
    }

    pub(super) fn stop(&self) {
        self.signal.stop();
    }

    /// Waits for every thread's tally; they come in the order of the tasks.
    pub(super) fn finish(self) -> Result<Vec<Tally>, WindowError> {
        let mut tallies: Vec<Option<Result<Tally, DropReason>>> =
            (0..self.tasks).map(|_| None).collect();
        while tallies.iter().any(Option::is_none) {
            if let (index, MemberMessage::Done(tally)) = self.next_message()? {
                tallies[index] = Some(tally);
            }
        }
        tallies.into_iter().flatten().map(|tally| Ok(tally?)).collect()
    }
}

impl Drop for TeamRun {
    fn drop(&mut self) {
        self.signal.stop();
    }
}
