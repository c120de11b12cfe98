//! Cells of bandwidth that stand out are measured again, in fresh processes, before they are believed.

use nearfar_infer::standing_out::{Figure, standing_out};
use nearfar_machine::Topology;
use nearfar_model::{NodeId, Place};
use nearfar_probe::bandwidth::{BandwidthSetup, UNIT_BYTES};
use nearfar_probe::{Kernel, Layout, Outcome};
use nearfar_survey::{StoodOut, knee};

/// The cells that stand out, with their places: of each kernel among those with as many threads as reading takes there, or,
/// where numbers of threads are told, among those with each.
pub(super) fn wild_cells(
    setup: &BandwidthSetup,
    layout: &Layout,
    topology: &Topology,
    outcome: &Outcome,
    told: &[usize],
) -> Vec<(Place, StoodOut)> {
    let mut kernels: Vec<Kernel> = setup.treatments.iter().map(|treatment| treatment.kernel).collect();
    kernels.dedup();
    let threads: Vec<Option<usize>> =
        if told.is_empty() { vec![None] } else { told.iter().copied().map(Some).collect() };
    let of_kernel = |(kernel, threads): (Kernel, Option<usize>)| {
        let columns = 0..setup.columns.len();
        let cells = (0..setup.rows.len()).flat_map(|row| columns.clone().map(move |column| Place::new(row, column)));
        let places: Vec<Place> = cells
            .filter_map(|place| Some(place.with_treatment(treatment(setup, outcome, (kernel, threads), place)?)))
            .collect();
        let figure = |&place: &Place| {
            let Place { row, column, .. } = place;
            let path = path(topology, layout.rows[row].node, layout.columns[column].node);
            Some(Figure { row, column, path, value: rate(outcome, place)? })
        };
        let figures: Vec<Figure> = places.iter().filter_map(figure).collect();
        let told = standing_out(&figures).into_iter().filter_map(|wild| {
            let place = *places.iter().find(|place| (place.row, place.column) == (wild.row, wild.column))?;
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
pub(super) fn again(wild: Vec<(Place, StoodOut)>, outcome: &Outcome) -> Vec<StoodOut> {
    wild.into_iter().map(|(place, stood_out)| StoodOut { again: rate(outcome, place), ..stood_out }).collect()
}

/// A kernel with so many threads, or with as many as reading takes there.
fn treatment(
    setup: &BandwidthSetup,
    outcome: &Outcome,
    (kernel, threads): (Kernel, Option<usize>),
    place: Place,
) -> Option<usize> {
    let threads = threads.or_else(|| knee(&points(setup, outcome, place)))?;
    let wanted =
        |treatment: &nearfar_probe::bandwidth::Treatment| treatment.kernel == kernel && treatment.threads == threads;
    setup.treatments.iter().position(wanted)
}

/// Reading bandwidth by number of threads, from the samples' medians.
pub(super) fn points(setup: &BandwidthSetup, outcome: &Outcome, place: Place) -> Vec<(usize, f64)> {
    let read = setup.treatments.iter().enumerate().filter(|(_, treatment)| treatment.kernel == Kernel::Read);
    read.filter_map(|(at, treatment)| Some((treatment.threads, rate(outcome, place.with_treatment(at))?))).collect()
}

/// Bytes a second of the median sample.
fn rate(outcome: &Outcome, place: Place) -> Option<f64> {
    let here = outcome.samples.iter().filter(|sample| sample.place == place);
    let mut costs: Vec<f64> = here.map(|sample| sample.value).collect();
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
    use nearfar_model::Sample;

    use super::super::sketch::{NODES, layout, setup};
    use super::*;

    /// The own node at 20 GB/s, others at 10, and what the function makes of it.
    fn heard(change: impl Fn(Kernel, usize, usize) -> f64) -> Outcome {
        let setup = setup();
        let of_row =
            |row| (0..NODES).flat_map(move |column| (0..2).map(move |at| Place::new(row, column).with_treatment(at)));
        let samples = (0..NODES).flat_map(of_row).map(|place| {
            let Place { row, column, treatment } = place;
            let rate =
                if row == column { 20e9 } else { 10e9 } * change(setup.treatments[treatment].kernel, row, column);
            Sample::new(0, 0, place, UNIT_BYTES * 1e9 / rate)
        });
        Outcome { samples: samples.collect(), ..Outcome::default() }
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
        assert_eq!((wild[0].0, wild[0].1.threads), (Place::new(2, 1).with_treatment(1), None));
        let with_one = wild_cells(&setup(), &layout(), &topology(), &heard(slow), &[1]);
        assert_eq!(
            with_one.iter().map(|(place, wild)| (*place, wild.threads)).collect::<Vec<_>>(),
            [(Place::new(2, 1).with_treatment(1), Some(1))]
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
