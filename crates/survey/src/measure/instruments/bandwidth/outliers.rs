//! Outliers among the cells of bandwidth: they are measured again, in fresh processes, before they
//! are reported.

use nearfar_infer::outliers::{CellFigure, outliers};
use nearfar_machine::Topology;
use nearfar_model::{CellIndex, NodeId, Sample, Unit};
use nearfar_probe::bandwidth::BandwidthSetup;
use nearfar_probe::{Kernel, Layout, PlanOutcome};

use crate::{Outlier, knee};

/// Outliers with their places: of each kernel among the cells with the number of threads that
/// reading needs there, or among those with each requested number.
pub(super) fn outlier_cells(
    setup: &BandwidthSetup,
    layout: &Layout,
    topology: &Topology,
    outcome: &PlanOutcome,
    thread_counts: &[usize],
) -> Vec<(CellIndex, Outlier)> {
    let mut kernels: Vec<Kernel> =
        setup.treatments.iter().map(|treatment| treatment.kernel).collect();
    kernels.dedup();
    let threads: Vec<Option<usize>> = if thread_counts.is_empty() {
        vec![None]
    } else {
        thread_counts.iter().copied().map(Some).collect()
    };
    let kernel_outliers = |(kernel, threads): (Kernel, Option<usize>)| {
        let columns = 0..setup.columns.len();
        let cells = (0..setup.rows.len())
            .flat_map(|row| columns.clone().map(move |column| CellIndex::new(row, column)));
        let places: Vec<CellIndex> = cells
            .filter_map(|place| {
                Some(place.with_treatment(treatment(setup, outcome, (kernel, threads), place)?))
            })
            .collect();
        let figure = |&place: &CellIndex| {
            let CellIndex { row, column, .. } = place;
            let path = path(topology, layout.rows[row].node, layout.columns[column].memory.node);
            Some(CellFigure { row, column, path, value: rate(&outcome.samples, place)? })
        };
        let figures: Vec<CellFigure> = places.iter().filter_map(figure).collect();
        let outliers = outliers(&figures).into_iter().filter_map(|outlier| {
            let place = *places
                .iter()
                .find(|place| (place.row, place.column) == (outlier.row, outlier.column))?;
            let outlier = Outlier {
                kernel: kernel.name().to_owned(),
                threads,
                row: layout.rows[outlier.row].label.clone(),
                column: layout.columns[outlier.column].label.clone(),
                first_bytes_per_s: rate(&outcome.samples, place)?,
                expected_bytes_per_s: outlier.expected,
                again_bytes_per_s: None,
            };
            Some((place, outlier))
        });
        outliers.collect::<Vec<_>>()
    };
    let matrices =
        kernels.iter().flat_map(|&kernel| threads.iter().map(move |&threads| (kernel, threads)));
    matrices.flat_map(kernel_outliers).collect()
}

/// The same outliers with the figures from fresh processes.
pub(super) fn remeasured(outliers: Vec<(CellIndex, Outlier)>, samples: &[Sample]) -> Vec<Outlier> {
    let remeasured =
        |(place, outlier)| Outlier { again_bytes_per_s: rate(samples, place), ..outlier };
    outliers.into_iter().map(remeasured).collect()
}

/// The treatment of a kernel with this number of threads, or with the number that reading needs
/// there.
fn treatment(
    setup: &BandwidthSetup,
    outcome: &PlanOutcome,
    (kernel, threads): (Kernel, Option<usize>),
    place: CellIndex,
) -> Option<usize> {
    let threads = threads.or_else(|| knee(&points(setup, outcome, place)))?;
    let wanted = |treatment: &nearfar_probe::bandwidth::StreamTreatment| {
        treatment.kernel == kernel && treatment.threads == threads
    };
    setup.treatments.iter().position(wanted)
}

