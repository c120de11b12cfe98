//! Cells of bandwidth that stand out are measured again, in fresh processes, before they are believed.

use nearfar_infer::standing_out::{Figure, standing_out};
use nearfar_machine::Topology;
use nearfar_model::NodeId;
use nearfar_probe::bandwidth::{BandwidthSetup, UNIT_BYTES};
use nearfar_probe::{Kernel, Layout, Outcome, Visit};
use nearfar_survey::{StoodOut, knee};

/// The cells that stand out, with their places as plans count them: of each kernel among those with as many threads as reading takes there, or,
/// where numbers of threads are told, among those with each.
pub(super) fn wild_cells(
    setup: &BandwidthSetup,
    layout: &Layout,
    topology: &Topology,
    outcome: &Outcome,
    told: &[usize],
) -> Vec<((usize, usize), StoodOut)> {
    let mut kernels: Vec<Kernel> = setup.treatments.iter().map(|treatment| treatment.kernel).collect();
    kernels.dedup();
    let threads: Vec<Option<usize>> =
        if told.is_empty() { vec![None] } else { told.iter().copied().map(Some).collect() };
    let of_kernel = |(kernel, threads): (Kernel, Option<usize>)| {
        let cells = (0..setup.rows.len()).flat_map(|row| (0..setup.columns.len()).map(move |column| (row, column)));
        let places: Vec<((usize, usize), usize)> = cells
            .filter_map(|(row, column)| Some(((row, column), place(setup, outcome, (kernel, threads), (row, column))?)))
            .collect();
        let figure = |&((row, column), place): &((usize, usize), usize)| {
            let path = path(topology, layout.rows[row].node, layout.columns[column].node);
            Some(Figure { row, column, path, value: rate(outcome, (row, place))? })
        };
        let figures: Vec<Figure> = places.iter().filter_map(figure).collect();
        let told = standing_out(&figures).into_iter().filter_map(|wild| {
            let cell = (wild.row, wild.column);
            let place = (wild.row, places.iter().find(|(known, _)| *known == cell)?.1);
            let stood_out = StoodOut {
                kernel: kernel.name().to_owned(),
                threads,
                row: layout.rows[wild.row].label.clone(),
                column: layout.columns[wild.column].label.clone(),
                first: rate(outcome, place)?,
                expected: wild.expected,
                again: None,
            };
            Some((place, stood_out))
        });
        told.collect::<Vec<_>>()
    };
    let matrices = kernels.iter().flat_map(|&kernel| threads.iter().map(move |&threads| (kernel, threads)));
    matrices.flat_map(of_kernel).collect()
}

/// The same with what fresh processes measured.
pub(super) fn again(wild: Vec<((usize, usize), StoodOut)>, outcome: &Outcome) -> Vec<StoodOut> {
    wild.into_iter().map(|(place, stood_out)| StoodOut { again: rate(outcome, place), ..stood_out }).collect()
}

/// Where a kernel's samples stand with so many threads, or with as many as reading takes.
fn place(
    setup: &BandwidthSetup,
    outcome: &Outcome,
    (kernel, threads): (Kernel, Option<usize>),
    (row, column): (usize, usize),
) -> Option<usize> {
    let threads = threads.or_else(|| knee(&points(setup, outcome, row, column)))?;
    let wanted =
        |treatment: &nearfar_probe::bandwidth::Treatment| treatment.kernel == kernel && treatment.threads == threads;
    Some(column * setup.treatments.len() + setup.treatments.iter().position(wanted)?)
}

/// Reading bandwidth by number of threads, from the samples' medians.
pub(super) fn points(setup: &BandwidthSetup, outcome: &Outcome, row: usize, column: usize) -> Vec<(usize, f64)> {
    let count = setup.treatments.len();
    let read = setup.treatments.iter().enumerate().filter(|(_, treatment)| treatment.kernel == Kernel::Read);
    read.filter_map(|(at, treatment)| Some((treatment.threads, rate(outcome, (row, column * count + at))?))).collect()
}

