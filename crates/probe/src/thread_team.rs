//! A team of threads that stream through memory at the same time, each on its own CPU, timed over
//! one common window.
//!
//! Each thread has its own memory, placed and proven once ([`ThreadTeam::place`]), and sleeps until
//! it gets a task. [`ThreadTeam::run`] runs tasks for a time; [`ThreadTeam::during`] runs them
//! while the caller works, such as measuring latency. The sum of each thread's own rate would
//! overstate the throughput: threads do not start and end together, and a thread alone is faster.
//! So they start at an agreed time and record their progress every few microseconds. Only the work
//! while all of them ran counts ([`WindowRates`]).
//!
//! A window is valid only if every thread stayed on its CPU, all checked pages stayed on their
//! node, and almost no time was lost. A descheduled thread (or a CPU taken by a hypervisor) leaves
//! a long gap between two records. A single short loss among many windows does no harm, so the
//! fraction of all threads' time counts.

mod member;
mod tally;
mod team_run;
#[cfg(test)]
mod tests;
mod window;

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use nearfar_model::CpuId;
use nearfar_place::{Backing, BufferRequest, Proof};
use thiserror::Error;

use crate::probe_error::ProbeError;
use crate::streams::{Isa, Kernel};
use crate::thread_team::member::{PIECE, ThreadCommand, piece_of, serve};
use crate::thread_team::team_run::TeamRun;
use crate::worker_message::DropReason;

pub use crate::thread_team::window::{Fastest, MemberRate, WindowRates};

/// A buffer of one thread of a team.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ThreadBuffer {
    /// The thread, as an index into the CPUs of [`ThreadTeam::start`].
    pub member: usize,
    slot: usize,
}

/// A placed buffer with its location.
#[derive(Clone, Debug)]
pub struct PlacedThreadBuffer {
    /// The buffer, for tasks.
    pub buffer: ThreadBuffer,
    /// Its page size.
    pub backing: Backing,
    /// Its location.
    pub proof: Proof,
    /// Remarks for the user, as of [`PlacedBuffer`](nearfar_place::PlacedBuffer).
    pub notes: Vec<String>,
}

/// The task of one thread in a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StreamTask {
    /// The buffer, and so the thread. A thread has one task at a time.
    pub buffer: ThreadBuffer,
    /// The operation.
    pub kernel: Kernel,
    /// The instruction set.
    pub isa: Isa,
    /// Iterations of an empty loop, about a cycle each, after every [`TURN`](crate::streams::TURN)
    /// of memory: 0 for full load, a million for almost none.
    pub pause: u64,
}

/// Threads that wait for tasks.
pub struct ThreadTeam {
    members: Vec<Member>,
}

struct Member {
    cpu: CpuId,
    orders: Option<Sender<ThreadCommand>>,
    thread: Option<JoinHandle<()>>,
    /// Buffers that it ever had.
    slots: usize,
}

/// The warm-up before the window: clocks rise, caches fill and prefetchers learn.
const WARM_UP: Duration = Duration::from_millis(10);
/// The warm-up as a fraction (1/4) of a long window: slow machines, such as emulated ones, need it.
const WARM_UP_OF_WINDOW: u32 = 4;

/// The warm-up before a window of this length.
pub fn warm_up(length: Duration) -> Duration {
    WARM_UP.max(length / WARM_UP_OF_WINDOW)
}

impl ThreadTeam {
    /// Starts a thread on each of these CPUs. The calling thread should run elsewhere, since it
    /// disturbs them when it wakes.
    pub fn start(cpus: &[CpuId]) -> Result<Self, ProbeError> {
        let mut members = Vec::with_capacity(cpus.len());
        for &cpu in cpus {
            let (orders, incoming) = channel();
            let (pinned, answer) = channel();
            let spawned = thread::Builder::new()
                .name(format!("team {cpu}"))
                .spawn(move || serve(cpu, &incoming, &pinned));
            let thread = Some(spawned.map_err(|why| ProbeError::NoThread { cpu, why })?);
            members.push(Member { cpu, orders: Some(orders), thread, slots: 0 });
            answer.recv().map_err(|_| ProbeError::MemberGone(cpu))??;
        }
        Ok(Self { members })
    }

    /// Places buffers of threads (by index) concurrently; returns the results in order. Memory is
    /// filled with numbers, so that no page is zero.
    pub fn place<W: Into<BufferRequest>>(
        &mut self,
        requests: Vec<(usize, W)>,
    ) -> Vec<Result<PlacedThreadBuffer, ProbeError>> {
        let pending: Vec<_> = requests
            .into_iter()
            .map(|(member, request)| self.order_placement(member, request.into()))
            .collect();
        let receive = |(cpu, answer): (CpuId, Receiver<_>)| {
            answer.recv().map_err(|_| ProbeError::MemberGone(cpu))?
        };
        pending.into_iter().map(|pending| pending.and_then(receive)).collect()
    }

