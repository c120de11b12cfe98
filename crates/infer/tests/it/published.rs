//! Results for published figures. Comments give sources; an error of half a percent is assumed
//! where none was published.

use nearfar_infer::claims::{ClaimFinding, DistanceClaim, check};
use nearfar_infer::classes::{LatencyClass, NoClasses, classes};
use nearfar_infer::links::{BandwidthCheck, compare_bandwidth, links};
use nearfar_infer::{NodeCosts, SampleMatrix, cpu_difference};
use nearfar_model::{CellIndex, MatrixShape, Sample};

const ERROR: f64 = 0.005;

fn matrix<const N: usize>(rows: &[[f64; N]]) -> NodeCosts {
    let names: Vec<u32> = (0..).take(N.max(rows.len())).collect();
    let rows: Vec<Vec<f64>> = rows.iter().map(|row| row.to_vec()).collect();
    NodeCosts::from_matrix(&names[..rows.len()], &names[..N], &rows, ERROR, 1)
}

fn sizes(costs: &NodeCosts) -> Vec<usize> {
    classes(costs).unwrap().iter().map(|class| class.cells.len()).collect()
}

#[test]
fn two_sockets_have_two_distances() {
    // plantegg's blog: Xeon 8163 with NUMA turned on (MLC), 8269CY, E5-2682 v4; EuroSys 2017:
    // E5-2680, in cycles.
    for rows in [
        [[81.6, 145.9], [144.9, 81.2]],
        [[78.6, 144.1], [144.7, 78.5]],
        [[85.0, 136.3], [137.2, 84.2]],
        [[259.0, 505.0], [505.0, 259.0]],
    ] {
        assert_eq!(sizes(&matrix(&rows)), [2, 2]);
        assert_eq!(
            links(&matrix(&rows)),
            Err(nearfar_infer::links::NoLinks::FewNodes { nodes: 2 })
        );
    }
}

/// Xeon 8163 with one node in the kernel (plantegg's blog): four CPUs, one buffer. The CPUs differ,
/// which proves nothing about memory. On a second buffer, in the other socket, the order is
/// reversed.
#[test]
fn a_second_buffer_explains_cpu_differences() {
    let (hidden, shown) = ([100.717, 68.484, 101.070, 68.483], [67.094, 100.237, 67.614, 101.096]);
    let interleaved = [85.657, 85.741, 85.977, 86.671];
    assert!(cpu_difference(&hidden, &interleaved, 1).unwrap().differs);
    let one_buffer = SampleMatrix::new(MatrixShape::new(4, 1), &samples(&[hidden])).unwrap();
    let verdict = nearfar_infer::verdict(&one_buffer, 0.05, 1);
    assert_eq!(verdict.numa, nearfar_infer::Numa::Undetermined);
    assert_eq!(verdict.would_settle, Some(nearfar_infer::Remedy::SecondMemory));
    let both = SampleMatrix::new(MatrixShape::new(4, 2), &samples(&[hidden, shown])).unwrap();
    assert_eq!(nearfar_infer::verdict(&both, 0.05, 1).numa, nearfar_infer::Numa::Yes);
}

/// Each buffer's costs by CPU, as 15 rounds of 5 processes with 0.1 % of noise.
fn samples(buffers: &[[f64; 4]]) -> Vec<Sample> {
    let mut samples = Vec::new();
    for round in 0..15u32 {
        for (column, costs) in buffers.iter().enumerate() {
            for (row, cost) in costs.iter().enumerate() {
                let stray = f64::from((round * 7 + row as u32 * 3 + column as u32) % 5) * 0.0005;
                samples.push(Sample::new(
                    round / 3,
                    round,
                    CellIndex::new(row, column),
                    cost * (1.0 + stray),
                ));
            }
        }
    }
    samples
}

