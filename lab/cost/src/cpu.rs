//! One CPU: what it holds, how far its time has come, and what it was charged.

use crate::cache::Cache;
use crate::histogram::Histogram;

/// With no more blocks of user code between two accesses, a CPU did nothing but go from the one to the other. (A block is straight code up to a
/// jump, a handful of instructions.)
const ON_THE_WAY: u32 = 4;

/// So many waiting instructions without one fetched line between them, and a CPU does nothing but wait. Two CPUs that hand a line to
/// and fro never come near it.
const ONLY_WAITS: u32 = 2000;

/// A CPU of the machine. Only the thread that emulates it may use it. Times are in nanoseconds since the guest's start.
#[derive(Debug)]
pub struct Cpu {
    pub(crate) number: usize,
    pub(crate) cache: Cache,
    /// By home.
    pub(crate) fetched: Vec<Histogram>,
    /// By home.
    pub(crate) transferred: Vec<Histogram>,
    /// Absent where what comes next does not begin before it is seen.
    last_ended: Option<u64>,
    blocks_since: u32,
    waits: u32,
}

impl Cpu {
    pub(crate) fn new(number: usize, cache_lines: usize, homes: usize) -> Self {
        Self {
            number,
            cache: Cache::new(cache_lines),
            fetched: vec![Histogram::new(); homes],
            transferred: vec![Histogram::new(); homes],
            last_ended: None,
            blocks_since: 0,
            waits: 0,
        }
    }

    /// It executes a block of user code.
    pub fn runs_block(&mut self) {
        self.blocks_since = self.blocks_since.saturating_add(1);
    }

    /// When an access begins that is seen now: as soon as the last one ended, where the program did nothing in between. A chain of loads then
    /// takes what its loads are charged; what the emulator, the guest's kernel and other programs on the host's CPU take besides is
    /// made good by the loads that follow.
    pub(crate) fn begins(&self, now: u64) -> u64 {
        let follows = self.blocks_since <= ON_THE_WAY;
        self.last_ended.filter(|_| follows).unwrap_or(now)
    }

    pub(crate) fn charge(&mut self, home: usize, transferred: bool, ns: u64, ends: u64) {
        let ledger = if transferred { &mut self.transferred } else { &mut self.fetched };
        ledger[home].add(ns);
        self.last_ended = Some(ends);
        self.blocks_since = 0;
        self.waits = 0;
    }

    /// What comes after a flush, a look at the clock or a call of the kernel does not begin before it. (Else what one timed chain lost would be made
    /// good in the next.)
    pub fn begins_anew(&mut self) {
        self.last_ended = None;
    }

    /// It executes an instruction that says "I wait". Returns whether it has long done nothing else, so that the host's CPU is better
    /// given to those who work.
    pub fn waits(&mut self) -> bool {
        self.waits = self.waits.saturating_add(1);
        self.waits > ONLY_WAITS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many accesses of 500 ns, each seen 100 ns after the last one was over for the program.
    fn chain(cpu: &mut Cpu, mut now: u64, accesses: u64) -> u64 {
        for _ in 0..accesses {
            let seen = now + 100;
            cpu.runs_block();
            let ends = cpu.begins(seen) + 500;
            cpu.charge(0, false, 500, ends);
            now = seen.max(ends);
        }
        now
    }

    fn started() -> (Cpu, u64) {
        let mut cpu = Cpu::new(0, 16, 1);
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
        cpu.begins_anew();
        assert_eq!(chain(&mut cpu, now + 20_000, 1) - now, 20_000 + 100 + 500);
    }
}
