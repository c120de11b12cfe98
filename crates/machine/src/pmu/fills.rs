//! Fills from local and remote memory during a span.

use std::io;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::pmu::events::FillEvents;
use crate::pmu::source::{CountTarget, EventGroup, EventSource, GroupCounter, GroupReading};

/// Fills, scaled to the whole span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fills {
    /// From local memory.
    pub local: u64,
    /// From remote memory.
    pub remote: u64,
    /// Nanoseconds that they were to be counted.
    pub enabled_ns: u64,
    /// Nanoseconds that they were counted.
    pub running_ns: u64,
}

impl Fills {
    /// Remote fills of all; `None` without any.
    pub fn remote_share(self) -> Option<f64> {
        let all = self.local.saturating_add(self.remote);
        (all > 0).then(|| self.remote as f64 / all as f64)
    }

    /// The part of the time that was counted; `None` before any.
    pub fn counted_share(self) -> Option<f64> {
        (self.enabled_ns > 0).then(|| self.running_ns as f64 / self.enabled_ns as f64)
    }
}

impl AddAssign for Fills {
    fn add_assign(&mut self, more: Self) {
        self.local = self.local.saturating_add(more.local);
        self.remote = self.remote.saturating_add(more.remote);
        self.enabled_ns = self.enabled_ns.saturating_add(more.enabled_ns);
        self.running_ns = self.running_ns.saturating_add(more.running_ns);
    }
}

/// Counts fills span by span.
pub struct FillCounter {
    counter: Box<dyn GroupCounter>,
    before: GroupReading,
}

impl FillCounter {
    /// Begins to count.
    pub fn open(
        source: &dyn EventSource,
        events: &FillEvents,
        target: CountTarget,
    ) -> io::Result<Self> {
        let configs = vec![events.local, events.remote];
        let group = EventGroup { kind: EventGroup::RAW, configs, target };
        let mut counter = source.open(&group)?;
        let before = counter.read()?;
        Ok(Self { counter, before })
    }

    /// Fills since the last call, or since the count began.
    pub fn take(&mut self) -> io::Result<Fills> {
        let now = self.counter.read()?;
        let span = now.since(&self.before);
        self.before = now;
        let scaled = span.scaled();
        let count = |index: usize| scaled.get(index).copied().unwrap_or_default();
        Ok(Fills {
            local: count(0),
            remote: count(1),
            enabled_ns: span.enabled_ns,
            running_ns: span.running_ns,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pmu::scripted::ScriptedSource;

    #[test]
    fn each_span_has_its_fills() {
        let source = ScriptedSource::new(|group, number| {
            assert_eq!((group.kind, group.configs.as_slice()), (4, [0x844, 0x4044].as_slice()));
            let counts = vec![10 * number, 90 * number];
            // The counters are free for half of the second span only.
            let running_ns = [0, 100, 150][number as usize];
            Ok(GroupReading { counts, enabled_ns: 100 * number, running_ns })
        });
        let events = FillEvents { name: String::new(), local: 0x844, remote: 0x4044 };
        let mut counter = FillCounter::open(&source, &events, CountTarget::Thread).unwrap();
        let first = counter.take().unwrap();
        assert_eq!((first.local, first.remote, first.remote_share()), (10, 90, Some(0.9)));
        let second = counter.take().unwrap();
        assert_eq!((second.local, second.remote), (20, 180));
        assert_eq!(second.counted_share(), Some(0.5));
        let mut sum = first;
        sum += second;
        assert_eq!((sum.local, sum.remote, sum.counted_share()), (30, 270, Some(0.75)));
    }

    #[test]
    fn nothing_counted_is_no_share() {
        assert_eq!(Fills::default().remote_share(), None);
        assert_eq!(Fills::default().counted_share(), None);
    }
}
