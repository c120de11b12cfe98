//! Charges that contradict themselves.

use crate::charges::Charges;

/// CPUs are written down in eight bits; one value means "no CPU".
const MAX_CPUS: usize = 255;

/// Why a machine cannot be charged for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the charges contradict themselves: {0}")]
pub struct ChargesError(&'static str);

fn require(holds: bool, otherwise: &'static str) -> Result<(), ChargesError> {
    if holds { Ok(()) } else { Err(ChargesError(otherwise)) }
}

/// Refuses what could not be looked up later.
pub(crate) fn check(charges: &Charges) -> Result<(), ChargesError> {
    let (groups, homes) = (charges.latency_ns.len(), charges.home_service_ns.len());
    let is_group = |group: usize| group < groups;
    let is_home = |home: usize| home < homes;
    let latencies = charges.latency_ns.iter();
    require(charges.groups.len() <= MAX_CPUS, "there are more than 255 CPUs")?;
    require(
        charges.groups.iter().all(|&group| is_group(group)),
        "a CPU is in a group without latencies",
    )?;
    require(
        latencies.clone().all(|row| row.len() == homes),
        "a group has not one latency for each home",
    )?;
    require(
        latencies.flatten().all(|&ns| ns.is_finite() && ns > 0.0),
        "a latency is no positive number",
    )?;
    require(charges.own_home.len() == groups, "not every group names its own home")?;
    require(
        charges.own_home.iter().flatten().all(|&home| is_home(home)),
        "a group's own home does not exist",
    )?;
    require(
        charges.ranges.iter().flat_map(|range| &range.homes).all(|&home| is_home(home)),
        "a range has no home",
    )?;
    let carried =
        charges.links.iter().flat_map(|link| link.carries.iter().chain(&link.carries_back));
    require(
        carried.clone().all(|&(group, home)| is_group(group) && is_home(home)),
        "a link leads nowhere",
    )?;
    require(charges.streams.is_none_or(|streams| streams.lines > 0), "streams of no line at all")?;
    let moves = charges.noise.moves.iter();
    require(
        moves.clone().all(|one| is_group(one.to_group)),
        "a CPU moves to a group that does not exist",
    )?;
    let Some(modified) = &charges.modified else { return Ok(()) };
    let square = modified.ns.len() == groups && modified.ns.iter().all(|row| row.len() == groups);
    require(square, "modified lines have not one cost for each pair of groups")
}
