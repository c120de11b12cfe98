//! Made fleets, judged.

use std::sync::Arc;

use nearfar_model::Bytes;
use nearfar_survey::fleet::{
    CauseKind, DocumentPlace, DocumentReader, DriftState, FleetDirection, FleetDocument,
    FleetSettings, FleetSurveys, GroupState, NotJudged,
};
use serde_json::{Value, json};

use crate::made_fleet::{EIGHT_NODES, MadeMachine, TWO_NODES, healthy, lines};

const SETTINGS: FleetSettings = FleetSettings { floor: 0.03 };

/// Surveys of these files: names and texts.
pub(crate) fn surveys(files: &[(&str, String)]) -> FleetSurveys {
    let mut surveys = FleetSurveys::default();
    for (number, (file, text)) in files.iter().enumerate() {
        let place = DocumentPlace { number, file: Arc::from(*file) };
        DocumentReader::new(text.as_bytes()).for_each(|document| surveys.add(&place, document));
    }
    surveys
}

pub(crate) fn judge(files: &[(&str, String)]) -> FleetDocument {
    let surveys = surveys(files);
    let skipped = surveys.skipped();
    surveys.judge(SETTINGS).unwrap_or_else(|error| panic!("{error}: {skipped:?}"))
}

fn of_machines(machines: &[MadeMachine]) -> FleetDocument {
    judge(&[("fleet.jsonl", lines(machines))])
}

#[test]
fn a_healthy_fleet_has_no_finding() {
    for seed in 1..=5 {
        let fleet = of_machines(&healthy(EIGHT_NODES, 16, seed));
        assert_eq!(fleet.findings, [], "seed {seed}");
        let [group] = &fleet.groups[..] else { panic!("one shape") };
        assert_eq!((group.machines.len(), group.cells.len()), (16, 64 + 8));
        assert_eq!((fleet.drift.len(), fleet.skipped.len()), (0, 0), "{:?}", fleet.drift);
    }
}

#[test]
fn slow_memory_is_one_cause() {
    let mut machines = healthy(EIGHT_NODES, 16, 7);
    machines[6] = machines[6].clone().with_slow_memory(3, 1.08);
    let fleet = of_machines(&machines);
    let [cause] = &fleet.causes[..] else { panic!("{:?}", fleet.causes) };
    assert_eq!(cause.machine, "node07");
    assert_eq!(cause.kind, CauseKind::Memory { label: "node 3".to_owned() });
    assert_eq!(cause.direction, FleetDirection::Slower);
    assert_eq!((cause.parts[0].outliers, cause.parts[0].cells), (8, 8));
    assert!(cause.parts[0].ratios[0] > 1.04 && cause.parts[0].ratios[1] < 1.12);
    assert!(fleet.findings.iter().all(|finding| finding.cause == Some(0)));
    let slower: Vec<&str> = fleet.slower_machines().iter().map(|machine| &*machine.name).collect();
    assert_eq!(slower, ["node07"]);
}

#[test]
fn faster_machines_are_findings_and_not_slower() {
    let mut machines = healthy(TWO_NODES, 16, 7);
    machines[0] = machines[0].clone().with_slow_memory(0, 0.9).with_slow_memory(1, 0.9);
    let fleet = of_machines(&machines);
    let [cause] = &fleet.causes[..] else { panic!("{:?}", fleet.findings) };
    assert_eq!((&cause.kind, cause.direction), (&CauseKind::Machine, FleetDirection::Faster));
    assert!(fleet.slower_machines().is_empty());
}

#[test]
fn three_machines_are_too_few() {
    let mut machines = healthy(TWO_NODES, 3, 1);
    machines[0] = machines[0].clone().with_slow_memory(1, 2.0);
    let fleet = of_machines(&machines);
    assert_eq!(fleet.groups[0].state, GroupState::TooFew);
    assert!(fleet.findings.is_empty());
    assert!(fleet.groups[0].machines[0].ratios.iter().all(Option::is_none));
}

