//! A team: threads that stream through memory at the same time, each on a CPU of its own, all timed
//! over one common window.
//!
//! Each thread has memory of its own, placed and proven once ([`ThreadTeam::place`]), and sleeps
//! until it is called. [`ThreadTeam::run`] lets some of them work for a while;
//! [`ThreadTeam::during`] lets them work while the caller does something else, such as measuring
//! latency beside them. Summing each thread's own rate would overstate what memory delivers:
//! threads do not begin and end together, and whoever is alone is faster. So they begin at an
//! agreed instant, note after every few microseconds how far they have come, and only what they did
//! while all of them worked counts ([`WindowRates`]).
//!
//! A window is believed only when every thread stayed on its CPU, all pages looked up stayed where
//! they were, and next to no time was lost: a thread that was taken off its CPU (or whose CPU was
//! taken by a hypervisor) leaves a long gap between two notes. One that loses a moment in a window
//! among many does no harm, so what counts is the share of all threads' time that is lost.

mod member;
mod tally;
mod team_run;
#[cfg(test)]
mod tests;
mod window;
mod window_error;

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use nearfar_model::CpuId;
use nearfar_place::{Backing, BufferRequest, Proof};

use crate::probe_error::ProbeError;
use crate::streams::{Isa, Kernel};
use crate::thread_team::member::{Order, PIECE, piece_of, serve};
use crate::thread_team::team_run::TeamRun;
pub use crate::thread_team::window::{Fastest, MemberRate, WindowRates};
pub use crate::thread_team::window_error::WindowError;

/// Memory of one of a thread team's threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ThreadBuffer {
    /// The thread, as an index into the CPUs of [`ThreadTeam::start`].
    pub member: usize,
    slot: usize,
}

/// How memory came to stand where it was wanted.
#[derive(Clone, Debug)]
pub struct PlacedThreadBuffer {
    /// What to give in tasks.
    pub buffer: ThreadBuffer,
    /// What carries it.
    pub backing: Backing,
    /// Where it is.
    pub proof: Proof,
    /// What a reader should know, as of [`PlacedBuffer`](nearfar_place::PlacedBuffer).
    pub notes: Vec<String>,
}

/// What one thread does in a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StreamTask {
    /// In which memory, and so by which thread. A thread has one task at a time.
    pub buffer: ThreadBuffer,
    /// What.
    pub kernel: Kernel,
    /// With which instructions.
    pub isa: Isa,
    /// Turns of an empty loop, about a cycle each, after every [`TURN`](crate::streams::TURN) of
    /// memory: 0 for all that the thread can do, more for less traffic, a million for next to
    /// none.
    pub pause: u64,
}

/// Threads that wait to be called.
pub struct ThreadTeam {
    members: Vec<Member>,
}

struct Member {
    cpu: CpuId,
    orders: Option<Sender<Order>>,
    thread: Option<JoinHandle<()>>,
    /// Buffers that it was ever given.
    slots: usize,
}

/// Clocks climb, caches fill and prefetchers learn for so long before anything counts,
const WARM_UP: Duration = Duration::from_millis(10);
/// and for at least this share of a long window: who asks for one has a machine that needs it, such
/// as an emulated one.
const WARM_UP_OF_WINDOW: u32 = 4;

/// How long threads work before a window of this length begins.
pub fn warm_up(length: Duration) -> Duration {
    WARM_UP.max(length / WARM_UP_OF_WINDOW)
}

impl ThreadTeam {
    /// Starts a thread on each of these CPUs. The calling thread had better run elsewhere, or it
    /// will be in their way as it wakes.
    pub fn start(cpus: &[CpuId]) -> Result<Self, ProbeError> {
        let mut members = Vec::with_capacity(cpus.len());
        for &cpu in cpus {
            let (orders, incoming) = channel();
            let (pinned, answer) = channel();
            let body = move || serve(cpu, &incoming, &pinned);
            let spawned = thread::Builder::new().name(format!("team {cpu}")).spawn(body);
            let thread = Some(spawned.map_err(|why| ProbeError::NoThread { cpu, why })?);
            members.push(Member { cpu, orders: Some(orders), thread, slots: 0 });
            answer.recv().map_err(|_| ProbeError::MemberGone(cpu))??;
        }
        Ok(Self { members })
    }

    /// Places memory for threads (by index), all at once; what came of each wish, in their order.
    /// Memory is filled with numbers, so that no page is zero.
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
        member.order(Order::Place { buffer, request, reply })?;
        Ok((member.cpu, answer))
    }

    /// Gives memory back.
    pub fn release(&mut self, buffer: ThreadBuffer) -> Result<(), ProbeError> {
        self.member(buffer)?.order(Order::Release(buffer.slot))
    }

    /// Lets threads work for `length` beyond a short warm-up: what they moved in it together, or
    /// why that is not believed. An error when a task cannot be done at all.
    pub fn run(
        &mut self,
        tasks: &[StreamTask],
        length: Duration,
    ) -> Result<WindowRates, WindowError> {
        Ok(self.run_fastest(tasks, length, 1)?.rates)
    }

    /// Lets threads work for so many windows of a length on end: what they moved together in the
    /// fastest that is believed, and how many are not; or why none is.
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
        Ok(window::fastest(tasks, &tallies, from..end, windows)?)
    }

    /// Lets threads work while the caller does: what came of its work, and what they moved
    /// meanwhile. The work is not done, or what came of it is not given, when what the threads did
    /// is not believed.
    pub fn during<T>(
        &mut self,
        tasks: &[StreamTask],
        work: impl FnOnce() -> T,
    ) -> Result<(T, WindowRates), WindowError> {
        let team_run = self.call(tasks)?;
        let start = team_run.begin(None, PIECE);
        team_run.wait_until_all_go();
        // Who takes long to begin is slow to warm up: an emulated machine, again.
        thread::sleep(WARM_UP.max(start.elapsed() * 2));
        let from = start.elapsed();
        let done = work();
        let to = start.elapsed();
        team_run.stop();
        let tallies = team_run.finish()?;
        Ok((done, window::rates(tasks, &tallies, from..to)?))
    }

    /// Calls threads to their tasks, and waits until all of them stand ready.
    fn call(&mut self, tasks: &[StreamTask]) -> Result<TeamRun, WindowError> {
        let (reply, answers) = channel();
        let team_run = TeamRun::new(tasks.len(), answers);
        for (index, &task) in tasks.iter().enumerate() {
            if tasks[..index].iter().any(|other| other.buffer.member == task.buffer.member) {
                return Err(ProbeError::TwoTasks(self.member(task.buffer)?.cpu).into());
            }
            let signal = team_run.signal();
            self.member(task.buffer)?.order(Order::Work {
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

/// A wish that was passed on: to which CPU's thread, and where its answer comes.
type PendingPlacement = (CpuId, Receiver<Result<PlacedThreadBuffer, ProbeError>>);

impl Member {
    fn order(&self, order: Order) -> Result<(), ProbeError> {
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

/// Sleeps until shortly before an instant, and spins for the rest.
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
