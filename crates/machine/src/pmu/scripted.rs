//! A source of events without a PMU: a script has the readings, or the error.

use std::io;
use std::sync::Arc;

use crate::pmu::source::{EventGroup, EventSource, GroupCounter, GroupReading};

type Script = dyn Fn(&EventGroup, u64) -> io::Result<GroupReading> + Send + Sync;

/// Answers from a script.
#[derive(Clone)]
pub struct ScriptedSource {
    open_error: Option<i32>,
    script: Arc<Script>,
}

impl ScriptedSource {
    /// Each reading of a group is `script(group, n)`: n is 0 for the first, and rises by one.
    pub fn new(
        script: impl Fn(&EventGroup, u64) -> io::Result<GroupReading> + Send + Sync + 'static,
    ) -> Self {
        Self { open_error: None, script: Arc::new(script) }
    }

    /// Refuses to open anything, with this errno.
    pub fn refusing(errno: i32) -> Self {
        Self { open_error: Some(errno), ..Self::new(|_, _| Ok(GroupReading::default())) }
    }
}

struct ScriptedGroup {
    group: EventGroup,
    readings: u64,
    script: Arc<Script>,
}

impl EventSource for ScriptedSource {
    fn open(&self, group: &EventGroup) -> io::Result<Box<dyn GroupCounter>> {
        if let Some(errno) = self.open_error {
            return Err(io::Error::from_raw_os_error(errno));
        }
        let script = Arc::clone(&self.script);
        Ok(Box::new(ScriptedGroup { group: group.clone(), readings: 0, script }))
    }
}

impl GroupCounter for ScriptedGroup {
    fn read(&mut self) -> io::Result<GroupReading> {
        let number = self.readings;
        self.readings += 1;
        (self.script)(&self.group, number)
    }
}
