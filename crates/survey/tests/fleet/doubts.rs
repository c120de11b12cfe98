//! Surveys with a wrong time, or none, and machines that share a name.

use jiff::{SignedDuration, Timestamp};
use nearfar_survey::fleet::text::{boards, doubts, skipped};
use nearfar_survey::fleet::{
    DocumentFault, DoubtKind, FleetDocument, FleetSettings, MachineDoubt, read_files,
};
use serde_json::json;

use crate::judged::{judge, surveys};
use crate::made_fleet::{MadeMachine, TWO_NODES, healthy, lines};

const FLOOR: f64 = 0.03;
const HOUR: i64 = 3600;

/// A time in 2026, as many hours after its first of June as these.
fn after(hours: i64) -> String {
    let first: Timestamp = "2026-06-01T08:00:00Z".parse().unwrap();
    (first + SignedDuration::from_secs(hours * HOUR)).to_string()
}

/// Eight machines, surveyed daily; changed by day and machine.
fn daily(days: i64, change: impl Fn(i64, usize, MadeMachine) -> MadeMachine) -> String {
    let day = |day: i64| {
        let machines = healthy(TWO_NODES, 8, 70 + day as u64).into_iter().enumerate();
        let dated = machines.map(|(at, machine)| {
            change(day, at, machine.with("/provenance/started", json!(after(24 * day))))
        });
        lines(&dated.collect::<Vec<_>>())
    };
    (0..days).map(day).collect()
}

fn fleet_of(text: String) -> FleetDocument {
    judge(&[("a.jsonl", text)])
}

#[test]
fn a_survey_without_a_time_does_not_replace_a_newer_one() {
    for wrong in ["unknown", "2026-06-09T08:00:00", ""] {
        let undated = |day: i64, at: usize, machine: MadeMachine| match (day, at) {
            (1, 3) => machine.with_slow_memory(1, 1.3).with("/provenance/started", json!(wrong)),
            _ => machine,
        };
        let document = fleet_of(daily(4, undated));
        assert_eq!(document.findings, [], "{wrong}");
        assert_eq!(document.doubts, []);
        let fault = DocumentFault::NoTime { started: wrong.to_owned() };
        let line = format!("a.jsonl, line 12 has no time that can be read: '{wrong}'");
        assert_eq!(document.skipped.iter().filter(|one| one.fault == fault).count(), 1);
        assert!(skipped(&document.skipped).contains(&line));
        // Nothing is known of the day.
        let mut then = surveys(&[("a.jsonl", daily(4, undated))]);
        then.leave_out_after(after(99).parse().unwrap()).unwrap();
        assert_eq!(then.skipped()[0].fault, fault);
    }
}

#[test]
fn machines_without_any_time_are_used_and_named() {
    let document = fleet_of(daily(1, |_, at, machine| match at {
        0 | 1 => machine.with("/provenance/started", json!("unknown")),
        _ => machine,
    }));
    assert_eq!(document.machines().count(), 8);
    let expected = "No survey of node01, node02 has a time that can be read ('unknown'): 2 surveys \
        are used, without a history.";
    assert_eq!(doubts(&document.doubts), [expected]);
}

#[test]
fn times_of_other_zones_are_instants() {
    // In UTC, 06:00 on the third day: before the survey of the machine at 08:00.
    let document = fleet_of(daily(3, |day, at, machine| match (day, at) {
        (1, 3) => machine
            .with_slow_memory(1, 1.3)
            .with("/provenance/started", json!("2026-06-03T11:00:00+05:00")),
        _ => machine,
    }));
    assert_eq!(document.findings, []);
    let started: Vec<&str> = document.machines().map(|one| &*one.started).collect();
    assert_eq!(started, vec!["2026-06-03T08:00:00Z"; 8]);
    let newest = fleet_of(daily(1, |_, _, machine| {
        machine.with("/provenance/started", json!("2026-06-03T01:00:00+05:00"))
    }));
    assert!(newest.machines().all(|one| one.started == "2026-06-02T20:00:00Z"));
}

