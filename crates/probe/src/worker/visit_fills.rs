//! Fills from local and remote memory during visits, where the PMU counts them.

use nearfar_machine::pmu::{CountTarget, EventSource, FillCounter, FillEvents};

use crate::load_fills::LoadFills;
use crate::worker::messages::Messages;
use crate::worker_message::{Visit, WorkerMessage};

/// Counts visit by visit. Without a counter it does nothing: the survey has checked before whether
/// events can be counted, and has the reason.
#[derive(Default)]
pub(crate) struct VisitFills {
    counter: Option<FillCounter>,
    visit: Option<Visit>,
}

impl VisitFills {
    /// Opens the counter of the calling thread.
    pub(crate) fn open(source: &dyn EventSource, events: Option<&FillEvents>) -> Self {
        Self {
            counter: events
                .and_then(|events| FillCounter::open(source, events, CountTarget::Thread).ok()),
            visit: None,
        }
    }

    /// Begins to count a visit's fills. Further attempts of the visit are counted with the first.
    pub(crate) fn begin(&mut self, visit: Visit) {
        if self.visit != Some(visit) {
            self.visit = Some(visit);
            self.take();
        }
    }

    /// Reports the fills of a visit that has its sample.
    pub(crate) fn end(&mut self, loads: u64, messages: &mut Messages<'_>) {
        if let (Some(visit), Some(fills)) = (self.visit.take(), self.take()) {
            let counted = LoadFills { loads, fills };
            messages.send(WorkerMessage::Fills { place: visit.place, counted });
        }
    }

    fn take(&mut self) -> Option<nearfar_machine::pmu::Fills> {
        self.counter.as_mut()?.take().ok()
    }
}

#[cfg(test)]
mod tests {
    use nearfar_machine::pmu::scripted::ScriptedSource;
    use nearfar_machine::pmu::{Fills, GroupReading};

    use super::*;
    use crate::tests::visit;

    fn events() -> FillEvents {
        FillEvents { name: "fills".to_owned(), local: 1, remote: 2 }
    }

    /// Messages about two visits with a disturbed attempt between them.
    fn messages(source: &ScriptedSource) -> Vec<WorkerMessage> {
        let mut fills = VisitFills::open(source, Some(&events()));
        let mut output = Vec::new();
        let mut messages = Messages::new(&mut output);
        for (column, attempts) in [(0, 1), (1, 3)] {
            (0..attempts).for_each(|_| fills.begin(visit(0, column, 0)));
            fills.end(8192, &mut messages);
        }
        messages.finish().unwrap();
        crate::tests::read(&output)
    }

    #[test]
    fn each_visit_has_the_fills_of_its_attempts() {
        let counts = [[0, 0], [5, 5], [105, 15], [200, 200], [201, 8300]];
        let source = ScriptedSource::new(move |_, number| {
            let counts = counts[number as usize].to_vec();
            Ok(GroupReading { counts, enabled_ns: 1, running_ns: 1 })
        });
        let fills = |column, local, remote| {
            let fills = Fills { local, remote, ..Fills::default() };
            let place = visit(0, column, 0).place;
            WorkerMessage::Fills { place, counted: LoadFills { loads: 8192, fills } }
        };
        assert_eq!(messages(&source), [fills(0, 100, 10), fills(1, 1, 8100)]);
    }

    #[test]
    fn nothing_is_reported_without_a_counter() {
        assert_eq!(messages(&ScriptedSource::refusing(1)), []);
        let fails = ScriptedSource::new(|_, number| match number {
            0 => Ok(GroupReading::default()),
            _ => Err(std::io::ErrorKind::NotFound.into()),
        });
        assert_eq!(messages(&fails), []);
    }
}
