//! Explanations written by hand, against golden text.

use nearfar_explain::{
    Cure, CureKind, Direction, ExplainDocument, ExplainedProcess, Metric, MetricKind, NodeShare,
    Obstacle, ProcessVerdict, SCHEMA, SurveyUsed, TrialDocument, TrialPlacement, TrialRecord,
    TrialVerdict, TrialledProcess,
};
use nearfar_live::Interval;
use nearfar_model::{Bytes, CpuSet, NodeId, NodeSet};
use nearfar_report::explain;
use nearfar_terminal::width;
use snapbox::{assert_data_eq, file};

fn interval(value: f64, low: f64, high: f64) -> Interval {
    Interval { value, ci95: [low, high] }
}

fn misplaced() -> ExplainedProcess {
    let cpus = CpuSet::parse_list("28-55").unwrap();
    let both = NodeSet::from_iter([NodeId(0), NodeId(1)]);
    let cure = |kind, saving| Cure { kind, saving };
    ExplainedProcess {
        pid: 4242,
        name: "postgres\u{1b}".to_owned(),
        memory_bytes: Bytes::gib(12),
        pages_by_node: vec![
            NodeShare { node: NodeId(0), share: 0.088 },
            NodeShare { node: NodeId(1), share: 0.912 },
        ],
        threads: 3,
        threads_by_node: vec![NodeShare { node: NodeId(0), share: 1.0 }],
        remote_share: Some(interval(0.912, 0.88, 0.936)),
        access_ns: Some(134.4),
        remote_cost: Some(interval(0.76, 0.72, 0.79)),
        verdict: ProcessVerdict::Misplaced,
        cures: vec![
            cure(CureKind::MovePages { node: NodeId(0) }, Some(interval(0.43, 0.41, 0.45))),
            cure(CureKind::MoveThreads { node: NodeId(1), cpus }, Some(interval(0.38, 0.36, 0.4))),
            cure(CureKind::Interleave { nodes: both }, Some(interval(0.02, -0.01, 0.03))),
            cure(CureKind::Balancing, None),
        ],
        obstacles: vec![
            Obstacle::OtherUser,
            Obstacle::LockedMemory { bytes: Bytes::mib(64) },
            Obstacle::PinnedMemory { bytes: Bytes::mib(2) },
            Obstacle::Cpuset { allowed: NodeSet::from_id(NodeId(1)) },
            Obstacle::NoRoom { node: NodeId(0), free: Bytes::gib(1), needed: Bytes::gib(11) },
            Obstacle::Balancing,
        ],
    }
}

fn trial(gain: f64, verdict: TrialVerdict) -> TrialDocument {
    let mut record = TrialRecord::default();
    for block in 0..4 {
        let figure = 800.0 + block as f64;
        record.add(block, TrialPlacement::AsItWas, Some(figure), false);
        record.add(block, TrialPlacement::Cured, Some(figure * (1.0 + gain)), block == 3);
    }
    TrialDocument {
        cure: CureKind::MovePages { node: NodeId(0) },
        metric: Metric {
            name: "cat /run/requests".to_owned(),
            kind: MetricKind::Command,
            direction: Direction::MoreIsBetter,
            is_counter: true,
        },
        period_s: 3.0,
        periods: record.periods,
        change: Some(interval(gain, gain - 0.01, gain + 0.01)),
        verdict,
        processes: vec![TrialledProcess {
            pid: 4242,
            moved_bytes: Bytes::gib(11),
            unmoved_bytes: Bytes::mib(2),
            restored_bytes: Bytes::gib(12),
            unrestored_bytes: Bytes(0),
            has_ended: false,
        }],
    }
}

fn document(process: ExplainedProcess) -> ExplainDocument {
    let survey = SurveyUsed {
        file: "db7-20261126.json".to_owned(),
        started: "2026-11-26T08:00:00Z".to_owned(),
    };
    ExplainDocument {
        schema: SCHEMA.to_owned(),
        survey: Some(survey),
        processes: vec![process],
        unreadable: vec!["process 7 (kworker) is a kernel thread".to_owned()],
        trial: None,
    }
}

#[test]
fn a_misplaced_program_with_all_obstacles_and_a_trial() {
    let all =
        ExplainDocument { trial: Some(trial(0.41, TrialVerdict::Pays)), ..document(misplaced()) };
    assert_data_eq!(explain::text(&all), file!["../golden/explain.txt"]);
    assert!(!explain::text(&all).contains('\u{1b}'), "no control character comes through");
}

#[test]
fn every_verdict_has_its_sentence() {
    for (verdict, words) in [
        (ProcessVerdict::NothingToGain, "Nothing to gain: no placement"),
        (ProcessVerdict::OneNode, "one node with memory"),
        (ProcessVerdict::Undetermined, "nearfar survey --thorough"),
        (ProcessVerdict::CostUnknown, "Run 'nearfar survey'"),
        (ProcessVerdict::NoPages, "no page is in memory"),
        (ProcessVerdict::NodesUnknown, "no thread's node is known"),
    ] {
        let cures = Vec::new();
        let process = ExplainedProcess { verdict, cures, ..misplaced() };
        let text = explain::text(&document(process)).replace("\n         ", " ");
        assert!(text.contains(words) && !text.contains("What helps"), "{text}");
    }
    for (verdict, words) in [
        (TrialVerdict::Costs, "It costs: "),
        (TrialVerdict::NoGain, "No gain beyond 2 %: "),
        (TrialVerdict::Undetermined, "Undetermined: "),
    ] {
        let trial = Some(trial(-0.01, verdict));
        let text = explain::text(&ExplainDocument { trial, ..document(misplaced()) });
        assert!(text.contains(words), "{text}");
    }
    let mut none = trial(0.0, TrialVerdict::TooFewBlocks);
    none.change = None;
    let text = explain::text(&ExplainDocument { trial: Some(none), ..document(misplaced()) });
    assert!(text.contains("No result: fewer than three blocks"), "{text}");
}

#[test]
fn lines_fit_narrow_terminals() {
    let all =
        ExplainDocument { trial: Some(trial(0.41, TrialVerdict::Pays)), ..document(misplaced()) };
    for columns in [60, 80, 100] {
        let text = width::with(columns, || explain::text(&all));
        let longest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(longest <= columns, "{columns}:\n{text}");
    }
}
