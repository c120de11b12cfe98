//! Bandwidth from request to survey: how many threads it takes first, then every kernel with so many.

use std::time::Duration;

use nearfar_machine::Topology;
use nearfar_model::{Bytes, CpuId};
use nearfar_probe::bandwidth::{BandwidthSetup, MemoryJob, Treatment, thread_steps};
use nearfar_probe::{
    Isa, Kernel, Layout, LayoutRow, Outcome, PageSize, Plan, PlanLimits, ProbeSpec, RowKind, Wanted, Work,
};
use nearfar_survey::{BandwidthRun, Instruments, Mode, Options, Peak, StoodOut, Survey, knee};

use super::Session;
use super::standing_out::{again, points, wild_cells};
use crate::exit::WrongUsage;

/// What is to be measured.
pub(crate) struct BandwidthRequest {
    pub(crate) mode: Mode,
    pub(crate) wanted: Wanted,
    pub(crate) rows_name: String,
    pub(crate) kernels: Vec<Kernel>,
    pub(crate) isa: Isa,
    /// So many threads in place of a curve.
    pub(crate) threads: Option<usize>,
    /// What the threads of a window sweep together; by default four times the last-level cache.
    pub(crate) footprint: Option<Bytes>,
    pub(crate) window: Duration,
    /// So many windows a visit; by default as many as fill [`VISIT`].
    pub(crate) windows: Option<u32>,
    pub(crate) peak: Option<Peak>,
    pub(crate) seed: Option<u64>,
}

/// Windows on end take so long, unless one is longer: what comes before them, placing memory above all, takes more.
const VISIT: Duration = Duration::from_millis(40);

/// Measures.
pub(crate) fn measure_bandwidth(request: &BandwidthRequest) -> anyhow::Result<Survey> {
    let session = Session::begin(request.seed)?;
    let wanted = Wanted {
        // A core by itself does not fill a node's channels.
        rows: if request.wanted.rows == RowKind::Auto { RowKind::Group } else { request.wanted.rows },
        ..request.wanted.clone()
    };
    let layout = Layout::new(&session.topology, &wanted, &ProbeSpec::chase(PageSize::Huge))?;
    let setup = setup(request, &session.topology, &layout);
    let limits = limits(request.mode);
    check(request, &setup)?;
    let curve_cells = curve_cells(&setup, &layout);
    let curve = session.spaced(&plan(&setup, curve_cells.clone(), limits, session.seed), work(&setup), "threads")?;
    let mut visited = curve_cells;
    let kernel_cells = kernel_cells(&setup, &curve);
    let outcome = match kernel_cells.is_empty() {
        true => curve,
        false => {
            let plan = plan(&setup, kernel_cells.clone(), limits, session.seed.wrapping_add(1));
            curve.followed_by(session.spaced(&plan, work(&setup), "kernels")?)
        }
    };
    visited.extend(kernel_cells);
    let (outcome, stood_out) = settle(&session, &setup, &layout, limits, outcome)?;
    session.document(
        Instruments {
            bandwidth: Some(BandwidthRun {
                layout: &layout,
                outcome: &outcome,
                visited,
                setup: &setup,
                peak: request.peak.clone().or_else(|| peak_of(&session)),
                stood_out,
            }),
            ..Instruments::default()
        },
        nearfar_infer::THRESHOLD,
        session.provenance(&outcome, options(request, &setup)),
    )
}

/// Cells that stand out are measured again by fresh processes; what both heard counts.
fn settle(
    session: &Session,
    setup: &BandwidthSetup,
    layout: &Layout,
    limits: PlanLimits,
    outcome: Outcome,
) -> anyhow::Result<(Outcome, Vec<StoodOut>)> {
    let wild = wild_cells(setup, layout, &session.topology, &outcome);
    if wild.is_empty() {
        return Ok((outcome, Vec::new()));
    }
    let cells = wild.iter().map(|(place, _)| *place).collect();
    let second = session.spaced(
        &plan(setup, cells, limits, session.seed.wrapping_add(2)),
        work(setup),
        "cells that stand out",
    )?;
    let stood_out = again(wild, &second);
    Ok((outcome.followed_by(second), stood_out))
}

/// What cannot be had is refused before anything is touched.
fn check(request: &BandwidthRequest, setup: &BandwidthSetup) -> Result<(), WrongUsage> {
    let most = setup.rows.iter().map(Vec::len).max().unwrap_or(0);
    if let Some(threads) = request.threads.filter(|threads| *threads > most) {
        let cpus = if most == 1 { "1 CPU".to_owned() } else { format!("{most} CPUs") };
        return Err(WrongUsage(format!("--threads {threads}: the largest group of these CPUs has {cpus}")));
    }
    let cells = || (0..setup.rows.len()).flat_map(|row| (0..setup.columns.len()).map(move |column| (row, column)));
    let rooms: Vec<Result<(), String>> =
        cells().map(|(row, column)| setup.room(row, column).map_err(|refused| refused.to_string())).collect();
    match (request.footprint, rooms.into_iter().reduce(Result::or)) {
        (Some(size), Some(Err(why))) => Err(WrongUsage(format!("--size {size}: {why}"))),
        _ => Ok(()),
    }
}

