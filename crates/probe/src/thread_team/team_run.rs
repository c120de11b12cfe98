//! One run of a thread team: from its tasks to the last thread's records.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::probe_error::ProbeError;
use crate::thread_team::WindowError;
use crate::thread_team::tally::Tally;
use crate::worker_message::DropReason;

/// The time in which sleeping threads wake.
const LEAD: Duration = Duration::from_millis(2);

/// The signal on which threads start and stop.
pub(super) struct StartSignal {
    times: Mutex<Option<RunTimes>>,
    changed: Condvar,
    over: AtomicBool,
}

/// Start and end of the work (unless stopped before), and the length of a piece.
#[derive(Clone, Copy)]
pub(super) struct RunTimes {
    pub(super) start: Instant,
    pub(super) end: Option<Instant>,
    pub(super) piece: Duration,
}

impl StartSignal {
    /// Sleeps until the start is known; `None` if the run was cancelled.
    pub(super) fn wait(&self) -> Option<RunTimes> {
        let times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        let unknown =
            |times: &mut Option<RunTimes>| times.is_none() && !self.over.load(Ordering::Relaxed);
        *self.changed.wait_while(times, unknown).unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    fn start(&self, times: RunTimes) {
        *self.times.lock().unwrap_or_else(PoisonError::into_inner) = Some(times);
        self.changed.notify_all();
    }

    fn stop(&self) {
        // Under the lock, so that no thread sleeps between its check and its wait.
        let _times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        self.over.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }
}

/// A thread's message, with the index of its task.
pub(super) enum MemberMessage {
    /// Its memory is proven, and it waits for the start signal.
    Ready,
    /// It has recorded its first piece of work.
    Going,
    /// It has finished, or was disturbed.
    Done(Result<Tally, DropReason>),
    /// The task is impossible.
    Cannot(ProbeError),
}

/// A run, stopped when dropped.
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

    /// Waits until every thread is ready, or one fails.
    pub(super) fn wait_until_ready(&self) -> Result<(), WindowError> {
        for _ in 0..self.tasks {
            if let (_, MemberMessage::Done(Err(reason))) = self.next_message()? {
                return Err(reason.into());
            }
        }
        Ok(())
    }

    /// The next message of a thread whose task is possible.
    fn next_message(&self) -> Result<(usize, MemberMessage), WindowError> {
        match self.answers.recv() {
            Ok((_, MemberMessage::Cannot(error))) => Err(error.into()),
            Ok(message) => Ok(message),
            Err(_) => Err(ProbeError::TeamLost.into()),
        }
    }

    /// Sets the start and returns it.
    pub(super) fn begin(&self, length: Option<Duration>, piece: Duration) -> Instant {
        let start = Instant::now() + LEAD;
        self.signal.start(RunTimes { start, end: length.map(|length| start + length), piece });
        start
    }

    /// Waits until every thread is working.
    pub(super) fn wait_until_all_go(&self) {
        let going =
            self.answers.iter().filter(|(_, message)| matches!(message, MemberMessage::Going));
        going.take(self.tasks).for_each(drop);
    }

    pub(super) fn stop(&self) {
        self.signal.stop();
    }

    /// Waits for every thread's records, in the order of the tasks.
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
