//! Several surveys of each machine: changes with their date.

use jiff::Timestamp;
use nearfar_survey::fleet::text::{FleetDetail, boards, courses, history};
use nearfar_survey::fleet::{DocumentFault, FleetHistory, FleetSettings, FleetSurveys};
use serde_json::json;

use crate::judged::surveys;
use crate::made_fleet::{MadeMachine, TWO_NODES, healthy, lines};

const FLOOR: f64 = 0.03;

fn time(day: &str) -> Timestamp {
    format!("{day}T00:00:00Z").parse().unwrap()
}

/// Ten machines, surveyed on the fifth of each month up to October; changed by month and machine.
fn year(change: impl Fn(usize, usize, MadeMachine) -> MadeMachine) -> FleetSurveys {
    let month = |month: usize| {
        let machines = healthy(TWO_NODES, 10, 50 + month as u64).into_iter().enumerate();
        let dated = machines.map(|(at, mut machine)| {
            machine.0["environment"]["platform"] = json!({ "bios_version": "2.4" });
            let started = json!(format!("2026-{month:02}-05T08:00:00Z"));
            change(month, at, machine.with("/provenance/started", started))
        });
        lines(&dated.collect::<Vec<_>>())
    };
    let all: String = (1..=10).map(month).collect();
    surveys(&[("fleet.jsonl", all)])
}

/// Memory of node 1 is slower on the seventh machine from July on, when its BIOS changed.
fn with_a_slow_memory() -> FleetSurveys {
    year(|month, at, machine| match (month, at) {
        (7.., 6) => machine
            .with_slow_memory(1, 1.09)
            .with("/environment/platform/bios_version", json!("2.5")),
        _ => machine,
    })
}

#[test]
fn a_change_has_its_date_and_what_else_changed() {
    let fleet = with_a_slow_memory();
    let found = fleet.history(time("2026-01-01"), FLOOR);
    let [change] = &found.changes[..] else { panic!("{:?}", found.changes) };
    assert_eq!(
        (change.machine.as_str(), change.since.as_str()),
        ("node07", "2026-07-05T08:00:00Z")
    );
    assert_eq!(change.between, ["2026-06-05T08:00:00Z", "2026-07-05T08:00:00Z"]);
    assert_eq!(change.settings.len(), 1, "{:?}", change.settings);
    assert_eq!((found.machines, found.surveys), (10, 100));
    let course = change.course.as_ref().unwrap();
    assert_eq!((course.points.len(), course.cell.to_string().as_str()), (10, "all CPUs to node 1"));
    let rise = course.points[6].figure / course.points[5].figure;
    assert!((1.06..1.12).contains(&rise), "{rise}");
    assert!(course.points.iter().all(|one| one.ci95[0] < one.figure && one.figure < one.ci95[1]));
    let [picture] = &courses(&found)[..] else { panic!("one picture") };
    assert_eq!(picture.heading.title, "node07: all CPUs to node 1");
    assert_eq!((picture.series[0].points.len(), picture.marks[0].x), (10, 181.0));
    let [text] = &history(&found, FleetDetail::Brief)[..] else { panic!("one sentence") };
    assert!(text.starts_with("node07: since 2026-07-05, memory of node 1 is slower: latency "));
    let why = " Between 2026-06-05 and 2026-07-05, platform bios version changed from 2.4 to 2.5.";
    assert!(text.contains(" in 2 of 2 cells (95 %: ") && text.ends_with(why), "{text}");
    // What was before is not asked for; what is later is not known yet.
    assert_eq!(fleet.history(time("2026-08-01"), FLOOR).changes, []);
    let mut june = with_a_slow_memory();
    june.leave_out_after(time("2026-07-01")).unwrap();
    assert_eq!(june.history(time("2026-01-01"), FLOOR).changes, []);
}

