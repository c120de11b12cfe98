//! Plans of machines with devices: golden drawings, and texts that do not overlap.

use std::path::Path;

use nearfar_draw::{Picture, Screen, Theme, standalone};
use nearfar_report::pictures::{PictureKind, SurveyPictures};
use nearfar_survey::Survey;
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

#[test]
fn the_plan_in_characters() {
    let drawn = drawn(&eight_gpus().survey());
    let shown = drawn.pictures[0].picture().in_terminal(&Screen::PLAIN).unwrap();
    assert_data_eq!(shown, golden("machine-eight-gpus.txt"));
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
