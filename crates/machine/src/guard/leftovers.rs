//! What a guard removes beside settings.

use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Traces of a process in the system, for example its control groups.
pub trait Leftovers: Serialize + DeserializeOwned {
    /// Removes them. The last program of a killed process has this time to end.
    fn remove(&self, timeout: Duration);
}

/// A process without traces.
impl Leftovers for () {
    fn remove(&self, _: Duration) {}
}
