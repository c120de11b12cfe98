//! Tables with known effects.

use nearfar_infer::FactorVerdict;
use nearfar_model::{CpuSet, NodeId, Sample, Unit};

use super::*;
use crate::PlacementFactor;
use crate::{Matrix, MatrixCell, MatrixColumn, MatrixRow, Samples, Treatment, TreatmentMatrix};

/// Two nodes, interrupts near and far, and a control; the costs of a far program, a far buffer and
/// far interrupts, in per cent. The disk is on node 1.
fn table<T: AccessTreatment + Treatment>(percent: [f64; 3]) -> IoTable<T> {
    let access = |interrupts: &str| IoAccess {
        target: "/data/file".to_owned(),
        operation: "read".to_owned(),
        depth: 1,
        size_bytes: 4096,
        pattern: "random".to_owned(),
        interrupts: Some(interrupts.to_owned()),
        control: None,
    };
    let control = IoAccess { control: Some("again".to_owned()), ..access("near") };
    let treatments = [access("near"), access("far"), control].map(T::new).to_vec();
    let (mut lines, mut latencies, mut cells) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..2 {
        for column in 0..2 {
            for (treatment, far) in [false, true].into_iter().enumerate() {
                let place = CellIndex::new(row, column).with_treatment(treatment);
                let is_far = [row == 0, column == 0, far];
                let cost = is_far.iter().zip(percent).filter(|(far, _)| **far).map(|(_, add)| add);
                let ns = 80_000.0 * (1.0 + cost.sum::<f64>() / 100.0);
                for round in 0..30_u32 {
                    let scatter = 1.0 + f64::from((round * 7 + row as u32 * 3) % 5) / 1_000.0;
                    lines.push(Sample::new(round / 5, round, place, ns * scatter));
                }
                let counts = vec![[ns as u64, 2_000]];
                latencies.extend((0..6).map(|process| IoLatencies {
                    process,
                    row,
                    column,
                    treatment,
                    counts: counts.clone(),
                }));
                let treatment = treatments[treatment].clone();
                cells.push(MatrixCell { row, column, treatment, ..MatrixCell::default() });
            }
        }
    }
    for round in 0..30 {
        let place = CellIndex::new(0, 0).with_treatment(2);
        let ns = 80_000.0 * (1.0 + (percent[0] + percent[1]) / 100.0);
        lines.push(Sample::new(round / 5, round, place, ns * (1.0 + f64::from(round % 3) / 1e3)));
    }
    let row = |node| MatrixRow {
        label: format!("node {node}"),
        cpus: CpuSet::new(),
        node: Some(NodeId(node)),
        ghz: None,
        drift: None,
    };
    let column = |node| MatrixColumn {
        label: format!("node {node}"),
        node: Some(NodeId(node)),
        pages: 1,
        backing: None,
    };
    let matrix = Matrix {
        probe: "io".to_owned(),
        unit: T::UNIT,
        rows: [0, 1].map(row).to_vec(),
        columns: [0, 1].map(column).to_vec(),
        cells,
    };
    IoTable {
        part: TreatmentMatrix { matrix, treatments, samples: Some(Samples::from_lines(lines)) },
        latencies: Some(latencies),
        tails: vec![],
        served: vec![],
        factors: vec![],
        best: vec![],
        controls: vec![],
    }
}

fn judged<T: AccessTreatment>(percent: [f64; 3], node: Option<u32>) -> IoTable<T> {
    let target = IoTargetFacts {
        path: "/data/file".to_owned(),
        node: node.map(NodeId),
        ..IoTargetFacts::default()
    };
    let mut table = table::<T>(percent);
    table.judge(&[target], 1).unwrap();
    table
}

#[test]
fn factors_come_apart_and_give_a_placement() {
    let table = judged::<IoLatencyAccess>([20.0, 0.0, 10.0], Some(1));
    let found: Vec<_> = table
        .factors
        .iter()
        .map(|effect| (effect.factor, effect.level.as_str(), effect.verdict))
        .collect();
    assert_eq!(
        found,
        [
            (PlacementFactor::Program, "0", FactorVerdict::Slower),
            (PlacementFactor::Buffer, "0", FactorVerdict::Same),
            (PlacementFactor::Interrupts, "far", FactorVerdict::Slower),
        ]
    );
    let [best] = &table.best[..] else { panic!("{:?}", table.best) };
    assert_eq!(best.program_node.as_deref(), Some("1"));
    assert_eq!(
        (best.buffer_node.as_deref(), best.interrupt_place.as_deref()),
        (None, Some("near"))
    );
    assert_eq!(best.run_by.as_deref(), Some("nearfar run --cpunodebind 1 -- PROGRAM"));
    assert_eq!(table.tails.len(), 8);
    assert!(table.tails.iter().all(|tail| tail.accesses == 12_000 && tail.p999.is_some()));
    let [control] = &table.controls[..] else { panic!("{:?}", table.controls) };
    assert!(!control.differs && (control.ratio - 1.0).abs() < 0.01, "{control:?}");
}

#[test]
fn slow_rates_are_slower() {
    let table = judged::<IoRateAccess>([0.0, 15.0, 0.0], None);
    assert_eq!(table.part.matrix.unit, Unit::BytesPerSecond);
    let verdicts: Vec<_> = table
        .factors
        .iter()
        .map(|effect| (effect.factor, effect.reference.as_str(), effect.verdict))
        .collect();
    // Without a known node of the disk the first one is compared with.
    assert_eq!(
        verdicts,
        [
            (PlacementFactor::Program, "0", FactorVerdict::Same),
            (PlacementFactor::Buffer, "0", FactorVerdict::Faster),
            (PlacementFactor::Interrupts, "near", FactorVerdict::Same),
        ]
    );
    assert_eq!(table.best[0].run_by.as_deref(), Some("nearfar run --membind 1 -- PROGRAM"));
}

#[test]
fn without_differences_no_placement_is_named() {
    let table = judged::<IoLatencyAccess>([0.0; 3], Some(1));
    assert!(table.factors.iter().all(|effect| effect.verdict == FactorVerdict::Same));
    assert_eq!(table.best[0].run_by, None);
}

#[test]
fn documents_are_read_as_written() {
    let mut io = Io {
        targets: vec![IoTargetFacts::default()],
        engine: "io_uring".to_owned(),
        engine_why: None,
        window_ms: 50.0,
        latency: Some(judged([20.0, 5.0, 0.0], Some(1))),
        throughput: Some(judged([0.0, 15.0, 0.0], None)),
    };
    let text = serde_json::to_string(&io).unwrap();
    assert_eq!(serde_json::from_str::<Io>(&text).unwrap(), io);
    let before = io.clone();
    io.judge(4, 1).unwrap();
    let factors = |io: &Io| io.factors().cloned().collect::<Vec<_>>();
    assert_eq!(factors(&io).len(), factors(&before).len());
    io.strip_samples();
    let stripped = factors(&io);
    io.judge(4, 1).unwrap();
    assert_eq!(factors(&io), stripped, "without samples nothing changes");
}
