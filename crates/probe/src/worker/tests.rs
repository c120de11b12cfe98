//! Workers in this process.

use std::collections::BTreeSet;

use nearfar_model::{Bytes, CellIndex, CpuId, CpuSet, Sample};
use nearfar_place::affinity;

use super::*;
use crate::Work;
use crate::latency::LatencySetup;
use crate::layout_column::{LayoutColumn, MemoryJob};
use crate::spec::{PageSize, ProbeSpec};
use crate::tests::{assert_answered, visit};
use crate::worker_message::{Batch, PlanScope, Visit, WorkerMessage};

fn column(probe: ProbeSpec) -> LayoutColumn {
    column_of(probe, None)
}

/// A column of memory with this much free.
fn column_of(probe: ProbeSpec, free: Option<Bytes>) -> LayoutColumn {
    LayoutColumn {
        label: "memory".to_owned(),
        probe,
        pages: 2,
        memory: MemoryJob { free, ..MemoryJob::default() },
    }
}

/// One row of all CPUs, with `visits` visits to each column.
fn job(columns: Vec<LayoutColumn>, visits: u32) -> WorkerJob {
    let each = |round| {
        (0..columns.len()).map(move |column| Visit { round, draw: round, ..visit(0, column, 0) })
    };
    let visits = (0..visits).flat_map(each).collect();
    let setup = LatencySetup {
        rows: vec![affinity().unwrap()],
        columns,
        spinners: CpuSet::new(),
        fills: None,
    };
    WorkerJob { work: Work::Latency(setup), batch: Batch { process: 0, seed: 42, visits } }
}

