//! One CPU: what it holds, how far its time has come, and what it was charged.

use crate::cache::EmulatedCache;
use crate::charges;
use crate::device_access::DeviceReached;
use crate::histogram::{Histogram, Sum};
use crate::pages::PageHomes;
use crate::posted::Posted;
use crate::streams::CpuStreams;

/// With no more blocks of user code between two accesses, a CPU did nothing but go from the one to
/// the other. (A block is straight code up to a jump, a handful of instructions.)
const ON_THE_WAY: u32 = 4;

/// A loop that goes through memory in words of eight bytes runs a block a word, and eight of them a
/// line.
const ALONG_A_STREAM: u32 = 16;

/// This many waiting instructions without one fetched line between them, and a CPU does nothing but
/// wait. Two CPUs that hand a line to and fro never come near it.
const ONLY_WAITS: u32 = 2000;

/// A CPU of the machine. Only the thread that emulates it may use it. Times are in nanoseconds
/// since the guest's start.
#[derive(Debug)]
pub struct EmulatedCpu {
    pub(crate) number: usize,
    pub(crate) cache: EmulatedCache,
    pub(crate) fetched: Vec<Histogram>,
    pub(crate) transferred: Vec<Histogram>,
    /// Absent: one line at a time.
    pub(crate) parallel: Option<Parallel>,
    pub(crate) streamed: Vec<Sum>,
    pub(crate) written: Vec<Sum>,
    /// By device; those at the end that were never reached are absent.
    pub(crate) reached: Vec<DeviceReached>,
    /// Absent where what comes next does not begin before it is seen.
    last_ended: Option<u64>,
    blocks_since: u32,
    waits: u32,
    /// The virtual line that came from another CPU last.
    handed_over: u64,
}

/// What a CPU has on its way while it goes on.
#[derive(Debug)]
pub(crate) struct Parallel {
    pub(crate) streams: CpuStreams,
    pub(crate) pages: PageHomes,
    pub(crate) posted: Posted,
}

impl Parallel {
    fn new(streams: charges::Streams) -> Self {
        let lines = streams.lines;
        Self {
            streams: CpuStreams::new(lines),
            pages: PageHomes::new(),
            posted: Posted::new(lines),
        }
    }
}

impl EmulatedCpu {
    pub(crate) fn new(
        number: usize,
        cache_lines: usize,
        homes: usize,
        streams: Option<charges::Streams>,
    ) -> Self {
        Self {
            number,
            cache: EmulatedCache::new(cache_lines),
            fetched: vec![Histogram::new(); homes],
            transferred: vec![Histogram::new(); homes],
            parallel: streams.map(Parallel::new),
            streamed: vec![Sum::default(); homes],
            written: vec![Sum::default(); homes],
            reached: Vec::new(),
            last_ended: None,
            blocks_since: 0,
            waits: 0,
            handed_over: u64::MAX,
        }
    }

    /// It executes a block of user code.
    pub fn runs_block(&mut self) {
        self.blocks_since = self.blocks_since.saturating_add(1);
    }

    /// When an access begins that is seen now: as soon as the last one ended, where the program did
    /// nothing in between. A chain of loads then takes what its loads are charged; what the
    /// emulator, the guest's kernel and other programs on the host's CPU take besides is
    /// made good by the loads that follow.
    pub(crate) fn begins(&self, now: u64) -> u64 {
        self.begins_within(ON_THE_WAY, now)
    }

    /// The same for the next line of a stream.
    pub(crate) fn goes_on(&self, now: u64) -> u64 {
        self.begins_within(ALONG_A_STREAM, now)
    }

    fn begins_within(&self, blocks: u32, now: u64) -> u64 {
        let Some(last_ended) = self.last_ended else { return now };
        // A CPU that goes along a stream may be ahead of the clock.
        if self.blocks_since <= blocks { last_ended } else { last_ended.max(now) }
    }

    /// It fetched a line from memory.
    pub(crate) fn fetched(&mut self, home: usize, ns: u64, ends: u64) {
        self.fetched[home].add(ns);
        self.ends(ends);
    }

    /// It fetched a line from another CPU.
    pub(crate) fn transferred(&mut self, home: usize, virtual_line: u64, ns: u64, ends: u64) {
        self.handed_over = virtual_line;
        self.transferred[home].add(ns);
        self.ends(ends);
    }