/// What the DIMMs of a node could deliver, where SMBIOS tells all of it. A guest's table is of its host's making.
fn peak_of(session: &Session) -> Option<Peak> {
    if session.environment.hypervisor.is_some() {
        return None;
    }
    let channels = session.witnesses.firmware.smbios.as_ref()?.found.decoded()?.channels()?;
    Peak::of_each(channels, &session.topology)
}

fn setup(request: &BandwidthRequest, topology: &Topology, layout: &Layout) -> BandwidthSetup {
    let rows: Vec<Vec<CpuId>> = layout.rows.iter().map(|row| in_order(topology, row)).collect();
    let most = rows.iter().map(Vec::len).max().unwrap_or(0);
    let threads: Vec<usize> = request.threads.map_or_else(|| thread_steps(most), |threads| vec![threads]);
    let mut kernels = vec![Kernel::Read];
    kernels.extend(request.kernels.iter().filter(|kernel| **kernel != Kernel::Read));
    let treatments =
        kernels.iter().flat_map(|&kernel| threads.iter().map(move |&threads| Treatment { kernel, threads }));
    BandwidthSetup {
        treatments: treatments.collect(),
        rows,
        columns: layout.columns.iter().map(MemoryJob::of).collect(),
        isa: request.isa,
        footprint: request.footprint.unwrap_or_else(|| BandwidthRun::footprint(last_level(topology))),
        window: request.window,
        windows: request.windows.unwrap_or_else(|| windows_in_a_visit(request.window)),
    }
}

fn windows_in_a_visit(window: Duration) -> u32 {
    (VISIT.as_micros() / window.as_micros().max(1)).clamp(1, 40) as u32
}

/// A row's CPUs as threads are added: one of each core, then their siblings.
pub(super) fn in_order(topology: &Topology, row: &LayoutRow) -> Vec<CpuId> {
    let mut cpus: Vec<CpuId> = row.cpus.iter().collect();
    let place = |cpu: &CpuId| topology.smt_siblings(*cpu).iter().position(|sibling| sibling == *cpu).unwrap_or(0);
    cpus.sort_by_key(|cpu| (place(cpu), *cpu));
    cpus
}

/// The largest last-level cache.
pub(super) fn last_level(topology: &Topology) -> Option<Bytes> {
    topology.caches.iter().filter_map(|cache| cache.size).max()
}

/// Reading, by every number of threads that a row has.
fn curve_cells(setup: &BandwidthSetup, layout: &Layout) -> Vec<(usize, usize)> {
    let count = setup.treatments.len();
    let read = |row: usize| {
        let fits =
            move |treatment: &Treatment| treatment.kernel == Kernel::Read && treatment.threads <= setup.rows[row].len();
        setup.treatments.iter().enumerate().filter(move |(_, treatment)| fits(treatment)).map(|(index, _)| index)
    };
    layout.cells().into_iter().flat_map(|(row, column)| read(row).map(move |at| (row, column * count + at))).collect()
}

/// The other kernels, each with as many threads as reading takes.
fn kernel_cells(setup: &BandwidthSetup, curve: &Outcome) -> Vec<(usize, usize)> {
    let count = setup.treatments.len();
    let mut cells = Vec::new();
    for row in 0..setup.rows.len() {
        for column in 0..setup.columns.len() {
            let points = points(setup, curve, row, column);
            let Some(threads) = knee(&points) else { continue };
            let others = setup.treatments.iter().enumerate();
            let wanted =
                others.filter(|(_, treatment)| treatment.kernel != Kernel::Read && treatment.threads == threads);
            cells.extend(wanted.map(|(at, _)| (row, column * count + at)));
        }
    }
    cells
}

fn plan(setup: &BandwidthSetup, cells: Vec<(usize, usize)>, limits: PlanLimits, seed: u64) -> Plan {
    let columns = setup.columns.len() * setup.treatments.len();
    Plan { rows: setup.rows.len(), columns, cells, controls: vec![], limits, seed }
}

fn work(setup: &BandwidthSetup) -> Work {
    Work::Bandwidth(setup.clone())
}

/// A window takes twenty times as long as a page's sample, so there are fewer of them.
fn limits(mode: Mode) -> PlanLimits {
    let (standard_error, most_rounds, patience_s) = match mode {
        Mode::Quick => (0.01, 15, 60),
        Mode::Default => (0.005, 30, 300),
        Mode::Thorough => (0.0025, 90, 1800),
    };
    PlanLimits {
        first_rounds: 10,
        first_rounds_per_process: 2,
        step_rounds: 5,
        most_rounds,
        standard_error,
        deadline: Some(Duration::from_secs(patience_s)),
    }
}

fn options(request: &BandwidthRequest, setup: &BandwidthSetup) -> Options {
    Options {
        mode: request.mode,
        rows: request.rows_name.clone(),
        cpus: request.wanted.cpus.clone(),
        nodes: request.wanted.nodes.clone(),
        size_bytes: setup.footprint.0,
        accesses: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_windows_come_several_at_a_visit_and_long_ones_alone() {
        let windows = |ms| windows_in_a_visit(Duration::from_millis(ms));
        assert_eq!([1, 10, 15, 40, 300].map(windows), [40, 4, 2, 1, 1]);
    }
}
