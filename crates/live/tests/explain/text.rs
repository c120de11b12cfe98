//! Explanations written by hand, against golden text.

use nearfar_live::explain::text as explain;
use nearfar_live::explain::{
    AccessChange, AccessTime, Cure, CureKind, Direction, ExplainDocument, ExplainedProcess,
    MemoryTogether, Metric, MetricKind, NodeShare, Obstacle, ProcessVerdict, SCHEMA, SurveyUsed,
    TimeBounds, TrialDocument, TrialPlacement, TrialRecord, TrialVerdict, TrialledProcess,
};
use nearfar_live::{Interval, NodeBytes};
use nearfar_model::{Bytes, CpuSet, NodeId, NodeSet};
use nearfar_view::terminal::width;
use snapbox::{assert_data_eq, file};

fn interval(value: f64, low: f64, high: f64) -> Interval {
    Interval { value, ci95: [low, high] }
}

/// Threads on node 0: the best case with pages on one node, the worst with those on another.
fn bounds(least: (f64, u32), most: (f64, u32)) -> TimeBounds {
    let end = |(change, memory): (f64, u32)| AccessChange {
        change,
        cpus: NodeId(0),
        memory: NodeId(memory),
    };
    TimeBounds { least: end(least), most: end(most) }
}

fn misplaced() -> ExplainedProcess {
    let cpus = CpuSet::parse_list("28-55").unwrap();
    let both = NodeSet::from_iter([NodeId(0), NodeId(1)]);
    let cure = |kind, change| Cure { kind, change };
    let access = |ns, memory| Some(AccessTime { ns, cpus: NodeId(0), memory: NodeId(memory) });
    ExplainedProcess {
        pid: 4242,
        name: "postgres\u{1b}".to_owned(),
        memory_bytes: Bytes::gib(12),
        pages_by_node: vec![
            NodeShare { node: NodeId(0), share: 0.088 },
            NodeShare { node: NodeId(1), share: 0.912 },
        ],
        pages_located: 411,
        all_pages_located: false,
        threads: 3,
        threads_by_node: vec![NodeShare { node: NodeId(0), share: 1.0 }],
        remote_share: Some(interval(0.912, 0.88, 0.936)),
        fastest_access: access(78.6, 0),
        slowest_access: access(144.1, 1),
        remote_cost: Some(bounds((0.0, 0), (0.852, 1))),
        verdict: ProcessVerdict::DependsOnUse,
        cures: vec![
            cure(CureKind::MovePages { node: NodeId(0) }, Some(bounds((-0.46, 1), (0.0, 0)))),
            cure(CureKind::Interleave { nodes: both }, Some(bounds((-0.46, 1), (0.852, 0)))),
            cure(
                CureKind::MoveThreads { node: NodeId(1), cpus },
                Some(bounds((-0.462, 1), (0.852, 0))),
            ),
            cure(CureKind::Balancing, None),
        ],
        obstacles: vec![
            Obstacle::OtherUser,
            Obstacle::LockedMemory { bytes: Bytes::mib(64) },
            Obstacle::PinnedMemory { bytes: Bytes::mib(2) },
            Obstacle::Cpuset { allowed: NodeSet::from_id(NodeId(1)) },
            Obstacle::Policy {
                policy: "bind:1".to_owned(),
                nodes: NodeSet::from_id(NodeId(1)),
                wanted: NodeSet::from_id(NodeId(0)),
            },
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
        object: None,
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
        together: None,
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
    let plain = explain::text(&all).replace("\u{1b}[1m", "").replace("\u{1b}[0m", "");
    assert!(!plain.contains('\u{1b}'), "no control character comes through");
}

#[test]
fn every_verdict_has_its_sentence() {
    for (verdict, words) in [
        (ProcessVerdict::Misplaced, "whichever pages it uses"),
        (ProcessVerdict::DependsOnUse, "'nearfar explain 4242 --try' measures it"),
        (ProcessVerdict::NothingToGain, "Nothing is lost: no placement"),
        (ProcessVerdict::OneNode, "one node with memory"),
        (ProcessVerdict::Undetermined, "nearfar survey --thorough"),
        (ProcessVerdict::CostUnknown, "Run 'nearfar survey'"),
        (ProcessVerdict::NoPages, "no page is in memory"),
        (ProcessVerdict::NodesUnknown, "no thread's node is known"),
    ] {
        let cures = Vec::new();
        let process = ExplainedProcess { verdict, cures, ..misplaced() };
        let text = explain::text(&document(process)).replace("\n         ", " ");
        assert!(text.contains(words) && !text.contains("What may help"), "{text}");
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
fn several_processes_have_a_total_before_them() {
    let on = |node, bytes| NodeBytes { node: NodeId(node), bytes };
    let together = Some(MemoryTogether {
        bytes: Bytes::gib(14),
        by_node: vec![on(0, Bytes::gib(2)), on(1, Bytes::gib(12))],
        is_exact: false,
    });
    let processes = vec![misplaced(), misplaced()];
    let text = explain::text(&ExplainDocument { together, processes, ..document(misplaced()) });
    let first = "2 processes: at least 14 GiB, each page once: 2 GiB on node 0, 12 GiB on node 1\n";
    assert!(text.starts_with(first), "{text}");
    assert!(text.lines().nth(2).unwrap().starts_with("postgres"), "{text}");
}

#[test]
fn what_was_not_located_is_not_claimed() {
    let nothing = |all_pages_located| {
        let verdict = ProcessVerdict::NothingToGain;
        let cures = Vec::new();
        let process = ExplainedProcess { verdict, cures, all_pages_located, ..misplaced() };
        explain::text(&document(process)).replace("\n         ", " ")
    };
    assert!(nothing(false).contains("of the 411 pages that were located."), "{}", nothing(false));
    assert!(nothing(true).contains("by 2 %, whichever pages it uses."), "{}", nothing(true));
}

#[test]
fn a_cure_that_is_faster_in_every_case_is_called_so() {
    let one = CureKind::MovePages { node: NodeId(0) };
    let change = Some(bounds((-0.462, 1), (-0.447, 1)));
    let process = ExplainedProcess { cures: vec![Cure { kind: one, change }], ..misplaced() };
    let text = explain::text(&document(process)).replace("\n     ", " ");
    let words =
        "An access takes 47 % less time to 44 % less. It is faster, whichever pages it uses.";
    assert!(text.contains(words), "{text}");
}

/// Without the codes of bold lines.
fn plain(text: &str) -> String {
    text.replace("\u{1b}[1m", "").replace("\u{1b}[0m", "")
}

#[test]
fn lines_fit_narrow_terminals() {
    let all =
        ExplainDocument { trial: Some(trial(0.41, TrialVerdict::Pays)), ..document(misplaced()) };
    for columns in [40, 60, 80, 120] {
        let text = plain(&width::with(columns, || explain::text(&all)));
        let longest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(longest <= columns, "{columns}:\n{text}");
    }
}

#[test]
fn the_answer_stands_in_the_first_three_lines_and_last() {
    let few = |process: ExplainedProcess| ExplainedProcess { obstacles: Vec::new(), ..process };
    let mut group = document(few(misplaced()));
    group.processes.extend([few(misplaced()), few(misplaced())]);
    for document in [document(few(misplaced())), group] {
        let screen = width::with(80, || explain::screen(&document));
        let lines = screen.first.lines().count() + screen.last.lines().count() + 1;
        assert!(lines <= 24, "{lines} lines:\n{}", screen.first);
        let head: Vec<&str> = screen.first.lines().take(3).collect();
        assert!(head[1].contains("Something may be lost (an access takes up to 86 %"), "{head:?}");
        assert!(screen.last.contains("(process 4242): Something may be lost"), "{}", screen.last);
        assert!(screen.rest.contains("Memory   on node 0 (8.8 %)"), "{}", screen.rest);
    }
}