#[test]
fn a_cxl_expander_is_a_class_of_its_own_from_each_package() {
    // Two EPYC 9224, NPS2 (published MLC run); Azure, ns.
    let epyc = matrix(&[
        [107.5, 117.1, 200.7, 200.7, 279.4],
        [115.8, 106.8, 199.9, 199.9, 278.8],
        [200.0, 200.1, 106.8, 115.8, 363.8],
        [199.0, 199.0, 115.6, 105.9, 363.5],
    ]);
    assert_eq!(sizes(&epyc), [4, 4, 8, 2, 2]);
    let mut found = links(&epyc).unwrap();
    let paths: Vec<(u32, u32)> = found.paths.iter().map(|path| (path.a, path.b)).collect();
    assert_eq!(paths, [(2, 4), (3, 4)]);
    assert_eq!((found.edges.len(), found.open.len()), (8, 0));
    // Its bandwidths, GB/s: they confirm the links within each package, and contradict no other.
    let widths = matrix(&[
        [99.833, 99.794, 76.592, 76.746, 17.594],
        [101.196, 101.291, 77.137, 77.067, 17.602],
        [76.935, 77.621, 101.120, 99.639, 17.587],
        [76.710, 77.357, 101.024, 100.869, 17.585],
    ]);
    compare_bandwidth(&mut found, &widths);
    let agreeing = found.edges.iter().filter(|edge| edge.bandwidth == Some(BandwidthCheck::Agrees));
    assert_eq!(agreeing.map(|edge| (edge.a, edge.b)).collect::<Vec<_>>(), [(0, 1), (2, 3)]);
    let of_edges = found.edges.iter().map(|edge| edge.bandwidth);
    let mut all = of_edges.chain(found.paths.iter().map(|path| path.bandwidth));
    assert!(all.all(|check| check != Some(BandwidthCheck::Contradicts)), "{found:?}");
    assert_eq!(sizes(&matrix(&[[130.2, 231.2, 265.7], [238.2, 130.1, 368.7]])), [2, 2, 1, 1]);
}

/// FT-2500 (plantegg's blog): from one core to nodes 0 1 2 3 7 10 11 15. One row has classes, and
/// no links.
#[test]
fn one_row_has_classes_and_no_links() {
    let row = matrix(&[[2.84, 3.16, 3.85, 3.69, 3.95, 8.80, 9.27, 8.73]]);
    let found = classes(&row).unwrap();
    let memories: Vec<Vec<u32>> =
        found.iter().map(|class| class.cells.iter().map(|cell| cell[1]).collect()).collect();
    assert_eq!(memories, [vec![0], vec![1], vec![3], vec![2, 4], vec![5, 7], vec![6]]);
    let none = links(&row);
    assert!(none.as_ref().is_ok_and(|links| links.paths.is_empty()), "{none:?}");
}

/// Xeon E5-2630 v4 whose firmware interleaves and reports two nodes (plantegg's blog).
#[test]
fn interleaved_memory_is_one_class_and_its_claim_is_false() {
    let costs = matrix(&[[106.9, 106.9], [107.2, 107.2]]);
    assert_eq!(sizes(&costs), [4]);
    let found = check(
        &DistanceClaim::slit(&[0, 1], &[vec![10, 21], vec![21, 10]]),
        &costs,
        &classes(&costs).unwrap(),
        1,
    );
    assert!(matches!(found.findings[..], [ClaimFinding::Uniform { .. }]));
}

/// A hypervisor that exchanges two nodes' memory half-way through: every cell has two values, and
/// there are no classes.
#[test]
fn swapped_nodes_are_not_classified() {
    let cost = |row: usize, column: usize, round: u32| {
        let apart = (row != column) ^ (round >= 8);
        (if apart { 145.0 } else { 81.0 }) * (1.0 + 0.001 * f64::from(round % 3))
    };
    let cells = [(0, 0), (0, 1), (1, 0), (1, 1)];
    let samples = (0..15u32).flat_map(|round| {
        cells.map(|(row, column)| {
            Sample::new(round / 3, round, CellIndex::new(row, column), cost(row, column, round))
        })
    });
    let matrix = SampleMatrix::new(MatrixShape::new(2, 2), &samples.collect::<Vec<_>>()).unwrap();
    let nodes = [Some(0), Some(1)];
    let costs = NodeCosts::from_samples(&matrix, &nodes, &nodes, 1);
    assert!(matches!(classes(&costs), Err(NoClasses::TooUncertain { .. })));
    assert_ne!(nearfar_infer::verdict(&matrix, 0.05, 1).numa, nearfar_infer::Numa::Yes);
}

#[test]
fn a_survey_without_samples_has_no_classes() {
    let matrix = SampleMatrix::new(MatrixShape::new(2, 2), &[]).unwrap();
    let costs = NodeCosts::from_samples(&matrix, &[Some(0), Some(1)], &[Some(0), Some(1)], 1);
    assert_eq!(
        classes(&costs).map(|found: Vec<LatencyClass>| found.len()),
        Err(NoClasses::Nothing)
    );
}