/// Bytes a second of the median sample.
fn rate(outcome: &Outcome, place: (usize, usize)) -> Option<f64> {
    let here = |visit: &Visit| (visit.row, visit.column) == place;
    let readings = outcome.readings.iter().map(|taken| taken.reading);
    let mut costs: Vec<f64> = readings.filter(|reading| here(&reading.visit)).map(|reading| reading.ns.0).collect();
    costs.sort_by(f64::total_cmp);
    Some(UNIT_BYTES * 1e9 / costs.get(costs.len() / 2)?)
}

/// The claimed distance; where there is none, whether it is the own node.
fn path(topology: &Topology, from: Option<NodeId>, to: Option<NodeId>) -> u32 {
    let claimed = || topology.distances.as_ref()?.between(from?, to?);
    claimed().unwrap_or_else(|| u32::from(from != to))
}

#[cfg(test)]
mod tests {
    use nearfar_machine::Source;
    use nearfar_model::{CpuId, Nanoseconds};
    use nearfar_probe::{Reading, Taken};

    use super::super::sketch::{NODES, layout, setup};
    use super::*;

    /// The own node at 20 GB/s, others at 10, and what the function makes of it.
    fn heard(change: impl Fn(Kernel, usize, usize) -> f64) -> Outcome {
        let setup = setup();
        let places = (0..NODES).flat_map(|row| (0..2 * NODES).map(move |place| (row, place)));
        let readings = places.map(|(row, place)| {
            let (column, kernel) = (place / 2, setup.treatments[place % 2].kernel);
            let rate = if row == column { 20e9 } else { 10e9 } * change(kernel, row, column);
            let visit = Visit { round: 0, row, column: place, draw: 0 };
            let ns = Nanoseconds(UNIT_BYTES * 1e9 / rate);
            Taken { process: 0, reading: Reading { visit, cpu: CpuId(0), page: 0, ns, traffic_bytes_per_s: None } }
        });
        Outcome { readings: readings.collect(), ..Outcome::default() }
    }

    fn topology() -> Topology {
        Topology::read(&Source::from_files([("/sys/devices/system/cpu/online", "0-3")])).unwrap()
    }

    #[test]
    fn nothing_is_measured_again_where_nothing_stands_out() {
        assert!(wild_cells(&setup(), &layout(), &topology(), &heard(|_, _, _| 1.0), &[]).is_empty());
    }

    #[test]
    fn a_kernels_wild_cell_is_found_at_its_place_and_told_with_what_came_again() {
        let slow = |kernel, row, column| {
            if (kernel, row, column) == (Kernel::NtWrite, 2, 1) { 0.4 } else { 1.0 }
        };
        let wild = wild_cells(&setup(), &layout(), &topology(), &heard(slow), &[]);
        assert_eq!(wild.len(), 1);
        assert_eq!((wild[0].0, wild[0].1.threads), ((2, 3), None));
        let with_one = wild_cells(&setup(), &layout(), &topology(), &heard(slow), &[1]);
        assert_eq!(
            with_one.iter().map(|(place, wild)| (*place, wild.threads)).collect::<Vec<_>>(),
            [((2, 3), Some(1))]
        );
        assert!(
            wild_cells(&setup(), &layout(), &topology(), &heard(slow), &[8]).is_empty(),
            "nothing was measured with 8"
        );
        let told = again(wild, &heard(|_, _, _| 1.0)).remove(0);
        assert_eq!((told.kernel.as_str(), told.row.as_str(), told.column.as_str()), ("nt-write", "group 2", "node 1"));
        let near = |figure: f64, wanted: f64| (figure / wanted - 1.0).abs() < 0.01;
        assert!(near(told.first, 4e9) && near(told.expected, 10e9) && near(told.again.unwrap(), 10e9), "{told:?}");
    }
}
