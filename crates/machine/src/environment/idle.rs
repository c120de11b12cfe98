//! CPU idle states and their exit latencies (Documentation/admin-guide/pm/cpuidle.rst).

use serde::Serialize;

use crate::attribute::Attributes;

const CPU: &str = "/sys/devices/system/cpu";

/// The idle driver and its states.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct IdleSettings {
    /// "intel_idle", "acpi_idle", "haltpoll"; `None` if CPUs only halt.
    pub driver: Option<String>,
    /// The governor that chooses a state.
    pub governor: Option<String>,
    /// The states of the first CPU that has any; others may differ.
    pub states: Vec<IdleState>,
}

/// One idle state (C-state).
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct IdleState {
    /// "POLL", "C1", "C6".
    pub name: String,
    /// Exit latency in ns, as claimed by the driver.
    pub latency_ns: Option<u64>,
    /// Whether it is enabled.
    pub enabled: bool,
}

pub(super) fn read(read: &Attributes<'_>) -> IdleSettings {
    let governor = ["current_governor_ro", "current_governor"];
    IdleSettings {
        driver: read
            .text(&format!("{CPU}/cpuidle/current_driver"))
            .filter(|driver| driver != "none"),
        governor: governor.iter().find_map(|name| read.text(&format!("{CPU}/cpuidle/{name}"))),
        states: states(read),
    }
}

fn states(read: &Attributes<'_>) -> Vec<IdleState> {
    let cpu_states = |cpu: u32| -> Vec<IdleState> {
        let folder = format!("{CPU}/cpu{cpu}/cpuidle");
        let numbers = read.source.numbered(&folder, "state").into_iter();
        numbers.filter_map(|number| state(read, &format!("{folder}/state{number}"))).collect()
    };
    let cpus = read.source.numbered(CPU, "cpu").into_iter();
    cpus.map(cpu_states).find(|states| !states.is_empty()).unwrap_or_default()
}

/// The kernel gives latencies in microseconds.
fn state(read: &Attributes<'_>, folder: &str) -> Option<IdleState> {
    Some(IdleState {
        name: read.text(&format!("{folder}/name"))?,
        latency_ns: read
            .parsed::<u64>(&format!("{folder}/latency"))
            .and_then(|us| us.checked_mul(1000)),
        enabled: read.text(&format!("{folder}/disable")).is_none_or(|text| text == "0"),
    })
}