/// Reading bandwidth by number of threads, from the samples' medians.
pub(super) fn points(
    setup: &BandwidthSetup,
    outcome: &PlanOutcome,
    place: CellIndex,
) -> Vec<(usize, f64)> {
    let read = setup
        .treatments
        .iter()
        .enumerate()
        .filter(|(_, treatment)| treatment.kernel == Kernel::Read);
    read.filter_map(|(at, treatment)| {
        Some((treatment.threads, rate(&outcome.samples, place.with_treatment(at))?))
    })
    .collect()
}

/// Bytes per second of the median sample.
fn rate(samples: &[Sample], place: CellIndex) -> Option<f64> {
    let here = samples.iter().filter(|sample| sample.place == place);
    let mut costs: Vec<f64> = here.map(|sample| sample.value).collect();
    costs.sort_by(f64::total_cmp);
    Some(Unit::BytesPerSecond.figure(*costs.get(costs.len() / 2)?))
}

/// The reported distance; if there is none, whether the node is remote.
fn path(topology: &Topology, from: Option<NodeId>, to: Option<NodeId>) -> u32 {
    let claimed = || topology.distances.as_ref()?.between(from?, to?);
    claimed().unwrap_or_else(|| u32::from(from != to))
}

#[cfg(test)]
mod tests {
    use nearfar_machine::Source;

    use super::*;
    use crate::measure::tests::{NODES, layout, setup};

    /// The local node at 20 GB/s, others at 10, times a factor.
    fn outcome(change: impl Fn(Kernel, usize, usize) -> f64) -> PlanOutcome {
        let setup = setup();
        let row_places = |row| {
            (0..NODES).flat_map(move |column| {
                (0..2).map(move |at| CellIndex::new(row, column).with_treatment(at))
            })
        };
        let samples = (0..NODES).flat_map(row_places).map(|place| {
            let CellIndex { row, column, treatment } = place;
            let rate = if row == column { 20e9 } else { 10e9 }
                * change(setup.treatments[treatment].kernel, row, column);
            Sample::new(0, 0, place, Unit::BytesPerSecond.value_ns(rate))
        });
        PlanOutcome { samples: samples.collect(), ..PlanOutcome::default() }
    }

    fn topology() -> Topology {
        Topology::read(&Source::from_files([("/sys/devices/system/cpu/online", "0-3")])).unwrap()
    }

    #[test]
    fn without_outliers_nothing_is_remeasured() {
        assert!(
            outlier_cells(&setup(), &layout(), &topology(), &outcome(|_, _, _| 1.0), &[])
                .is_empty()
        );
    }

    #[test]
    fn an_outlier_is_reported_with_both_measurements() {
        let slow = |kernel, row, column| {
            if (kernel, row, column) == (Kernel::NtWrite, 2, 1) { 0.4 } else { 1.0 }
        };
        let found = outlier_cells(&setup(), &layout(), &topology(), &outcome(slow), &[]);
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].0, found[0].1.threads),
            (CellIndex::new(2, 1).with_treatment(1), None)
        );
        let with_one = outlier_cells(&setup(), &layout(), &topology(), &outcome(slow), &[1]);
        assert_eq!(
            with_one.iter().map(|(place, found)| (*place, found.threads)).collect::<Vec<_>>(),
            [(CellIndex::new(2, 1).with_treatment(1), Some(1))]
        );
        assert!(
            outlier_cells(&setup(), &layout(), &topology(), &outcome(slow), &[8]).is_empty(),
            "no cell has 8 threads"
        );
        let remeasured = remeasured(found, &outcome(|_, _, _| 1.0).samples).remove(0);
        assert_eq!(
            (remeasured.kernel.as_str(), remeasured.row.as_str(), remeasured.column.as_str()),
            ("nt-write", "group 2", "node 1")
        );
        let near = |figure: f64, wanted: f64| (figure / wanted - 1.0).abs() < 0.01;
        assert!(
            near(remeasured.first_bytes_per_s, 4e9)
                && near(remeasured.expected_bytes_per_s, 10e9)
                && near(remeasured.again_bytes_per_s.unwrap(), 10e9),
            "{remeasured:?}"
        );
    }
}