#[test]
fn boards_that_move_within_a_day_are_reported() {
    let board = |at: usize| format!("{at:016x}");
    // The survey after the swap is five minutes earlier in the day.
    let at_night = |day: i64, at: usize, machine: MadeMachine| {
        let minutes = if day < 4 { 0 } else { -5 };
        let began: Timestamp = after(24 * day).parse().unwrap();
        let seconds = minutes * 60 + i64::try_from(at).unwrap();
        let began = began + SignedDuration::from_secs(seconds);
        machine.with("/provenance/started", json!(began.to_string()))
    };
    let swapped = daily(8, |day, at, machine| {
        let own = match (day, at) {
            (4.., 2) => 3,
            (4.., 3) => 2,
            _ => at,
        };
        at_night(day, at, machine).with_board(&board(own))
    });
    let expected = [
        "node03: board changed between 2026-06-04 and 2026-06-05, to that of node04. Its history \
         begins anew.",
        "node04: board changed between 2026-06-04 and 2026-06-05, to that of node03. Its history \
         begins anew.",
    ];
    assert_eq!(boards(&fleet_of(swapped).boards), expected);
    // A new name shows no other board, but is surveyed for days.
    let renamed = daily(8, |day, at, machine| {
        let machine = at_night(day, at, machine).with_board(&board(at));
        if (day, at) >= (4, 2) && at == 2 { machine.named("node99") } else { machine }
    });
    let expected = "renamed: node99 is node03's board since 2026-06-05 (before: 2026-06-04).";
    assert_eq!(boards(&fleet_of(renamed).boards), [expected]);
    // A single survey may be of a second machine with that number.
    let first = daily(5, |day, at, machine| {
        let machine = at_night(day, at, machine).with_board(&board(at));
        if (day, at) == (4, 2) { machine.named("node99") } else { machine }
    });
    assert_eq!(fleet_of(first).boards, []);
    // Two machines with one number have it at once, or in turn.
    for days in 1..4 {
        let common = daily(days, |day, at, machine| {
            let own = if at == 3 { 2 } else { at };
            at_night(day, at, machine).with_board(&board(own))
        });
        assert_eq!(fleet_of(common).boards, [], "{days}");
    }
}

/// The clock of node03 goes back by months after its tenth survey; it is slower since then.
#[test]
fn a_clock_that_went_back_is_named_and_shows_no_change() {
    let went_back = |day: i64, at: usize, machine: MadeMachine| match (day, at) {
        (10..=15, 2) => machine
            .with_slow_memory(1, 1.2)
            .with("/provenance/started", json!(after(24 * (day - 90)))),
        _ => machine,
    };
    let fleet = surveys(&[("a.jsonl", daily(16, went_back))]);
    let since = after(-9999).parse().unwrap();
    assert_eq!(fleet.history(since, FLOOR).changes, [], "it would be faster since June");
    let document = fleet.judge(FleetSettings { floor: FLOOR }).unwrap();
    let expected = "node03: in a.jsonl, line 83, its clock went back from 2026-06-10 to \
        2026-03-13, or the lines are in another order: times of 6 surveys are doubtful, and no \
        change up to 2026-06-10 is stated.";
    assert_eq!(doubts(&document.doubts), [expected]);
    // Later changes have their dates.
    let repaired = daily(30, |day, at, machine| match (day, at) {
        (24.., 2) => machine.with_slow_memory(1, 1.2),
        _ => went_back(day, at, machine),
    });
    let begin = after(1).parse().unwrap();
    let repaired = surveys(&[("a.jsonl", repaired)]).history(begin, FLOOR);
    let shown: Vec<&str> = repaired.changes.iter().map(|one| &one.since[..10]).collect();
    assert_eq!(shown, ["2026-06-25"]);
    assert!(repaired.first_seen.is_empty());
    // Where most go back, the file has another order.
    let reversed: Vec<String> = daily(6, |_, _, it| it).lines().rev().map(str::to_owned).collect();
    assert_eq!(fleet_of(reversed.join("\n")).doubts, []);
}