    fn order_placement(
        &mut self,
        index: usize,
        request: BufferRequest,
    ) -> Result<PendingPlacement, ProbeError> {
        let member = self.members.get_mut(index).ok_or(ProbeError::NoMember(index))?;
        let buffer = ThreadBuffer { member: index, slot: member.slots };
        member.slots += 1;
        let (reply, answer) = channel();
        member.order(ThreadCommand::Place { buffer, request, reply })?;
        Ok((member.cpu, answer))
    }

    /// Releases a buffer.
    pub fn release(&mut self, buffer: ThreadBuffer) -> Result<(), ProbeError> {
        self.member(buffer)?.order(ThreadCommand::Release(buffer.slot))
    }

    /// Runs tasks for `length` after a short warm-up: their joint rates, or why the window is
    /// invalid. Fails if a task is impossible.
    pub fn run(
        &mut self,
        tasks: &[StreamTask],
        length: Duration,
    ) -> Result<WindowRates, WindowError> {
        Ok(self.run_fastest(tasks, length, 1)?.rates)
    }

    /// Runs tasks for `windows` consecutive windows: the rates of the fastest valid one, and how
    /// many were dropped; or why none is valid.
    pub fn run_fastest(
        &mut self,
        tasks: &[StreamTask],
        length: Duration,
        windows: u32,
    ) -> Result<Fastest, WindowError> {
        let team_run = self.call(tasks)?;
        let from = warm_up(length);
        let end = from + length * windows.max(1);
        team_run.begin(Some(end), piece_of(length));
        let tallies = team_run.finish()?;
        window::fastest(tasks, &tallies, from..end, windows)
            .map_err(|(reason, rough)| WindowError::Disturbed { reason, rough })
    }

    /// Runs tasks while the caller works: the work's result and the tasks' rates. Fails if the
    /// tasks' window is invalid, even after the work.
    pub fn during<T>(
        &mut self,
        tasks: &[StreamTask],
        work: impl FnOnce() -> T,
    ) -> Result<(T, WindowRates), WindowError> {
        let team_run = self.call(tasks)?;
        let start = team_run.begin(None, PIECE);
        team_run.wait_until_all_go();
        // Threads that start slowly warm up slowly, as on an emulated machine.
        thread::sleep(WARM_UP.max(start.elapsed() * 2));
        let from = start.elapsed();
        let done = work();
        let to = start.elapsed();
        team_run.stop();
        let tallies = team_run.finish()?;
        Ok((done, window::rates(tasks, &tallies, from..to)?))
    }

    /// Assigns tasks to threads, and waits until all are ready.
    fn call(&mut self, tasks: &[StreamTask]) -> Result<TeamRun, WindowError> {
        let (reply, answers) = channel();
        let team_run = TeamRun::new(tasks.len(), answers);
        for (index, &task) in tasks.iter().enumerate() {
            if tasks[..index].iter().any(|other| other.buffer.member == task.buffer.member) {
                return Err(ProbeError::TwoTasks(self.member(task.buffer)?.cpu).into());
            }
            let signal = team_run.signal();
            self.member(task.buffer)?.order(ThreadCommand::Work {
                index,
                task,
                signal,
                reply: reply.clone(),
            })?;
        }
        drop(reply);
        team_run.wait_until_ready()?;
        Ok(team_run)
    }

    fn member(&self, buffer: ThreadBuffer) -> Result<&Member, ProbeError> {
        self.members.get(buffer.member).ok_or(ProbeError::NoMember(buffer.member))
    }
}

/// A placement in progress: its CPU, and the channel of its result.
type PendingPlacement = (CpuId, Receiver<Result<PlacedThreadBuffer, ProbeError>>);

impl Member {
    fn order(&self, order: ThreadCommand) -> Result<(), ProbeError> {
        let gone = || ProbeError::MemberGone(self.cpu);
        self.orders.as_ref().ok_or_else(gone)?.send(order).map_err(|_| gone())
    }
}

impl Drop for ThreadTeam {
    fn drop(&mut self) {
        self.members.iter_mut().for_each(|member| drop(member.orders.take()));
        for thread in self.members.iter_mut().filter_map(|member| member.thread.take()) {
            // Nothing depends on how it ended.
            let _ = thread.join();
        }
    }
}

/// Sleeps until shortly before `instant`, and spins for the rest.
fn wait_until(instant: Instant) {
    const SPIN: Duration = Duration::from_micros(200);
    loop {
        let left = instant.saturating_duration_since(Instant::now());
        match left.checked_sub(SPIN) {
            _ if left.is_zero() => return,
            Some(sleep) if !sleep.is_zero() => thread::sleep(sleep),
            _ => std::hint::spin_loop(),
        }
    }
}

/// Why a window gives no rates.
#[derive(Debug, Error)]
pub enum WindowError {
    /// It was disturbed: another one may be valid.
    #[error("the window was disturbed ({})", reason.name())]
    Disturbed {
        /// How.
        reason: DropReason,
        /// The rates all the same, where all threads worked.
        rough: Option<WindowRates>,
    },
    /// A task is impossible.
    #[error(transparent)]
    Failed(#[from] ProbeError),
}

impl From<DropReason> for WindowError {
    fn from(reason: DropReason) -> Self {
        Self::Disturbed { reason, rough: None }
    }
}
