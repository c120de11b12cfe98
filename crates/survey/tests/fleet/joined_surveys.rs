//! Several surveys of one machine, duplicates, and documents that are not used.

use nearfar_survey::fleet::{DocumentFault, NameSource};
use serde_json::json;

use crate::judged::judge;
use crate::made_fleet::{MadeMachine, TWO_NODES, healthy, lines};

/// Surveys of the same machine, the second a day later with only its first cell.
fn old_and_new() -> [MadeMachine; 2] {
    let old = healthy(TWO_NODES, 1, 3).remove(0);
    let mut new = old.clone().with("/provenance/started", json!("2026-11-27T08:00:00Z"));
    new.0["latency"]["cells"].as_array_mut().unwrap().truncate(1);
    new.0["page_size"] = json!(null);
    [old, new.with_slow_memory(0, 2.0)]
}

#[test]
fn each_cell_has_its_newest_figure() {
    let [old, new] = old_and_new();
    let fleet = judge(&[("a.json", old.0.to_string()), ("b.json", new.0.to_string())]);
    let [machine] = &fleet.groups[0].machines[..] else { panic!("one machine") };
    assert_eq!(machine.surveys, ["b.json", "a.json"]);
    assert_eq!(machine.name_source, NameSource::Host);
    assert_eq!(fleet.groups[0].cells.iter().map(|cell| cell.machines).max(), Some(1));
    assert!(fleet.skipped.is_empty());
}

#[test]
fn surveys_that_newer_ones_replace_are_named() {
    let [old, _] = old_and_new();
    let again = old.clone().with("/provenance/started", json!("2026-11-28T08:00:00Z"));
    let grown = old.clone().with("/machine/packages", json!(4));
    let files =
        [("old.json", &old), ("new.json", &again), ("copy.json", &again), ("big.json", &grown)];
    let fleet = judge(&files.map(|(name, machine)| (name, machine.0.to_string())));
    let faults: Vec<(&str, &DocumentFault)> =
        fleet.skipped.iter().map(|one| (&*one.file, &one.fault)).collect();
    let newest = "new.json".to_owned();
    let expected = [
        ("old.json", &DocumentFault::Older { newest: newest.clone() }),
        ("copy.json", &DocumentFault::Duplicate { of: newest.clone() }),
        ("big.json", &DocumentFault::OtherShape { newest }),
    ];
    assert_eq!(faults, expected);
}

#[test]
fn machines_without_a_host_have_the_files_name() {
    let machines: Vec<MadeMachine> =
        healthy(TWO_NODES, 3, 3).into_iter().map(MadeMachine::unnamed).collect();
    let files = [
        ("fleet/node9.json", machines[0].0.to_string()),
        ("fleet/node10.json", machines[1].0.to_string()),
        ("fleet/0.out", lines(&machines[1..])),
    ];
    // The first document of the last file is a copy.
    let fleet = judge(&files);
    let names: Vec<&str> = fleet.machines().map(|machine| &*machine.name).collect();
    assert_eq!(names, ["0:2", "node9", "node10"]);
    assert!(fleet.machines().all(|machine| machine.name_source == NameSource::File));
    let two = judge(&[("0.out", lines(&machines[..2]))]);
    let names: Vec<&str> = two.machines().map(|machine| &*machine.name).collect();
    assert_eq!(names, ["0:1", "0:2"]);
}

#[test]
fn broken_documents_are_named_with_their_line() {
    let machines = healthy(TWO_NODES, 4, 3);
    let mut empty = machines[3].clone();
    empty.0["latency"]["cells"] = json!([]);
    empty.0["page_size"] = json!(null);
    let text =
        format!("{}srun: error\n{}", lines(&machines[..2]), lines(&[machines[2].clone(), empty]));
    let sweep = r#"{"schema":"nearfar.sweep/1"}"#.to_owned();
    let fleet = judge(&[("0.out", text), ("sweep.json", sweep), ("no.json", String::new())]);
    let skipped: Vec<(&str, Option<usize>, &DocumentFault)> =
        fleet.skipped.iter().map(|one| (&*one.file, one.line, &one.fault)).collect();
    let schema = "nearfar.sweep/1".to_owned();
    let expected = [
        ("0.out", Some(3), &DocumentFault::OtherText),
        ("0.out", Some(5), &DocumentFault::NoFigure),
        ("sweep.json", Some(1), &DocumentFault::OtherKind { schema }),
        ("no.json", None, &DocumentFault::Empty),
    ];
    assert_eq!(skipped, expected);
    assert_eq!(fleet.machines().count(), 3);
}
