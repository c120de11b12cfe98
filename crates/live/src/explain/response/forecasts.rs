//! What other placements and other machines cost a program, by its response.

use std::collections::BTreeMap;

use nearfar_infer::response::{ForecastRefusal, LatencyRange, Response, ResponseFigure, forecast};
use nearfar_model::NodeId;

use crate::explain::response::document::{
    DoseUnit, FORECAST_SCHEMA, Forecast, ForecastDocument, ForecastMachine, ForecastPlacement,
    ResponseDocument,
};

/// Latencies beyond this share of the measured range are extrapolated.
const BEYOND: f64 = 0.02;

/// Latencies of a machine, by (node of the CPUs, node of the memory).
pub type MachineLatencies = BTreeMap<(NodeId, NodeId), LatencyRange>;

/// All placements on the machine of the response.
pub fn forecasts_here(document: &ResponseDocument) -> Vec<Forecast> {
    let found = document.as_found.map(|ns| LatencyRange { ns, range: [ns; 2] });
    let placements = [
        (ForecastPlacement::AllNear, document.near),
        (ForecastPlacement::Interleaved, document.interleaved),
        (ForecastPlacement::AllFar, document.far),
    ];
    // Both ends are of one survey and one machine: what it is off by is in the doses, too.
    let exact = |latency: LatencyRange| LatencyRange { range: [latency.ns; 2], ..latency };
    // It may use the pages that it had near more than others: that is measured.
    let measured = document.time_as_found.map(|time| ResponseFigure {
        value: time.value - 1.0,
        ci95: time.ci95.map(|end| end - 1.0),
    });
    let one = |(placement, latency): (ForecastPlacement, LatencyRange)| {
        let near = exact(document.near);
        let change = match placement {
            ForecastPlacement::AsFound => measured.ok_or(ForecastRefusal::NoResponse),
            _ => forecast(&document.response, near, exact(latency), true),
        };
        Forecast {
            placement,
            latency,
            change: change.ok(),
            change_there: change.ok(),
            is_extrapolated: is_beyond(&document.response, latency),
            refused: change.err(),
        }
    };
    let found = found.map(|found| (ForecastPlacement::AsFound, found));
    found.into_iter().chain(placements).map(one).collect()
}

/// The same program on another machine: with its memory on the nearest node, interleaved over all,
/// and on the farthest. Which node it runs on there is not known: a range is over all of them.
pub fn forecast_elsewhere(
    document: &ResponseDocument,
    machine: ForecastMachine,
    latencies: &MachineLatencies,
) -> ForecastDocument {
    let placements = placements(latencies);
    let near = placements.first().map_or(document.near, |(_, latency)| *latency);
    let one = |&(placement, latency): &(ForecastPlacement, LatencyRange)| {
        let response = &document.response;
        let change = match document.unit {
            DoseUnit::Nanoseconds => forecast(response, document.near, latency, false),
            DoseUnit::FarShare => Err(ForecastRefusal::NoLatencies),
        };
        let there = change.and_then(|_| forecast(response, near, latency, false));
        Forecast {
            placement,
            latency,
            change: change.ok(),
            change_there: there.ok(),
            is_extrapolated: is_beyond(response, latency),
            refused: change.err(),
        }
    };
    ForecastDocument {
        schema: FORECAST_SCHEMA.to_owned(),
        target: document.program().to_owned(),
        measured_on: document.machine.clone(),
        slope: document.response.slope,
        machine,
        forecasts: placements.iter().map(one).collect(),
    }
}

fn is_beyond(response: &Response, latency: LatencyRange) -> bool {
    let slack = BEYOND * (response.highest - response.lowest);
    !(response.lowest - slack..=response.highest + slack).contains(&latency.ns)
}

/// Near, interleaved and far memory, each over the nodes with CPUs.
fn placements(latencies: &MachineLatencies) -> Vec<(ForecastPlacement, LatencyRange)> {
    let mut rows: BTreeMap<NodeId, Vec<LatencyRange>> = BTreeMap::new();
    for ((cpus, _), latency) in latencies {
        rows.entry(*cpus).or_default().push(*latency);
    }
    let ends = |of: &Vec<LatencyRange>, is_far: bool| {
        let sign = if is_far { -1.0 } else { 1.0 };
        of.iter().copied().min_by(|a, b| (sign * a.ns).total_cmp(&(sign * b.ns)))
    };
    let even = |of: &Vec<LatencyRange>| {
        let share = 1.0 / of.len() as f64;
        Some(LatencyRange::mean(&of.iter().map(|one| (share, *one)).collect::<Vec<_>>()))
    };
    let over = |of: &dyn Fn(&Vec<LatencyRange>) -> Option<LatencyRange>| {
        let all: Vec<LatencyRange> = rows.values().filter_map(of).collect();
        let share = 1.0 / all.len().max(1) as f64;
        let mean = LatencyRange::mean(&all.iter().map(|one| (share, *one)).collect::<Vec<_>>());
        let low = all.iter().map(|one| one.range[0]).reduce(f64::min)?;
        let high = all.iter().map(|one| one.range[1]).reduce(f64::max)?;
        Some(LatencyRange { range: [low, high], ..mean })
    };
    let near = over(&|of| ends(of, false)).map(|one| (ForecastPlacement::AllNear, one));
    let even = over(&even).map(|one| (ForecastPlacement::Interleaved, one));
    let far = over(&|of| ends(of, true)).map(|one| (ForecastPlacement::AllFar, one));
    // One node with memory has one placement.
    let all = [near, even, far].into_iter().flatten();
    all.take(if rows.values().any(|row| row.len() > 1) { 3 } else { 1 }).collect()
}
