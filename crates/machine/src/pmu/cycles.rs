//! Cycles per instruction of running programs.

use std::io;

use rustix::io::Errno;

use crate::EventSources;
use crate::pmu::access::has_cpu_pmu;
use crate::pmu::refusal::PmuRefusal;
use crate::pmu::source::{CountTarget, EventGroup, EventSource, GroupCounter, GroupReading};

/// PERF_TYPE_HARDWARE, and its cycles and instructions: the kernel knows them of every CPU.
///
/// # References
///
/// perf_event_open(2)
const HARDWARE: u32 = 0;
const CYCLES: u64 = 0;
const INSTRUCTIONS: u64 = 1;

/// Counts cycles and instructions of threads in user mode.
pub struct CycleCounter(Vec<(Box<dyn GroupCounter>, GroupReading)>);

impl CycleCounter {
    /// Begins to count for these threads. Those that have ended are absent; threads that they start
    /// later are not counted.
    pub fn open(
        source: &dyn EventSource,
        sources: &EventSources,
        threads: &[u32],
    ) -> Result<Self, PmuRefusal> {
        has_cpu_pmu(sources)?;
        let mut counters = Vec::new();
        for &thread in threads {
            let target = CountTarget::OtherThread(thread);
            let group = EventGroup { kind: HARDWARE, configs: vec![CYCLES, INSTRUCTIONS], target };
            let opened = source.open(&group).and_then(|mut counter| {
                let before = counter.read()?;
                Ok((counter, before))
            });
            match opened {
                Ok(one) => counters.push(one),
                Err(error) if has_ended(&error) => {}
                Err(error) => return Err(PmuRefusal::from_error(&error, sources, target)),
            }
        }
        Ok(Self(counters))
    }

    /// Cycles per instruction since the count began. `None` if nothing was counted.
    pub fn cycles_per_instruction(&mut self) -> Option<f64> {
        let (mut cycles, mut instructions) = (0u64, 0u64);
        for (counter, before) in &mut self.0 {
            // A thread that has ended meanwhile keeps its counts.
            let Ok(now) = counter.read() else { continue };
            if let [some_cycles, some_instructions] = now.since(before).scaled()[..] {
                cycles = cycles.saturating_add(some_cycles);
                instructions = instructions.saturating_add(some_instructions);
            }
        }
        (cycles > 0 && instructions > 0).then(|| cycles as f64 / instructions as f64)
    }
}

fn has_ended(error: &io::Error) -> bool {
    Errno::from_io_error(error) == Some(Errno::SRCH)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pmu::scripted::ScriptedSource;

    fn sources() -> EventSources {
        EventSources { names: Some(vec!["cpu".to_owned()]), ..EventSources::default() }
    }

    #[test]
    fn threads_are_added_up() {
        // Thread 7 has 2 cycles an instruction, thread 8 has 4, and as many instructions.
        let source = ScriptedSource::new(|group, number| {
            let CountTarget::OtherThread(thread) = group.target else { panic!("{group:?}") };
            let counts = vec![number * u64::from(thread - 6) * 2000, number * 1000];
            Ok(GroupReading { counts, enabled_ns: number, running_ns: number })
        });
        let mut counter = CycleCounter::open(&source, &sources(), &[7, 8]).unwrap();
        assert_eq!(counter.cycles_per_instruction(), Some(3.0));
    }

    #[test]
    fn nothing_counted_is_none() {
        let source = ScriptedSource::new(|_, _| {
            Ok(GroupReading { counts: vec![0, 0], enabled_ns: 9, running_ns: 0 })
        });
        let mut counter = CycleCounter::open(&source, &sources(), &[7]).unwrap();
        assert_eq!(counter.cycles_per_instruction(), None);
        let ended = ScriptedSource::refusing(Errno::SRCH.raw_os_error());
        let mut counter = CycleCounter::open(&ended, &sources(), &[7]).unwrap();
        assert_eq!(counter.cycles_per_instruction(), None);
    }

    #[test]
    fn refusals_have_their_reason() {
        let denied = ScriptedSource::refusing(Errno::ACCESS.raw_os_error());
        let strict = EventSources { paranoid: Some(3), ..sources() };
        let refusal = CycleCounter::open(&denied, &strict, &[7]).err();
        assert_eq!(refusal, Some(PmuRefusal::Paranoid { level: 3, needed: 2 }));
        let none = EventSources { names: Some(vec!["software".to_owned()]), ..sources() };
        let refusal = CycleCounter::open(&denied, &none, &[7]).err();
        assert_eq!(refusal, Some(PmuRefusal::NoPmu { guest: false }));
    }
}
