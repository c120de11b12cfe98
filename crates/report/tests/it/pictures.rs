//! Each kind of picture against a golden drawing. `SNAPSHOTS=overwrite cargo test` writes them
//! anew; look at the difference.

use std::path::Path;

use nearfar_model::Instrument;
use nearfar_report::page::{self, Origin};
use nearfar_report::pictures::PictureKind;
use nearfar_survey::Survey;
use nearfar_view::draw::{Picture, Theme, standalone};
use serde_json::{Value, json};
use snapbox::data::DataFormat;
use snapbox::{Data, assert_data_eq};

use crate::{disks, hidden_part, large, measured};

/// Everything that there are pictures of.
fn survey() -> Survey {
    let mut survey: Survey = serde_json::from_str(include_str!("../golden/several.json")).unwrap();
    let claimed = measured::epyc_9224().survey();
    (survey.latency, survey.links, survey.claims) =
        (claimed.latency, claimed.links, claimed.claims);
    survey.claims_vs_measured = claimed.claims_vs_measured;
    let parts = large::parts(&["0-23", "24-47"], &["0-11", "12-23", "24-35", "36-47"]);
    survey.claims.parts = Some(serde_json::from_value(parts).unwrap());
    survey.claims.devices = serde_json::from_value(json!([
        {"kind": "network", "name": "eth0", "node": 1},
        {"kind": "disk", "name": "nvme0", "node": 0},
        {"kind": "disk", "name": "nvme1", "node": 0},
        {"kind": "graphics", "name": "card0", "node": null}
    ]))
    .unwrap();
    survey.interleave = Some(serde_json::from_value(interleave()).unwrap());
    survey.io = Some(serde_json::from_value(disks::known()).unwrap());
    survey.gpu = crate::gpus::known().gpu;
    survey.hidden = Some(serde_json::from_value(hidden_part::found()).unwrap());
    survey.disturbances = serde_json::from_value(json!([
        {"instrument": "latency", "reason": "descheduled", "round": 2, "process": 0, "samples": 4},
        {"instrument": "latency", "reason": "stalled", "round": 9, "process": 1, "samples": 1}
    ]))
    .unwrap();
    survey.courses = serde_json::from_value(
        json!([{"instrument": "latency", "rounds": 15, "process_starts": [0, 5, 10]}]),
    )
    .unwrap();
    survey
}

/// Two nodes, read by weights.
fn interleave() -> Value {
    let cell = |weights: &str, bytes_per_s: f64| {
        json!({
            "row": 0, "column": 0, "cpus": "0-23", "node": null, "weights": weights,
            "kernel": "read", "q25": null, "median": bytes_per_s, "se": 0.004,
            "ci95": [0.99 * bytes_per_s, 1.01 * bytes_per_s], "samples": 15, "dropped": {},
            "why": null
        })
    };
    let cells = [cell("0=1", 90e9), cell("0=1,1=1", 120e9), cell("0=3,1=1", 151e9)];
    let treatments: Vec<Value> = cells
        .iter()
        .map(|cell| json!({"weights": cell["weights"], "kernel": cell["kernel"]}))
        .collect();
    json!({
        "nodes": [0, 1], "kernel_weights": "0=1,1=1", "isa": "avx2", "footprint_bytes": 1 << 30,
        "chase_bytes": null, "latency": null, "why": null,
        "best": [{
            "row": 0, "kernel": "read", "weights": "0=3,1=1", "bytes_per_s": 151e9, "as_good": [],
            "equal_bytes_per_s": 120e9, "kernel_weights_bytes_per_s": null,
            "one_node_bytes_per_s": 90e9, "set_by": null, "run_by": "nearfar run PROGRAM"
        }],
        "bandwidth": {
            "probe": "interleave", "unit": "bytes/s", "cells": cells,
            "rows": [{
                "label": "all CPUs", "cpus": "0-23", "node": null, "ghz": null, "wander": null
            }],
            "columns": [{"label": "spread", "node": null, "pages": 0, "backing": "4k"}],
            "treatments": treatments, "samples": null
        }
    })
}

#[test]
fn each_kind_is_drawn_as_kept() {
    let survey = survey();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/pictures");
    for kind in PictureKind::all() {
        let shown = kind.draw(&survey, None);
        let first =
            shown.pictures.first().unwrap_or_else(|| panic!("nothing is drawn of {}", kind.name()));
        let golden =
            Data::read_from(&folder.join(format!("{}.svg", kind.name())), Some(DataFormat::Text));
        assert_data_eq!(standalone(first.picture(), Theme::Light), golden.raw());
    }
    assert_eq!(PictureKind::from_survey(&survey), PictureKind::all());
}

/// A table for who cannot see the picture: full rows, with figures where it has any.
pub(crate) fn assert_table(name: &str, picture: &dyn Picture) {
    let table = picture.table();
    let is_full = |row: &Vec<String>| row.len() == table.columns.len();
    assert!(!table.rows.is_empty() && table.rows.iter().all(is_full), "{name}: {table:?}");
    let has_figure = |cell: &String| cell.contains(|c: char| c.is_ascii_digit());
    let mut figures = table.rows.iter().flat_map(|row| &row[1..]);
    assert!(figures.any(has_figure), "{name}: {table:?}");
}

