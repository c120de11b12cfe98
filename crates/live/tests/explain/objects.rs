//! Objects written by hand, and what is written of them.

use nearfar_infer::object_effects::{FarShares, ObjectEffect, ObjectVerdict};
use nearfar_infer::response::ResponseFigure;
use nearfar_live::explain::{
    Direction, DosedProcess, MeasuredObject, Metric, MetricKind, MovingCost, OBJECTS_SCHEMA,
    ObjectPeriod, ObjectsDocument, ObjectsPlan, ObjectsStage, TrialledProcess, text,
};
use nearfar_model::{Bytes, NodeId};
use nearfar_process::{MemoryObject, ObjectKind, ObjectPart, UnmovableObject, WhyUnmovable};
use nearfar_view::draw::Picture;

fn figure(value: f64) -> ResponseFigure {
    ResponseFigure { value, ci95: [value - 0.01, value + 0.01] }
}

fn measured(
    (name, kind): (&str, ObjectKind),
    value: f64,
    verdict: ObjectVerdict,
    remote_share: f64,
) -> MeasuredObject {
    let parts = vec![ObjectPart { pid: 4242, start: 0x7f00_0000, end: 0x8f00_0000 }];
    let (name, bytes) = (name.to_owned(), Bytes::mib(256));
    let is_named = matches!(verdict, ObjectVerdict::Costs | ObjectVerdict::FarIsFaster);
    MeasuredObject {
        object: MemoryObject { name, kind, bytes, parts },
        busy_cpus: None,
        used_share: Some(0.25),
        remote_share,
        far_shares: FarShares::WHOLE,
        effect: ObjectEffect {
            effect: Some(figure(value)),
            at_most: Some(value.abs() + 0.008),
            is_named,
            verdict,
        },
    }
}

fn stage(cut: Option<&str>, objects: Vec<MeasuredObject>) -> ObjectsStage {
    ObjectsStage {
        cut: cut.map(str::to_owned),
        taking_part: 0.5,
        objects,
        blocks: 4,
        pairs: 32,
        sum: Some(figure(0.26)),
        all_far: Some(figure(0.25)),
        adds_up: Some(true),
        blocks_wanted: Some(20),
        periods: vec![ObjectPeriod {
            block: 0,
            row: 0,
            is_mirror: false,
            far: "++++".to_owned(),
            figure: Some(900.0),
            dropped: None,
            moved_bytes: Bytes::mib(1),
            moving_s: 0.01,
        }],
    }
}

fn document() -> ObjectsDocument {
    use ObjectVerdict::{Costs, DoesNotMatter, Undetermined};
    let objects = vec![
        measured(("/dev/shm/it's", ObjectKind::Shared), 0.21, Costs, 0.98),
        measured(("[heap]", ObjectKind::Heap), 0.04, Costs, 0.0),
        measured(("7f00-8f00", ObjectKind::Anonymous), 0.0, DoesNotMatter, 0.5),
        measured(("everything else", ObjectKind::Rest), 0.01, Undetermined, 0.5),
    ];
    let ranges = vec![
        measured(("7f000000-87000000", ObjectKind::Range), 0.2, Costs, 0.96),
        measured(("87000000-8f000000", ObjectKind::Range), 0.0, DoesNotMatter, 1.0),
    ];
    ObjectsDocument {
        schema: OBJECTS_SCHEMA.to_owned(),
        started: "2026-11-29T11:00:00Z".to_owned(),
        machine: Some("Xeon-8269CY-2P".to_owned()),
        target: "4242".to_owned(),
        survey: None,
        metric: Metric {
            name: "cat /run/requests".to_owned(),
            kind: MetricKind::Command,
            direction: Direction::MoreIsBetter,
            is_counter: true,
        },
        period_s: 3.0,
        seed: 1,
        nodes: vec![DosedProcess {
            pid: 4242,
            name: "postgres\u{1b}".to_owned(),
            near: NodeId(0),
            far: NodeId(1),
            weight: 1.0,
            obstacles: Vec::new(),
        }],
        moved_together: Bytes::mib(2),
        stages: vec![stage(None, objects), stage(Some("/dev/shm/it's"), ranges)],
        unmovable: vec![UnmovableObject {
            name: "/usr/lib/libc.so.6".to_owned(),
            bytes: Bytes::mib(2),
            why: WhyUnmovable::SharedOutside,
        }],
        moving: MovingCost {
            seconds: 0.4,
            share: 0.003,
            limit: 0.03,
            bytes: Bytes::mib(80),
            taking_part: 0.5,
            far_memory: Some(0.065),
        },
        balancing_was_off: true,
        started_meanwhile: 1,
        processes: vec![TrialledProcess {
            pid: 4242,
            moved_bytes: Bytes::gib(1),
            unmoved_bytes: Bytes(0),
            restored_bytes: Bytes::gib(1),
            unrestored_bytes: Bytes(0),
            has_ended: false,
        }],
    }
}

/// Text without line breaks.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