fn answers(job: &WorkerJob) -> Vec<WorkerMessage> {
    let line = serde_json::to_string(job).unwrap() + "\n";
    let mut output = Vec::new();
    serve(line.as_bytes(), &mut output).unwrap();
    String::from_utf8(output)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The messages of as many such jobs as needed: on a busy machine every sample of one may be
/// disturbed.
fn answers_until(job: &WorkerJob, enough: impl Fn(&[WorkerMessage]) -> bool) -> Vec<WorkerMessage> {
    const MOST: usize = 50;
    let mut messages = Vec::new();
    for _ in 0..MOST {
        messages.extend(answers(job));
        if enough(&messages) {
            return messages;
        }
    }
    panic!("not in {MOST} processes: {messages:?}");
}

fn samples(answers: &[WorkerMessage]) -> Vec<Sample> {
    let sample = |answer: &WorkerMessage| {
        if let WorkerMessage::Sample(sample) = answer { Some(*sample) } else { None }
    };
    answers.iter().filter_map(sample).collect()
}

/// Every probe, with small sizes.
fn every_probe() -> [ProbeSpec; 6] {
    let small = |spec: ProbeSpec| ProbeSpec { size: Bytes::mib(4), accesses: 1 << 16, ..spec };
    [
        ProbeSpec::page(),
        small(ProbeSpec::chase(PageSize::Huge)),
        small(ProbeSpec::chase(PageSize::Base)),
        small(ProbeSpec::store_sweep()),
        small(ProbeSpec::core_walk()),
        small(ProbeSpec::rmw()),
    ]
}

#[test]
fn every_probe_is_placed_and_answered() {
    let job = job(every_probe().map(column).to_vec(), 2);
    let messages = answers(&job);
    assert_answered(&job.batch.visits, &messages);
    for column in 0..6 {
        let is_placed = |answer: &WorkerMessage| match answer {
            WorkerMessage::Placed { column: at, .. } => *at == column,
            _ => false,
        };
        assert!(messages.iter().any(is_placed), "{messages:?}");
    }
}

#[test]
#[ignore = "long: needs undisturbed samples, and asserts costs"]
fn every_probe_gives_plausible_samples() {
    let specs = every_probe();
    let job = job(specs.map(column).to_vec(), 2);
    let costs = |messages: &[WorkerMessage], column| -> Vec<f64> {
        let of_column =
            samples(messages).into_iter().filter(|sample| sample.place.column == column);
        of_column.map(|sample| sample.value).collect()
    };
    let settled =
        |answer: &WorkerMessage| matches!(answer, WorkerMessage::Frequency { row: 0, .. });
    let messages = answers_until(&job, |messages| {
        (0..specs.len()).all(|column| !costs(messages, column).is_empty())
            && messages.iter().any(settled)
    });
    for column in 0..specs.len() {
        let costs = costs(&messages, column);
        assert!(costs.iter().all(|ns| (0.01..5000.0).contains(ns)), "column {column}: {costs:?}");
    }
}

#[test]
fn samples_carry_their_cpu_and_page() {
    let job = job(vec![column(ProbeSpec::page())], 6);
    let found = samples(&answers(&job));
    assert!(found.windows(2).all(|pair| pair[0].round < pair[1].round));
    for sample in found {
        let visit = job.batch.visits.iter().find(|visit| visit.round == sample.round).unwrap();
        assert_eq!(sample.page, visit.draw % 2);
        assert!(affinity().unwrap().contains(sample.cpu));
    }
}

#[test]
fn unavailable_rows_and_columns_report_a_reason() {
    let too_much = column_of(ProbeSpec::page(), Some(Bytes::mib(1)));
    let mut job = job(vec![column(ProbeSpec::page()), too_much], 3);
    let Work::Latency(setup) = &mut job.work else { panic!("{job:?}") };
    setup.rows.push(CpuSet::from_id(CpuId(60_000)));
    job.batch.visits.push(Visit { round: 9, ..visit(1, 0, 0) });
    let messages = answers(&job);
    assert!(
        messages.iter().any(|answer| matches!(
            answer,
            WorkerMessage::Unavailable { scope: PlanScope::Column(1), .. }
        )),
        "{messages:?}"
    );
    assert!(
        messages.iter().any(|answer| matches!(
            answer,
            WorkerMessage::Unavailable { scope: PlanScope::Row(1), .. }
        )),
        "{messages:?}"
    );
    let found = samples(&messages);
    assert!(found.iter().all(|sample| sample.place == CellIndex::new(0, 0)));
}

#[test]
fn the_seed_selects_the_placement_order() {
    let order = |seed| -> Vec<usize> {
        let mut job = job(vec![column(ProbeSpec::page()); 5], 1);
        job.batch.seed = seed;
        let placed = |answer| {
            if let WorkerMessage::Placed { column, .. } = answer { Some(column) } else { None }
        };
        answers(&job).into_iter().filter_map(placed).collect()
    };
    assert_eq!(order(3), order(3));
    let orders: BTreeSet<Vec<usize>> = (0..4).map(order).collect();
    assert!(orders.len() > 1, "{orders:?}");
}

#[test]
fn a_full_node_refuses_its_last_columns() {
    let each = column_of(ProbeSpec::page(), Some(Bytes::mib(42)));
    for seed in 0..4 {
        let mut job = job(vec![each.clone(); 4], 1);
        job.batch.seed = seed;
        let refused = |answer| match answer {
            WorkerMessage::Unavailable { scope: PlanScope::Column(column), .. } => Some(column),
            _ => None,
        };
        let refused: BTreeSet<usize> = answers(&job).into_iter().filter_map(refused).collect();
        assert_eq!(refused, BTreeSet::from([2, 3]), "seed {seed}");
    }
}

#[test]
fn serving_does_not_change_the_process() {
    let state = || {
        let mut signal: libc::c_int = 0;
        // SAFETY: the kernel writes one number.
        #[allow(unsafe_code)]
        unsafe {
            libc::prctl(libc::PR_GET_PDEATHSIG, &raw mut signal)
        };
        (signal, std::fs::read_to_string("/proc/self/oom_score_adj").unwrap())
    };
    let before = state();
    answers(&job(vec![column(ProbeSpec::page())], 1));
    assert_eq!(state(), before);
}

#[test]
fn the_affinity_is_restored() {
    let before = affinity().unwrap();
    answers(&job(vec![column(ProbeSpec::page())], 2));
    assert_eq!(affinity().unwrap(), before);
}

#[test]
fn only_a_closed_output_ends_quietly() {
    struct Broken(io::ErrorKind);
    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let line = serde_json::to_string(&job(vec![column(ProbeSpec::page())], 1)).unwrap();
    assert!(serve(line.as_bytes(), Broken(io::ErrorKind::BrokenPipe)).is_ok());
    let full = serve(line.as_bytes(), Broken(io::ErrorKind::StorageFull)).unwrap_err();
    assert!(matches!(full, ProbeError::Output(_)), "{full}");
}
