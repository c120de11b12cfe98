//! Matrices as programs printed them and people pasted them.

use nearfar_infer::core_to_core::{CpuGroup, WhoShares, who_shares};
use nearfar_survey::PairMatrix;

use crate::corpus_folder::corpus;

fn found(file: &str) -> Option<(PairMatrix, WhoShares)> {
    let matrix = PairMatrix::read(&corpus()?.join("cases").join(file)).unwrap();
    let found = who_shares(&matrix.costs, matrix.cpus.len(), None);
    Some((matrix, found))
}

fn cpus(groups: &[CpuGroup]) -> Vec<Vec<usize>> {
    groups.iter().map(|group| group.cpus.clone()).collect()
}

fn costs(matrix: &PairMatrix) -> Vec<((usize, usize), i64)> {
    let rounded = |ns: f64| ns.floor() as i64;
    matrix.costs.iter().map(|pair| (pair.cpus, rounded(pair.cost.median_ns))).collect()
}

#[test]
fn a_labelled_triangle_has_the_costs_of_its_csv() {
    let Some((matrix, found)) = found("17-labelled-triangle/matrix.txt") else { return };
    let pairs: Vec<Vec<usize>> = (0..6).map(|core| vec![2 * core, 2 * core + 1]).collect();
    assert_eq!(cpus(&found.smt_pairs), pairs);
    assert_eq!(cpus(&found.packages), [(0..12).collect::<Vec<_>>()]);
    assert_eq!(cpus(&found.cache_groups), [(0..12).collect::<Vec<_>>()]);
    let control = self::found("17-labelled-triangle/control.csv").unwrap().0;
    assert_eq!(costs(&matrix), costs(&control));
}

#[test]
fn the_smallest_triangle_has_no_cost_of_a_label() {
    let Some((matrix, _)) = found("17-labelled-triangle/smallest.txt") else { return };
    let wanted = [((1, 0), 8), ((2, 0), 20), ((2, 1), 20), ((3, 0), 20), ((3, 1), 20), ((3, 2), 8)];
    assert_eq!((matrix.cpus.len(), costs(&matrix)), (4, wanted.to_vec()));
}

#[test]
fn the_whole_output_of_a_program_is_read() {
    let Some((matrix, found)) = found("19-whole-output/output.txt") else { return };
    assert_eq!((matrix.cpus.len(), matrix.costs.len(), matrix.skipped_lines), (8, 28, 8));
    let pairs: Vec<Vec<usize>> = (0..4).map(|core| vec![core, core + 4]).collect();
    assert_eq!(cpus(&found.smt_pairs), pairs);
    assert_eq!(found.packages.len(), 1);
}

#[test]
fn folded_rows_are_joined() {
    let Some((matrix, found)) = found("20-wrapped-rows/matrix.txt") else { return };
    assert_eq!((matrix.cpus.len(), matrix.costs.len()), (24, 276));
    let groups: Vec<Vec<usize>> =
        (0..4).map(|group| (6 * group..6 * group + 6).collect()).collect();
    assert_eq!(cpus(&found.cache_groups), groups);
    assert_eq!(found.packages.len(), 1);
}