#[test]
fn what_costs_comes_first_with_its_remedy() {
    let document = document();
    let text = flat(&text::objects_text(&document));
    for part in [
        "postgres? (process 4242): which of its memory matters Verdict /dev/shm/it's",
        "far costs +21.0 % (95 % interval +20.0 % to +22.0 %). [heap]",
        "Of /dev/shm/it's: 7f000000-87000000",
        "One object does not matter: 0.8 % at most.",
        "One object is undetermined: 1.8 % at most. About 20 --blocks",
        "The sum of all costs is +26.0 %; with all far, +25.0 %",
        "Costs add up.",
        "96.0 % of 7f000000-87000000 is remote. Near memory would save up to",
        "--to 0 nearfar move 4242 --object '7f000000-87000000' --nodes 0",
        "Near already, keep it there: [heap].",
        "Ranges of /dev/shm/it's, with all else near",
        "50 % of its pages took part",
        "/usr/lib/libc.so.6 (2 MiB) does not move: other processes map it, too",
        "Pages are where they were: 1 GiB.",
    ] {
        let part = part.replace("postgres?", &text[..text.find(" (process").unwrap()]);
        assert!(text.contains(&flat(&part)), "{part}: {text}");
    }
    // Its ranges have the remedy.
    assert!(!text.contains("of /dev/shm/it's is remote"), "{text}");
    let mut whole = document.clone();
    whole.stages[1].objects.truncate(1);
    let text = flat(&text::objects_text(&whole));
    assert!(text.contains("98.0 % of /dev/shm/it's is remote. Near"), "{text}");
    assert!(!text.contains("96.0 % of 7f000000"), "{text}");
    whole.stages.truncate(1);
    let text = flat(&text::objects_text(&whole));
    let remedy = "nearfar move 4242 --object '/dev/shm/it'\\''s' --nodes 0";
    assert!(text.contains(remedy), "{text}");
    // Far costs at most 22 %, so near saves at most 1 - 1 / 1.22.
    assert!(text.contains("would save up to 18 % of the program's time"), "{text}");
    assert!(text.contains("nearfar explain 4242 --try --object '/dev/shm/it'"), "{text}");
    assert!(!text.contains("time changes by"), "{text}");
}

#[test]
fn a_program_without_effects_has_one_sentence() {
    let mut document = document();
    document.stages.truncate(1);
    for one in &mut document.stages[0].objects {
        one.effect.verdict = ObjectVerdict::DoesNotMatter;
        one.effect.is_named = false;
    }
    let text = flat(&text::objects_text(&document));
    assert!(text.contains("Verdict No object's place matters."), "{text}");
    for one in &mut document.stages[0].objects {
        one.effect = ObjectEffect {
            effect: None,
            at_most: None,
            is_named: false,
            verdict: ObjectVerdict::Undetermined,
        };
    }
    (document.stages[0].sum, document.stages[0].all_far) = (None, None);
    let text = flat(&text::objects_text(&document));
    assert!(text.contains("Verdict No result: fewer than three blocks"), "{text}");
    assert!(text::objects_picture(&document).is_none());
}

#[test]
fn threads_have_their_own_words() {
    let mut document = document();
    document.stages.truncate(1);
    document.stages[0].objects.truncate(2);
    let names = ["io, thread 4243", "worker1, thread 4244"];
    for (one, name) in document.stages[0].objects.iter_mut().zip(names) {
        (one.object.name, one.object.kind) = (name.to_owned(), ObjectKind::Thread);
        (one.object.bytes, one.busy_cpus) = (Bytes(0), Some(0.98));
    }
    document.unmovable[0] = UnmovableObject {
        name: "idle, thread 4245".to_owned(),
        bytes: Bytes(0),
        why: WhyUnmovable::Confined,
    };
    let text = flat(&text::objects_text(&document));
    for part in [
        "which of its threads matters",
        "io, thread 4243 (98.0 % of a CPU): far costs +21.0 %",
        "io, thread 4243 ran on another node than 0, where the program is faster. Binding it \
         saves up to 18 %",
        "taskset -cp $(cat /sys/devices/system/node/node0/cpulist) 4243",
        "Near already, keep it there: worker1, thread 4244.",
        "Threads, by number",
        "Memory stayed where it was.",
        "idle, thread 4245 does not move: it may run on CPUs of one of both nodes only.",
        "Threads may run where they might before.",
    ] {
        assert!(text.contains(&flat(part)), "{part}: {text}");
    }
    // Its own memory is on the far node.
    let faster = &mut document.stages[0].objects[1];
    (faster.effect.verdict, faster.effect.effect) =
        (ObjectVerdict::FarIsFaster, Some(figure(-0.3)));
    let text = flat(&text::objects_text(&document));
    assert!(text.contains("saves up to 31 %") && text.contains("node1/cpulist) 4244"), "{text}");
    assert!(!text.contains("keep it there"), "{text}");
    let picture = text::objects_picture(&document).unwrap();
    assert!(picture.rows[0].name.contains("98.0 % of a CPU"), "{:?}", picture.rows[0]);
}

#[test]
fn tables_pictures_and_files_have_all_objects() {
    let document = document();
    let csv = text::objects_csv(&document);
    assert_eq!(csv.lines().count(), 7, "{csv}");
    let head =
        "range_of,object,bytes,remote_share,effect,low,high,at_most,verdict,busy_cpus,used_share\n";
    assert!(csv.starts_with(head) && csv.contains(",does-not-matter"), "{csv}");
    let picture = text::objects_picture(&document).unwrap();
    assert_eq!(picture.rows.len(), 6);
    assert!(picture.heading().description().contains("far costs"));
    let json = serde_json::to_string(&document).unwrap();
    assert_eq!(serde_json::from_str::<ObjectsDocument>(&json).unwrap(), document);
    let plan = ObjectsPlan {
        cut: None,
        objects: 24,
        runs: 48,
        blocks: 4,
        time: std::time::Duration::from_secs(600),
        bytes: Bytes::gib(18),
        moving_s: 17.5,
        taking_part: 0.25,
    };
    assert_eq!(
        text::objects_plan(&plan),
        "24 objects: 4 blocks of 48 runs, about 10 min; about 18 GiB move, which takes 17.5 s (25 \
         % of its pages take part)"
    );
}
