//! The cells that the plans of bandwidth visit.

use nearfar_model::CellIndex;
use nearfar_probe::bandwidth::{BandwidthSetup, StreamTreatment};
use nearfar_probe::{Kernel, Layout, PlanOutcome};

use super::outliers::points;
use crate::knee;

/// Reading, with every number of threads of a row.
pub(super) fn curve_cells(setup: &BandwidthSetup, layout: &Layout) -> Vec<CellIndex> {
    cells(setup, layout, |treatment| treatment.kernel == Kernel::Read)
}

/// The selected treatments, in each cell of the layout whose row has enough CPUs.
pub(super) fn cells(
    setup: &BandwidthSetup,
    layout: &Layout,
    is_wanted: fn(&StreamTreatment) -> bool,
) -> Vec<CellIndex> {
    let row_treatments = |row: usize| {
        let fits = move |treatment: &StreamTreatment| {
            is_wanted(treatment) && treatment.threads <= setup.rows[row].len()
        };
        setup
            .treatments
            .iter()
            .enumerate()
            .filter(move |(_, treatment)| fits(treatment))
            .map(|(index, _)| index)
    };
    layout
        .places()
        .into_iter()
        .flat_map(|place| row_treatments(place.row).map(move |at| place.with_treatment(at)))
        .collect()
}

/// The other kernels, each with the number of threads that reading needs; with all where no read
/// was undisturbed.
pub(super) fn kernel_cells(
    setup: &BandwidthSetup,
    layout: &Layout,
    curve: &PlanOutcome,
) -> Vec<CellIndex> {
    let of_place = |place: CellIndex| {
        let most = setup.rows[place.row].len();
        let counts = setup.treatments.iter().map(|treatment| treatment.threads);
        let all = counts.filter(|threads| *threads <= most).max();
        let failed = curve.why_not(place).is_some();
        let threads = knee(&points(setup, curve, place)).or(all.filter(|_| !failed));
        let is_wanted =
            move |of: &StreamTreatment| of.kernel != Kernel::Read && Some(of.threads) == threads;
        let wanted =
            setup.treatments.iter().enumerate().filter(move |(_, treatment)| is_wanted(treatment));
        wanted.map(move |(at, _)| place.with_treatment(at))
    };
    layout.places().into_iter().flat_map(of_place).collect()
}

#[cfg(test)]
mod tests {
    use nearfar_model::CpuId;

    use super::*;
    use crate::measure::tests::{layout, setup};

    #[test]
    fn rows_with_too_few_threads_are_skipped() {
        let treatments = [Kernel::Read, Kernel::NtWrite]
            .map(|kernel| [1, 2].map(|threads| StreamTreatment { kernel, threads }));
        let mut setup = BandwidthSetup { treatments: treatments.concat(), ..setup() };
        setup.rows[2].push(CpuId(9));
        let (columns, all) = (setup.columns.len(), cells(&setup, &layout(), |_| true));
        let row_treatments =
            |row: usize| all.iter().filter(|place| place.row == row).copied().collect::<Vec<_>>();
        let by = |row: usize, treatments: &'static [usize]| {
            let of_column = move |column| {
                treatments.iter().map(move |&at| CellIndex::new(row, column).with_treatment(at))
            };
            (0..columns).flat_map(of_column).collect::<Vec<_>>()
        };
        assert_eq!(row_treatments(0), by(0, &[0, 2]));
        assert_eq!(row_treatments(2), by(2, &[0, 1, 2, 3]));
        let read: Vec<_> = all.into_iter().filter(|place| place.treatment < 2).collect();
        assert_eq!(curve_cells(&setup, &layout()), read);
    }
}