/// From June on, all machines have a kernel that makes memory of node 1 slower. The fourth has a
/// fault from then on, too.
#[test]
fn a_change_of_all_machines_is_one_sentence() {
    let fleet = year(|month, at, machine| match month {
        6.. => machine
            .with_slow_memory(1, if at == 3 { 1.3 } else { 1.08 })
            .with("/machine/kernel", json!("6.99.0")),
        _ => machine,
    });
    let found = fleet.history(time("2026-01-01"), FLOOR);
    let [common] = &found.common[..] else { panic!("{:?}", found.common) };
    assert_eq!((common.machines.len(), common.compared), (9, 10));
    assert!(common.is_of_most());
    let [part] = &common.parts[..] else { panic!("{:?}", common.parts) };
    assert!(part.ci95[0] < 1.08 && 1.05 < part.ratio && part.ratio < 1.09, "{part:?}");
    let own: Vec<&str> = found
        .changes
        .iter()
        .filter(|one| one.common.is_none())
        .map(|one| one.machine.as_str())
        .collect();
    assert_eq!(own, ["node04"]);
    let [text, of_fault] = &history(&found, FleetDetail::Brief)[..] else {
        panic!("two sentences")
    };
    assert!(text.starts_with("9 of 10 machines (node01, node02, "), "{text}");
    assert!(text.contains(" and 3 more): since 2026-06-05, slower: latency "), "{text}");
    assert!(
        text.contains(" % higher (95 %: ") && text.contains("On all of them, kernel "),
        "{text}"
    );
    assert!(of_fault.starts_with("node04: since 2026-06-05, memory of node 1 is slower"));
    assert_eq!(courses(&found).len(), 2);
    // The kernel is no fault of each.
    let next = fleet.tests(&found, time("2026-10-06"));
    let document = fleet.judge(FleetSettings { floor: FLOOR }).unwrap();
    assert_eq!(next.next(&document)[0].name, "node04");
}

/// Three machines slow down over the year, and three have another fault in the same month.
#[test]
fn other_changes_at_one_time_are_not_common() {
    let drifts = year(|month, at, machine| match at {
        2 | 5 | 8 => {
            let times = 1.0 + 0.03 * month as f64;
            machine.with_slow_cpus(0, times).with_slow_cpus(1, times)
        }
        _ => machine,
    });
    let found = drifts.history(time("2026-01-01"), FLOOR);
    assert_eq!(found.common, []);
    let faults = year(|month, at, machine| match (month, at) {
        (6.., 2) => machine.with_slow_memory(1, 1.3),
        (6.., 5) => machine.with_slow_cpus(0, 1.08).with_slow_cpus(1, 1.08),
        (6.., 8) => machine.with_slow_cpus(0, 1.2).with_slow_cpus(1, 1.2),
        _ => machine,
    });
    let found = faults.history(time("2026-01-01"), FLOOR);
    assert!(found.changes.len() >= 3 && found.common.is_empty(), "{:?}", found.common);
}

#[test]
fn a_repair_is_seen_and_healthy_machines_are_not_named() {
    let fleet = year(|month, at, machine| match (month, at) {
        (4..=7, 2) => machine.with_slow_memory(0, 1.12),
        _ => machine,
    });
    let found = fleet.history(time("2026-01-01"), FLOOR);
    let shown: Vec<(&str, &str, bool)> = found
        .changes
        .iter()
        .map(|change| (&*change.machine, &change.since[..10], change.is_return))
        .collect();
    assert_eq!(shown, [("node03", "2026-04-05", false), ("node03", "2026-08-05", true)]);
    let healthy = year(|_, _, machine| machine).history(time("2026-01-01"), FLOOR);
    assert_eq!(healthy.changes, []);
    assert!(history(&healthy, FleetDetail::Brief)[0].starts_with("No change since 2026-01-01"));
}

#[test]
fn machines_come_and_go() {
    let fleet = year(|month, at, machine| match (month, at) {
        (..=8, 0) | (4.., 1) => machine.named("node99"),
        _ => machine,
    });
    let FleetHistory { first_seen, not_seen, .. } = fleet.history(time("2026-06-01"), FLOOR);
    assert_eq!((first_seen, not_seen), (vec!["node01".to_owned()], vec!["node02".to_owned()]));
}

#[test]
fn machines_with_old_surveys_and_faults_are_tested_first() {
    let fleet = year(|month, at, machine| match (month, at) {
        // No survey of the second since March; the fourth was faulty.
        (4.., 1) => machine.named("node99"),
        (4..=7, 3) => machine.with_slow_memory(0, 1.12),
        _ => machine,
    });
    let all = fleet.history(Timestamp::UNIX_EPOCH, FLOOR);
    let tests = fleet.tests(&all, time("2026-11-05"));
    let document = fleet.judge(FleetSettings { floor: FLOOR }).unwrap();
    let next: Vec<&str> = tests.next(&document).iter().map(|it| it.name.as_str()).collect();
    assert_eq!(next[..2], ["node02", "node04"]);
    assert_eq!(next.len(), 11);
}