#[test]
fn shapes_are_groups_and_small_ones_drift_from_the_largest() {
    let mut machines = healthy(TWO_NODES, 16, 1);
    let memory = machines[0].0["machine"]["memory_bytes"].as_u64().unwrap();
    // Firmware reserves a little more; and a DIMM is missing.
    let less = |share: f64| json!((memory as f64 * share) as u64);
    machines[1] = machines[1].clone().with("/machine/memory_bytes", less(0.998));
    machines[2] = machines[2].clone().with("/machine/memory_bytes", less(0.75));
    let fleet = of_machines(&machines);
    let sizes: Vec<usize> = fleet.groups.iter().map(|group| group.machines.len()).collect();
    assert_eq!(sizes, [15, 1]);
    assert_eq!(fleet.groups[0].shape.memory_bytes, Some(Bytes::mib(736)));
    let [drift] = &fleet.drift[..] else { panic!("{:?}", fleet.drift) };
    assert_eq!((drift.group, drift.compared_with), (1, 0));
    assert_eq!(drift.setting, "machine.memory");
    assert_eq!(drift.others[0].machines, ["node03"]);
}

#[test]
fn unreadable_and_missing_settings_are_not_different_ones() {
    let mut machines = healthy(TWO_NODES, 8, 1);
    let thp = "/environment/paging/thp_enabled";
    machines[0] = machines[0].clone().with(thp, json!("never"));
    machines[1] = machines[1].clone().with(thp, Value::Null);
    machines[2].0["environment"]["paging"].as_object_mut().unwrap().remove("thp_enabled");
    let fleet = of_machines(&machines);
    let [drift] = &fleet.drift[..] else { panic!("{:?}", fleet.drift) };
    assert_eq!((drift.setting.as_str(), drift.machines), ("paging.thp_enabled", 5));
    assert_eq!(drift.usual.as_deref(), Some("always"));
    let others: Vec<(DriftState, Option<&str>, &str)> = drift
        .others
        .iter()
        .map(|other| (other.state, other.value.as_deref(), &*other.machines[0]))
        .collect();
    let expected = [
        (DriftState::Differs, Some("never"), "node01"),
        (DriftState::NotReadable, None, "node02"),
        (DriftState::NotSent, None, "node03"),
    ];
    assert_eq!(others, expected);
}

#[test]
fn firmware_microcode_and_modules_drift() {
    let mut machines = healthy(TWO_NODES, 8, 1);
    for machine in &mut machines {
        machine.0["environment"]["platform"] = json!({
            "bios_version": "2.4", "bios_date": "08/21/2024", "microcode": "0x2b",
            "memory_modules": "16 x 64 GiB at 4800 MT/s"
        });
    }
    machines[3].0["environment"]["platform"]["microcode"] = json!("0x2a");
    machines[5].0["environment"]["platform"]["memory_modules"] = json!("16 x 64 GiB at 4400 MT/s");
    let fleet = of_machines(&machines);
    let found = fleet.drift.iter().map(|drift| (&*drift.setting, &*drift.others[0].machines[0]));
    let expected = [("platform.memory_modules", "node06"), ("platform.microcode", "node04")];
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

#[test]
fn a_reference_replaces_the_median() {
    let machines = healthy(TWO_NODES, 3, 1);
    let slow = machines[1].clone().with_slow_memory(1, 1.3);
    let golden = machines[2].clone().with("/environment/smt", json!("off"));
    let mut surveys = surveys(&[("fleet.jsonl", lines(&[machines[0].clone(), slow]))]);
    let place = DocumentPlace { number: 0, file: Arc::from("golden.json") };
    let text = golden.0.to_string();
    surveys.set_reference(&place, DocumentReader::new(text.as_bytes()).next()).unwrap();
    let fleet = surveys.judge(SETTINGS).unwrap();
    assert_eq!(fleet.groups[0].state, GroupState::Compared);
    assert_eq!(fleet.reference.as_deref(), Some("golden.json"));
    assert!(fleet.findings.iter().all(|finding| finding.machine == "node02"));
    // Two cells, and their mean.
    assert_eq!(fleet.findings.len(), 3);
    let [drift] = &fleet.drift[..] else { panic!("{:?}", fleet.drift) };
    assert_eq!((drift.usual.as_deref(), drift.machines), (Some("off"), 0));
}

#[test]
fn a_fleet_without_surveys_is_not_judged() {
    let mut surveys = surveys(&[("notes.txt", "hello\n".to_owned())]);
    let place = DocumentPlace { number: 0, file: Arc::from("golden.json") };
    let no_reference = NotJudged::NoReference("golden.json".to_owned());
    assert_eq!(surveys.set_reference(&place, None), Err(no_reference));
    assert_eq!(surveys.judge(SETTINGS).unwrap_err(), NotJudged::NoSurvey);
}