    /// It reached a device's registers.
    pub(crate) fn reaches(&mut self, device: usize, store: bool, ns: u64) {
        let (cpu, first) = (self.number, self.reached.len());
        let more =
            (first..=device).map(|device| DeviceReached { cpu, device, ..Default::default() });
        self.reached.extend(more);
        let reached = &mut self.reached[device];
        *(if store { &mut reached.stores } else { &mut reached.loads }) += 1;
        reached.total_ns += ns;
    }

    /// It accesses a line that it holds. To look again at one that another CPU handed over is to
    /// wait for that CPU: what follows begins when the other is done, however late the host lets
    /// this one see it.
    pub(crate) fn hits(&mut self, virtual_line: u64) {
        if virtual_line == self.handed_over {
            self.blocks_since = 0;
        }
    }

    /// It took the next line of a stream.
    pub(crate) fn streamed(&mut self, home: usize, ns: u64, ends: u64) {
        self.streamed[home].add(ns);
        self.ends(ends);
    }

    /// It sent a line off past its caches.
    pub(crate) fn posted(&mut self, home: usize, ns: u64, ends: u64) {
        self.written[home].add(ns);
        self.ends(ends);
    }

    /// It gave a line back, and does not wait for that.
    pub(crate) fn wrote_back(&mut self, home: usize) {
        self.written[home].add(0);
    }

    fn ends(&mut self, at: u64) {
        self.last_ended = Some(at);
        self.blocks_since = 0;
        self.waits = 0;
    }

    /// What comes after a flush, a look at the clock or a call of the kernel does not begin before
    /// it. (Else what one timed chain lost would be made good in the next.) Returns when all that
    /// came before is over, which the program is to wait for.
    pub fn begins_anew(&mut self) -> Option<u64> {
        self.last_ended.take()
    }

    /// It executes an instruction that waits (PAUSE, YIELD). Returns whether it has long done
    /// nothing else, so that the host's CPU is better given to those who work.
    pub fn waits(&mut self) -> bool {
        self.waits = self.waits.saturating_add(1);
        self.waits > ONLY_WAITS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// That many accesses of 500 ns, each seen 100 ns after the last one was over for the program.
    fn chain(cpu: &mut EmulatedCpu, mut now: u64, accesses: u64) -> u64 {
        for _ in 0..accesses {
            let seen = now + 100;
            cpu.runs_block();
            let ends = cpu.begins(seen) + 500;
            cpu.fetched(0, 500, ends);
            now = seen.max(ends);
        }
        now
    }

    fn started() -> (EmulatedCpu, u64) {
        let mut cpu = EmulatedCpu::new(0, 16, 1, None);
        let now = chain(&mut cpu, 1_000_000, 10);
        (cpu, now)
    }

    #[test]
    fn a_chain_takes_the_sum_of_its_charges() {
        let (mut cpu, now) = started();
        assert_eq!(chain(&mut cpu, now, 1000) - now, 1000 * 500);
    }

    #[test]
    fn a_tick_in_the_middle_of_a_chain_is_made_good() {
        let (mut cpu, now) = started();
        let before = chain(&mut cpu, now, 100);
        assert_eq!(chain(&mut cpu, before + 100_000, 400) - now, 500 * 500);
    }

    #[test]
    fn so_is_another_programs_turn_on_the_hosts_cpu() {
        let (mut cpu, now) = started();
        let before = chain(&mut cpu, now, 100);
        assert_eq!(chain(&mut cpu, before + 4_000_000, 10_000) - now, 10_100 * 500);
    }

    #[test]
    fn no_chain_takes_less_than_it_really_took() {
        let (mut cpu, now) = started();
        assert_eq!(chain(&mut cpu, now + 4_000_000, 10) - now, 4_000_000 + 10 * 100);
    }

    #[test]
    fn a_program_that_computes_takes_its_time() {
        let (mut cpu, now) = started();
        (0..10).for_each(|_| cpu.runs_block());
        assert_eq!(chain(&mut cpu, now + 20_000, 1) - now, 20_000 + 100 + 500);
    }

    #[test]
    fn what_one_timed_chain_lost_is_not_made_good_in_the_next() {
        let (mut cpu, now) = started();
        assert_eq!(cpu.begins_anew(), Some(now));
        assert_eq!(chain(&mut cpu, now + 20_000, 1) - now, 20_000 + 100 + 500);
    }
}
