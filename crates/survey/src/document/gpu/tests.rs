//! GPUs with known places.

use nearfar_infer::NearestVerdict;
use nearfar_model::{CpuSet, NodeId, Sample, Unit};

use super::*;
use crate::{Matrix, MatrixCell, MatrixColumn, MatrixRow, Samples, Treatment, TreatmentMatrix};

fn copy(direction: &str, memory: &str) -> GpuCopy {
    GpuCopy {
        gpus: vec!["GPU0".to_owned()],
        direction: direction.to_owned(),
        memory: Some(memory.to_owned()),
        peer: None,
        size_bytes: 1 << 28,
        control: None,
    }
}

/// Two nodes; copies of these kinds cost this much more (in per cent) with memory of node 0 and of
/// node 1.
fn table<T: CopyTreatment + Treatment>(kinds: &[(GpuCopy, [f64; 2])]) -> GpuTable<T> {
    let first = &kinds[0];
    let control = GpuCopy { control: Some("again".to_owned()), ..first.0.clone() };
    let all: Vec<(GpuCopy, [f64; 2])> = kinds.iter().cloned().chain([(control, first.1)]).collect();
    let treatments: Vec<T> = all.iter().map(|(copy, _)| T::new(copy.clone())).collect();
    let (mut lines, mut cells) = (Vec::new(), Vec::new());
    for row in 0..2 {
        for column in 0..2 {
            for (treatment, (_, percent)) in all.iter().enumerate() {
                let place = CellIndex::new(row, column).with_treatment(treatment);
                let ns = 40_000.0 * (1.0 + percent[column] / 100.0);
                for round in 0..30_u32 {
                    let scatter = 1.0 + f64::from((round * 7 + row as u32 * 3) % 5) / 2_000.0;
                    lines.push(Sample::new(round / 5, round, place, ns * scatter));
                }
                let treatment = treatments[treatment].clone();
                cells.push(MatrixCell { row, column, treatment, ..MatrixCell::default() });
            }
        }
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
        probe: "gpu".to_owned(),
        unit: T::UNIT,
        rows: [0, 1].map(row).to_vec(),
        columns: [0, 1].map(column).to_vec(),
        cells,
    };
    let samples = Some(Samples::from_lines(lines));
    let part = TreatmentMatrix { matrix, treatments, samples };
    GpuTable { part, factors: vec![], controls: vec![] }
}

fn judged(rates: &[(GpuCopy, [f64; 2])], latencies: &[(GpuCopy, [f64; 2])]) -> Gpu {
    let gpu = GpuFacts {
        label: "GPU0".to_owned(),
        kernel_node: Some(NodeId(1)),
        driver_node: Some(0),
        ..GpuFacts::default()
    };
    let mut gpu = Gpu {
        driver: GpuDriverFacts::default(),
        gpus: vec![gpu],
        window_ms: 20.0,
        bandwidth: Some(table(rates)),
        latency: Some(table(latencies)),
        peer_bandwidth: None,
        peer_latency: None,
        verdicts: vec![],
    };
    gpu.judge(4, 1).unwrap();
    gpu
}

#[test]
fn a_gpu_elsewhere_than_claimed_is_found() {
    let gpu = judged(
        &[(copy("to-device", "pinned"), [0.0, 25.0])],
        &[(copy("to-device", "pinned"), [0.0, 10.0])],
    );
    let [verdict] = &gpu.verdicts[..] else { panic!("{:?}", gpu.verdicts) };
    assert_eq!(verdict.nearest.verdict, NearestVerdict::Nearest);
    assert_eq!(verdict.nearest.nodes, [0]);
    assert_eq!((verdict.kernel_is_right, verdict.driver_is_right), (Some(false), Some(true)));
    // The kind that shows it best: 25 %.
    assert!((verdict.nearest.ratio.unwrap() - 1.25).abs() < 0.01, "{verdict:?}");
    let table = gpu.bandwidth.unwrap();
    assert_eq!(table.part.matrix.unit, Unit::BytesPerSecond);
    // Effects are compared with the kernel's node.
    assert!(table.factors.iter().all(|effect| effect.reference == "1"), "{:?}", table.factors);
    assert!(!table.controls.is_empty() && !table.controls.iter().any(|control| control.differs));
}

/// Pageable memory passes through the driver's: its cost shows no place.
#[test]
fn pageable_memory_shows_no_place() {
    let gpu = judged(
        &[(copy("to-device", "pinned"), [0.0, 0.0]), (copy("to-device", "pageable"), [0.0, 30.0])],
        &[(copy("to-device", "pinned"), [0.0, 0.0])],
    );
    assert_eq!(gpu.verdicts[0].nearest.verdict, NearestVerdict::Same);
    assert_eq!(gpu.verdicts[0].kernel_is_right, None);
    let factors = gpu.bandwidth.unwrap().factors;
    assert!(factors.iter().any(|effect| effect.ratio < 0.8), "the effect is reported: {factors:?}");
}

#[test]
fn documents_are_read_as_written_and_keep_verdicts_without_samples() {
    let mut gpu = judged(
        &[(copy("from-device", "pinned"), [20.0, 0.0])],
        &[(copy("to-device", "pinned"), [0.0, 0.0])],
    );
    let text = serde_json::to_string(&gpu).unwrap();
    assert_eq!(serde_json::from_str::<Gpu>(&text).unwrap(), gpu);
    let before = gpu.verdicts.clone();
    assert_eq!(before[0].nearest.nodes, [1]);
    gpu.strip_samples();
    gpu.judge(4, 1).unwrap();
    assert_eq!(gpu.verdicts, before);
}
