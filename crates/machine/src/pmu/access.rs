//! Opens counters of fills, or finds out why they cannot be opened.

use nearfar_model::{CpuId, NodeId};

use crate::EventSources;
use crate::pmu::events::FillEvents;
use crate::pmu::fills::FillCounter;
use crate::pmu::node_fills::NodeFills;
use crate::pmu::refusal::PmuRefusal;
use crate::pmu::source::{CountTarget, EventSource};

/// The PMU of x86 CPUs.
const CPU_PMU: &str = "cpu";

/// Begins to count fills of the calling thread.
pub fn thread_fills(
    source: &dyn EventSource,
    sources: &EventSources,
) -> Result<(FillEvents, FillCounter), PmuRefusal> {
    let events = known_events(sources)?;
    let target = CountTarget::Thread;
    let counter = FillCounter::open(source, &events, target)
        .map_err(|error| PmuRefusal::from_error(&error, sources, target))?;
    Ok((events, counter))
}

/// Begins to count fills of CPUs of nodes.
pub fn node_fills(
    source: &dyn EventSource,
    sources: &EventSources,
    cpus: impl IntoIterator<Item = (NodeId, CpuId)>,
) -> Result<(FillEvents, NodeFills), PmuRefusal> {
    let events = known_events(sources)?;
    let counters = NodeFills::open(source, &events, cpus)
        .map_err(|error| PmuRefusal::from_error(&error, sources, CountTarget::Cpu(CpuId(0))))?;
    Ok((events, counters))
}

fn known_events(sources: &EventSources) -> Result<FillEvents, PmuRefusal> {
    let cpu = sources.cpu.as_ref().ok_or(PmuRefusal::UnknownArchitecture)?;
    let events = FillEvents::known(cpu).ok_or_else(|| PmuRefusal::UnknownCpu {
        vendor: cpu.vendor.clone(),
        family: cpu.family,
        model: cpu.model,
    })?;
    has_cpu_pmu(sources)?;
    Ok(events)
}

/// Fails where the kernel has no PMU of the CPU. Where sysfs is hidden, the system call decides.
pub(crate) fn has_cpu_pmu(sources: &EventSources) -> Result<(), PmuRefusal> {
    match &sources.names {
        Some(names) if !names.iter().any(|name| name == CPU_PMU) => {
            Err(PmuRefusal::NoPmu { guest: sources.is_guest })
        }
        _ => Ok(()),
    }
}