#[test]
fn a_survey_that_is_older_than_its_kernel_has_a_wrong_clock() {
    let kernel = "Linux version 6.1 #1 SMP Debian 6.1.170-1 (2026-06-20)";
    let mut fleet = surveys(&[(
        "a.jsonl",
        daily(3, |day, at, machine| {
            let at_work = if (day, at) == (2, 5) { kernel } else { "Linux version 6.1" };
            machine.with("/environment/boot/kernel_version", json!(at_work))
        }),
    )]);
    fleet.leave_out_wrong_clocks("2026-06-30T08:00:00Z".parse().unwrap());
    let expected = "a.jsonl, line 22 began at 2026-06-03T08:00:00Z, by its clock, and its kernel \
        or BIOS is of 2026-06-20: set the clock, and measure anew";
    assert_eq!(skipped(&fleet.skipped()), [expected]);
}

#[test]
fn machines_that_may_share_a_name_are_named() {
    let kind = |text: String| {
        let document = fleet_of(text);
        let of = |doubt: &MachineDoubt| (doubt.machine.clone(), doubt.surveys, doubt.kind.clone());
        document.doubts.iter().map(of).collect::<Vec<_>>()
    };
    let called = |name: &str, surveys, kind| vec![(name.to_owned(), surveys, kind)];
    // 16 machines at once, each for a minute.
    let all: Vec<MadeMachine> =
        healthy(TWO_NODES, 16, 3).into_iter().map(|machine| machine.named("n1")).collect();
    let until = all.iter().filter_map(|one| one.0["provenance"]["started"].as_str()).max();
    let until = until.unwrap().to_owned();
    assert_eq!(kind(lines(&all)), called("n1", 16, DoubtKind::Overlap { until }));
    let fleet = surveys(&[("a.jsonl", lines(&all))]);
    assert_eq!(fleet.history("2026-01-01T00:00:00Z".parse().unwrap(), FLOOR).surveys, 0);
    // One after the other.
    let of_two = |days, name: &'static str| {
        daily(days, move |day, at, machine| match at {
            0 if name == "shapes" => machine.with("/machine/packages", json!(1 + day % 2)),
            0 if name == "boards" => machine.with_board(&format!("{:016x}", 7 + day % 2)),
            0 => machine.named(name),
            _ => machine,
        })
    };
    assert_eq!(kind(of_two(4, "shapes")), called("node01", 4, DoubtKind::ShapesInTurn));
    assert_eq!(kind(of_two(4, "boards")), called("node01", 4, DoubtKind::BoardsInTurn));
    assert_eq!(kind(of_two(3, "shapes")), [], "a repair");
    for name in ["localhost", "Ubuntu", "localhost.localdomain"] {
        assert_eq!(kind(of_two(2, name)), called(name, 2, DoubtKind::UsualName));
        assert_eq!(kind(of_two(1, name)), [], "one survey is of one machine");
    }
    let one_board = daily(4, |_, at, machine| match at {
        0 => machine.named("debian").with_board("00000000000000aa"),
        _ => machine,
    });
    assert_eq!(kind(one_board), [], "it is one machine");
}

#[test]
fn many_documents_with_one_reason_have_one_line() {
    let document = judge(&[
        ("a.jsonl", daily(4, |_, _, machine| machine)),
        ("b.jsonl", daily(4, |_, _, machine| machine)),
    ]);
    let expected = [
        "24 documents are older than the newest of their machines",
        "b.jsonl is the same document as a.jsonl:1; 31 more likewise",
    ];
    assert_eq!(skipped(&document.skipped), expected);
}

#[test]
fn folders_in_a_folder_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_owned();
    std::fs::create_dir(path.join("old")).unwrap();
    let only = read_files(std::slice::from_ref(&path), &|_, work| work()).unwrap_err().to_string();
    assert!(only.ends_with("holds no files, only folders: name these"), "{only}");
    std::fs::write(path.join("a.jsonl"), daily(1, |_, _, machine| machine)).unwrap();
    let read = read_files(std::slice::from_ref(&path), &|_, work| work()).unwrap();
    let line =
        format!("{} is a folder: name it, too, to read its files", path.join("old").display());
    assert_eq!(skipped(&read.skipped()), [line]);
    read.append_tables(&path).unwrap();
    assert_eq!(
        read_files(&[path], &|_, work| work()).unwrap().skipped().len(),
        1,
        "tables are read"
    );
}