#[test]
fn surveys_with_a_wrong_clock_are_named() {
    let mut fleet = year(|month, at, machine| match (month, at) {
        (5, 3) => machine.with("/provenance/started", json!("1970-01-01T00:00:09Z")),
        (6, 3) => machine.with("/provenance/started", json!("2040-01-01T00:00:00Z")),
        _ => machine,
    });
    fleet.leave_out_wrong_clocks(time("2026-10-06"));
    let wrong = fleet.skipped();
    let faults: Vec<&DocumentFault> = wrong.iter().map(|one| &one.fault).collect();
    let fault =
        |started: &str| DocumentFault::WrongClock { started: started.to_owned(), built: None };
    assert_eq!(faults, [&fault("1970-01-01T00:00:09Z"), &fault("2040-01-01T00:00:00Z")]);
    assert_eq!(fleet.history(time("2026-01-01"), FLOOR).surveys, 98);
    // The reader's own clock may be wrong.
    fleet.leave_out_wrong_clocks(time("2020-01-01"));
    assert_eq!(fleet.skipped().len(), 2);
}

/// From July on, node03 has another board, whose memory is slower, and node05 is called node55.
#[test]
fn other_boards_and_names_are_reported_and_not_compared() {
    let changed = |month: usize, at: usize, machine: MadeMachine| {
        let own = format!("{at:016x}");
        match (month, at) {
            (7.., 2) => machine.with_board("00000000000000ff").with_slow_memory(1, 1.09),
            (7.., 4) => machine.with_board(&own).named("node55"),
            // Not measured by root.
            (5, _) => machine,
            _ => machine.with_board(&own),
        }
    };
    assert_eq!(year(changed).history(time("2026-01-01"), FLOOR).changes, []);
    let document = year(changed).judge(FleetSettings { floor: FLOOR }).unwrap();
    let expected = [
        "node03: board changed between 2026-06-05 and 2026-07-05. Its history begins anew.",
        "renamed: node55 is node05's board since 2026-07-05 (before: 2026-06-05).",
    ];
    assert_eq!(boards(&document.boards), expected);
    let of_other = |fault: &&DocumentFault| matches!(fault, DocumentFault::OtherBoard { .. });
    let faults = || document.skipped.iter().map(|one| &one.fault);
    assert_eq!(faults().filter(of_other).count(), 6, "surveys of node03 up to June");
    let now_node55 = DocumentFault::Renamed { name: "node55".to_owned() };
    let renamed = |fault: &&DocumentFault| **fault == now_node55;
    assert_eq!(faults().filter(renamed).count(), 6, "surveys of node05");
    let names: Vec<&str> = document.machines().map(|machine| &*machine.name).collect();
    assert!(names.contains(&"node55") && !names.contains(&"node05"), "{names:?}");
    // Without boards, it is a change of node03.
    let unknown = year(|month, at, machine| {
        let mut machine = changed(month, at, machine);
        machine.0["machine"].as_object_mut().unwrap().remove("board");
        machine
    });
    assert_eq!(unknown.history(time("2026-01-01"), FLOOR).changes[0].machine, "node03");
    assert_eq!(unknown.judge(FleetSettings { floor: FLOOR }).unwrap().boards, []);
}

#[test]
fn a_board_that_moves_is_followed_and_a_common_serial_number_is_none() {
    let moved = year(|month, at, machine| match (month, at) {
        (..=4, 1) | (6.., 7) => machine.with_board("00000000000000aa"),
        (..=4, 7) => machine.with_board("00000000000000bb"),
        _ => machine,
    });
    let document = moved.judge(FleetSettings { floor: FLOOR }).unwrap();
    let expected = "node08: board changed between 2026-04-05 and 2026-06-05, to that of node02. \
        Its history begins anew.";
    assert_eq!(boards(&document.boards), [expected]);
    let common = year(|_, _, machine| machine.with_board("00000000000000aa"));
    assert_eq!(common.judge(FleetSettings { floor: FLOOR }).unwrap().boards, []);
    // Each is surveyed once, as a first fleet is; only two have it.
    for machines in [..16, ..2] {
        let once = year(|month, at, machine| match (month, at) {
            (1, at) if machines.contains(&at) => machine.with_board("00000000000000aa"),
            _ => machine,
        });
        assert_eq!(once.judge(FleetSettings { floor: FLOOR }).unwrap().boards, []);
    }
}

/// Another board was in a machine for three months.
#[test]
fn a_board_that_returns_is_a_change_again() {
    let lent = year(|month, at, machine| match (month, at) {
        (3..=5, 2) => machine.with_board("00000000000000bb"),
        (_, 2) => machine.with_board("00000000000000aa"),
        _ => machine,
    });
    let expected = [
        "node03: board changed between 2026-02-05 and 2026-03-05. Its history begins anew.",
        "node03: board changed between 2026-05-05 and 2026-06-05. Its history begins anew.",
    ];
    assert_eq!(boards(&lent.judge(FleetSettings { floor: FLOOR }).unwrap().boards), expected);
}
