//! Plans of machines with devices: golden drawings, and texts that do not overlap.

use std::path::Path;

use nearfar_model::{DistanceMatrix, NodeId};
use nearfar_report::pictures::{PictureKind, SurveyPictures};
use nearfar_survey::Survey;
use nearfar_view::draw::{Picture, Screen, Theme, standalone};
use serde_json::{Value, json};
use snapbox::data::DataFormat;
use snapbox::{Data, assert_data_eq};

use crate::machines::{MadeMachine, eight_gpus, eight_nodes, thousand_cpus, workstation};
use crate::texts;

fn drawn(survey: &Survey) -> SurveyPictures {
    PictureKind::Machine.draw(survey, None)
}

fn golden(name: &str) -> Data {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/pictures");
    Data::read_from(&folder.join(name), Some(DataFormat::Text)).raw()
}

/// The drawing, as kept and without overlapping texts.
fn check(machine: &MadeMachine, name: &str) {
    let drawn = drawn(&machine.survey());
    assert!(drawn.notes.is_empty(), "{:?}", drawn.notes);
    let svg = standalone(drawn.pictures[0].picture(), Theme::Light);
    let document = roxmltree::Document::parse(&svg).unwrap();
    let root = document.root_element();
    let room = root.attribute("viewBox").unwrap().split(' ').map(|side| side.parse().unwrap());
    texts::check(root, &room.collect::<Vec<f64>>());
    assert_data_eq!(svg, golden(&format!("machine-{name}.svg")));
}

#[test]
fn eight_gpus_and_24_disks_are_legible() {
    check(&eight_gpus(), "eight-gpus");
}

#[test]
fn a_workstation_shows_each_core() {
    check(&workstation(), "workstation");
}

#[test]
fn eight_nodes_have_equal_disks_together() {
    check(&eight_nodes(), "eight-nodes");
}

#[test]
fn a_thousand_cpus_are_legible() {
    check(&thousand_cpus(), "thousand-cpus");
}

/// At 0206d5e9 distances of more than four nodes were dropped without a word.
#[test]
fn distances_that_are_not_drawn_are_named() {
    let note = |nodes: u32| {
        let mut survey = eight_nodes().survey();
        survey.claims.nodes.truncate(nodes as usize);
        let row = |own| (0..nodes).map(|one| if one == own { 10 } else { 20 + one % 3 }).collect();
        let distances =
            DistanceMatrix::new((0..nodes).map(NodeId).collect(), (0..nodes).map(row).collect());
        survey.claims.distances = Some(distances.unwrap());
        standalone(drawn(&survey).pictures[0].picture(), Theme::Light)
    };
    let undrawn = "Firmware claims distances of 20 to 22 between nodes";
    assert!(note(8).contains(undrawn) && !note(4).contains(undrawn), "{}", note(8));
}

#[test]
fn the_plan_in_characters() {
    let drawn = drawn(&eight_gpus().survey());
    let shown = drawn.pictures[0].picture().in_terminal(&Screen::PLAIN).unwrap();
    assert_data_eq!(shown, golden("machine-eight-gpus.txt"));
}

/// A device's row: its name, link and switches.
fn row(machine: &MadeMachine, name: &str) -> Vec<String> {
    let drawn = drawn(&machine.survey());
    let table = Picture::table(drawn.pictures[0].picture());
    let found = table.rows.iter().find(|row| row[7].starts_with(name));
    found.unwrap_or_else(|| panic!("{table:?}"))[7..].to_vec()
}

#[test]
fn only_judged_links_are_narrow() {
    let mut machine = eight_gpus();
    machine.device("GPU5")["link"]["port_max"] = Value::Null;
    assert_eq!(row(&machine, "GPU5")[1], "x8 of 16, 32 GT/s");
    let drawn = drawn(&machine.survey());
    let description = drawn.pictures[0].picture().heading().description();
    assert!(!description.contains("thick"), "{description}");
}

#[test]
fn narrow_links_above_are_shown() {
    let mut machine = eight_gpus();
    machine.device("GPU0")["narrow_link"] =
        json!({"bridge": "0000:11:00.0", "now": {"lanes": 4, "gt_s": 32.0}});
    assert_eq!(row(&machine, "GPU0")[1], "x16 32 GT/s (x4 above)");
}

#[test]
fn small_devices_show_a_disputed_node() {
    let mut machine = eight_gpus();
    machine.device("USB1")["node"]["verdict"] = json!("disputed");
    let rows = ["USB0", "USB1"].map(|name| row(&machine, name)[0].clone());
    assert_eq!(rows, ["USB0", "USB1 (node disputed)"]);
}

#[test]
fn a_switch_above_one_card_is_shown() {
    let mut machine = eight_gpus();
    let path = machine.device("NIC2")["path"].as_array_mut().unwrap();
    path.extend(["0000:14:00.0", "0000:15:00.0"].map(Value::from));
    let below = "pci0000:10, switch 0000:11:00.0, switch 0000:14:00.0";
    assert_eq!(row(&machine, "NIC2")[2], below);
    let path = machine.device("DISK24")["path"].as_array_mut().unwrap();
    path.extend(["0000:f1:00.0", "0000:f2:00.0"].map(Value::from));
    assert_eq!(row(&machine, "DISK24")[2], "pci0000:f0, switch 0000:f1:00.0");
}

#[test]
fn the_table_lists_each_device_with_its_buses() {
    let drawn = drawn(&eight_gpus().survey());
    let table = Picture::table(drawn.pictures[0].picture());
    let row = |name: &str| {
        let mut rows = table.rows.iter();
        rows.find(|row| row[7].starts_with(name)).unwrap_or_else(|| panic!("{table:?}")).clone()
    };
    assert_eq!(row("GPU5")[8..], ["x8 of 16, 32 GT/s (narrow)", "pci0000:60, switch 0000:61:00.0"]);
    assert_eq!(row("DISK0-2")[7..9], ["DISK0-2 nvme0-nvme2", "x4 16 GT/s"]);
    assert_eq!(row("DISK24")[0], "node unknown");
}
