//! Healthy fleets have outliers as rarely as docs/method/odds.md states.

use crate::fleet_grid::{CELLS, CLOCKS, FLEETS, GridFleet};

/// Fleets with any outlier, and with batches that are not there, of this many.
fn false_ones(fleet: &GridFleet, fleets: u64) -> [u64; 2] {
    let verdicts = || (0..fleets).map(|seed| fleet.verdict(seed));
    let wrong = verdicts().filter(|verdict| !verdict.outliers.is_empty()).count();
    let batches = fleet.batches.len() + 1;
    let stated =
        verdicts().filter(|it| it.batches.len() > 1 && it.batches.len() != batches).count();
    [wrong as u64, stated as u64]
}

/// 5 % and two standard errors.
fn most_of(fleets: u64) -> u64 {
    (0.05 * fleets as f64 + 2.0 * (0.05 * 0.95 * fleets as f64).sqrt()) as u64
}

#[test]
fn healthy_fleets_have_outliers_as_rarely_as_promised() {
    for (machines, batches, clocks, cells) in [
        (4, &[][..], 0.03, 0.01),
        (16, &[], 0.025, 0.02),
        (16, &[8], 0.0, 0.005),
        (16, &[4], 0.0, 0.015),
        (60, &[], 0.03, 0.02),
        (60, &[20, 20], 0.01, 0.01),
    ] {
        let fleet = GridFleet { machines, batches, clocks, cells };
        let [wrong, stated] = false_ones(&fleet, 200);
        assert!(wrong <= most_of(200), "{machines} {batches:?} {clocks} {cells}: {wrong}");
        assert!(stated <= 4, "{machines} {batches:?} {clocks} {cells}: {stated} stated");
    }
}

#[test]
#[ignore = "long: the whole grid, minutes"]
fn the_whole_grid_keeps_its_promise() {
    for (machines, batches) in FLEETS {
        let fleets = if machines > 100 { 100 } else { 1000 };
        for clocks in CLOCKS {
            for cells in CELLS {
                let fleet = GridFleet { machines, batches, clocks, cells };
                let [wrong, _] = false_ones(&fleet, fleets);
                // Of 330 points, some are beyond two standard errors by chance.
                let most = most_of(fleets) + fleets / 100;
                assert!(wrong <= most, "{machines} {batches:?} {clocks} {cells}: {wrong}");
            }
        }
    }
}