#[test]
fn every_picture_has_its_figures_as_a_table() {
    let survey = survey();
    for kind in PictureKind::all() {
        let drawn = kind.draw(&survey, None);
        assert!(!drawn.pictures.is_empty(), "{}", kind.name());
        for picture in &drawn.pictures {
            assert_table(kind.name(), picture.picture());
        }
    }
    let page = page::survey(&survey, &Origin::default(), false);
    let figures: Vec<&str> = page.split("<figure ").skip(1).collect();
    let drawn: Vec<&&str> = figures.iter().filter(|figure| figure.contains("<svg")).collect();
    assert!(drawn.len() > 10, "{}", drawn.len());
    for figure in figures {
        let figure = figure.split("</figure>").next().unwrap();
        let has_figures = figure.contains("<tbody>") || figure.contains("class=\"figures\"");
        assert!(has_figures, "{figure}");
    }
}

#[test]
fn sections_of_one_picture_have_one_heading() {
    let page = page::survey(&survey(), &Origin::default(), false);
    let section = |id: &str| {
        let (_, from) = page.split_once(&format!("<section id=\"{id}\">")).unwrap();
        let section = from.split("</section>").next().unwrap();
        [section.matches("<figure").count(), section.matches("<h3>").count()]
    };
    assert_eq!(section("latency"), [1, 0]);
    let several: Vec<[usize; 2]> = ["bandwidth", "caches", "loaded", "core-to-core", "gpu", "io"]
        .into_iter()
        .filter(|id| page.contains(&format!("<section id=\"{id}\">")))
        .map(section)
        .filter(|[figures, _]| *figures > 1)
        .collect();
    assert!(!several.is_empty());
    assert!(several.iter().all(|[figures, headings]| figures == headings), "{several:?}");
}

#[test]
fn devices_are_at_their_nodes_or_elsewhere() {
    let mut survey = survey();
    let shown = PictureKind::Machine.draw(&survey, None);
    assert!(shown.notes.is_empty());
    let svg = standalone(shown.pictures[0].picture(), Theme::Light);
    assert!(svg.contains(">node unknown</text>") && svg.contains(">card0</text>"));
    survey.claims.nodes.truncate(1);
    let shown = PictureKind::Machine.draw(&survey, None);
    let svg = standalone(shown.pictures[0].picture(), Theme::Light);
    assert!(svg.contains("nvme0, nvme1, card0"), "of a machine with one node all are there");
    assert_eq!(
        shown.notes,
        ["These devices are at nodes that this survey does not have: eth0 (node 1)."]
    );
    survey.claims.nodes.clear();
    survey.claims.devices.retain(|device| device.node.is_none());
    let shown = PictureKind::Machine.draw(&survey, None);
    assert!(
        standalone(shown.pictures[0].picture(), Theme::Light).contains("card0")
            && shown.notes.is_empty()
    );
}

#[test]
fn devices_of_a_divided_node_have_no_package() {
    let mut survey = survey();
    survey.claims.nodes.truncate(1);
    survey.claims.nodes[0].cpus = "0-47".parse().unwrap();
    let shown = PictureKind::Machine.draw(&survey, None);
    let table = shown.pictures[0].picture().table();
    let rows = |what: &str| {
        table.rows.iter().filter(|row| row.iter().any(|cell| cell.contains(what))).count()
    };
    assert!(rows("part of node 0") >= 2, "{table:?}");
    assert_eq!((rows("nvme0"), rows("nvme1")), (1, 1), "{table:?}");
    let disks = table.rows.iter().find(|row| row[7].contains("nvme0")).unwrap();
    assert_eq!(disks[..2], ["node 0, package unknown", ""]);
}

#[test]
fn nodes_that_share_cpus_are_named() {
    let mut survey = survey();
    survey.claims.nodes.truncate(2);
    survey.claims.nodes[0].cpus = "0-3".parse().unwrap();
    survey.claims.nodes[1].cpus = "2-5".parse().unwrap();
    let shown = PictureKind::Machine.draw(&survey, None);
    let svg = standalone(shown.pictures[0].picture(), Theme::Light);
    assert!(svg.contains("Nodes 0-1 share CPUs 2-3, as the kernel lists them."), "{svg}");
}

#[test]
fn a_claim_that_does_not_hold_is_framed() {
    let shown = PictureKind::Part(Instrument::Latency).draw(&survey(), None);
    let svg = standalone(shown.pictures[0].picture(), Theme::Light);
    let framed = svg.matches("; the claim does not hold (SLIT)").count();
    assert!(framed > 0 && svg.matches("class=\"m\"").count() >= framed, "{framed}");
}

fn latency_svg(survey: &Survey) -> String {
    let drawn = PictureKind::Part(Instrument::Latency).draw(survey, None);
    standalone(drawn.pictures[0].picture(), Theme::Light)
}

#[test]
fn replayed_figures_are_named_so_in_the_description() {
    let mut survey = survey();
    assert!(!latency_svg(&survey).contains("Replayed"));
    survey.provenance.started = "replayed, not measured".to_owned();
    assert!(latency_svg(&survey).contains("Replayed, not measured: median cost"));
}

#[test]
fn cells_with_two_levels_are_drawn_in_halves() {
    let mut survey = measured::xeon_2s().survey();
    let svg = latency_svg(&survey);
    assert!(!svg.contains("In two halves"));
    let mut document = serde_json::to_value(&survey).unwrap();
    let fields = document["samples"]["fields"].as_array().unwrap();
    let [row, column, ns] =
        ["row", "column", "ns"].map(|name| fields.iter().position(|field| field == name).unwrap());
    let samples = document["samples"]["data"].as_array_mut().unwrap();
    for (number, sample) in samples.iter_mut().enumerate() {
        if number % 8 >= 4 && (sample[row].as_u64(), sample[column].as_u64()) == (Some(0), Some(1))
        {
            sample[ns] = json!(2.0 * sample[ns].as_f64().unwrap());
        }
    }
    survey = serde_json::from_value(document).unwrap();
    assert!(latency_svg(&survey).contains("In two halves: samples have two typical values."));
}
