//! Interrupts of a survey: in the plan of the machine, on the page, and on the screen.

use std::path::Path;

use nearfar_devices::irq::{IrqDevice, IrqDocument, IrqFolded, NodeCount, NodeTotal};
use nearfar_model::{NodeId, NodeSet};
use nearfar_report::page::{self, Origin};
use nearfar_report::pictures::{PictureKind, SurveyPictures};
use nearfar_report::survey::{Verbosity, text};
use nearfar_survey::Survey;
use nearfar_view::draw::{Screen, Theme, standalone};
use snapbox::data::DataFormat;
use snapbox::{Data, assert_data_eq};

use crate::irq_by_hand::document;
use crate::machines::{MadeMachine, eight_gpus, eight_nodes, thousand_cpus, workstation};
use crate::texts;

const SECONDS: f64 = 20.0;

/// A device's label, its node, and how often each node served it in a second.
type Rates<'a> = (&'a str, Option<u32>, &'a [u64]);

fn served(count: u64) -> u64 {
    count * SECONDS as u64
}

fn device(survey: &Survey, (label, node, rates): Rates<'_>) -> IrqDevice {
    let listed = &survey.devices.as_ref().unwrap().devices;
    let known = listed.iter().find(|device| device.label == label).unwrap();
    let counts = (0..).zip(rates).filter(|(_, rate)| **rate > 0);
    let counts = counts.map(|(id, rate)| NodeCount { node: NodeId(id), count: served(*rate) });
    let by_node: Vec<NodeCount> = counts.collect();
    let far = by_node
        .iter()
        .filter(|one| node.is_some_and(|node| one.node.0 != node))
        .map(|one| one.count)
        .sum();
    IrqDevice {
        label: label.to_owned(),
        names: known.names.clone(),
        address: known.address.clone(),
        node: node.map(NodeId),
        count: by_node.iter().map(|one| one.count).sum(),
        far: node.map(|_| far),
        by_node,
        interrupts: Vec::new(),
        ..document().devices[0].clone()
    }
}

/// The survey of a machine, with the interrupts of some devices.
fn surveyed(machine: &MadeMachine, nodes: u32, rates: &[Rates<'_>]) -> Survey {
    let mut survey = machine.survey();
    let devices: Vec<IrqDevice> = rates.iter().map(|rate| device(&survey, *rate)).collect();
    let total = |id: u32| {
        let node = NodeId(id);
        let of = |wanted: &dyn Fn(&IrqDevice) -> bool| {
            let all = devices
                .iter()
                .filter(|device| device.by_node.iter().any(|one| one.node == node))
                .filter(|device| wanted(device));
            let counts = all.flat_map(|device| &device.by_node).filter(|one| one.node == node);
            counts.map(|count| count.count).sum::<u64>()
        };
        let count = of(&|_| true);
        let far = of(&|device| device.node.is_some_and(|other| other != node));
        let unknown = of(&|device| device.node.is_none());
        NodeTotal { node, count, per_second: Some(count as f64 / SECONDS), far, unknown }
    };
    let known: Vec<&IrqDevice> = devices.iter().filter(|device| device.far.is_some()).collect();
    let far: u64 = known.iter().filter_map(|one| one.far).sum();
    let count: u64 = known.iter().map(|one| one.count).sum();
    let interrupts = IrqDocument {
        nodes: (0..nodes).map(NodeId).collect::<NodeSet>(),
        seconds: Some(SECONDS),
        totals: (0..nodes).map(total).collect(),
        far_share: Some(far as f64 / count as f64),
        devices,
        others: Vec::new(),
        findings: document().findings.drain(..2).collect(),
        folded: Some(IrqFolded { devices: 12, interrupts: 340, findings: 0 }),
        ..document()
    };
    survey.interrupts = Some(interrupts);
    survey
}

/// Network cards served by the other node, disks near, one GPU between both.
fn gpu_server() -> Survey {
    let rates: [Rates<'_>; 8] = [
        ("NIC0", Some(0), &[120, 0]),
        ("NIC2", Some(0), &[400, 84_000]),
        ("NIC3", Some(0), &[61_000, 24_000]),
        ("NIC6", Some(1), &[0, 9_500]),
        ("GPU0", Some(0), &[35, 35]),
        ("GPU5", Some(1), &[0, 240]),
        ("DISK0", Some(0), &[1_000, 200]),
        ("DISK24", None, &[900, 0]),
    ];
    surveyed(&eight_gpus(), 2, &rates)
}

fn one_node() -> Survey {
    surveyed(&workstation(), 1, &[("NIC0", Some(0), &[2_400]), ("DISK0", Some(0), &[17])])
}

fn drawn(survey: &Survey) -> SurveyPictures {
    PictureKind::Machine.draw(survey, None)
}

fn golden(name: &str) -> Data {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    Data::read_from(&folder.join(name), Some(DataFormat::Text)).raw()
}

/// The drawing without overlapping texts.
fn svg(survey: &Survey) -> String {
    let drawn = drawn(survey);
    let svg = standalone(drawn.pictures[0].picture(), Theme::Light);
    let document = roxmltree::Document::parse(&svg).unwrap();
    let root = document.root_element();
    let room = root.attribute("viewBox").unwrap().split(' ').map(|side| side.parse().unwrap());
    texts::check(root, &room.collect::<Vec<f64>>());
    svg
}

#[test]
fn plans_show_interrupts_of_devices_and_nodes() {
    assert_data_eq!(svg(&gpu_server()), golden("pictures/machine-eight-gpus-interrupts.svg"));
    assert_data_eq!(svg(&one_node()), golden("pictures/machine-workstation-interrupts.svg"));
}

#[test]
fn far_ones_differ_by_text_and_colour() {
    let svg = svg(&gpu_server());
    let class = |text: &str| {
        let end = svg.find(&format!(">{text}<")).unwrap_or_else(|| panic!("no {text}"));
        let start = svg[..end].rfind("class=\"").unwrap() + 7;
        svg[start..].split('"').next().unwrap().to_owned()
    };
    let texts = ["84k/s far", "85k/s, 28 % far", "9.5k/s near", "70/s, 50 % far", "900/s"];
    assert_eq!(texts.map(class), ["mt", "q", "q", "q", "q"]);
    assert_eq!(class("interrupts 63k/s"), "q");
    assert_eq!(class("interrupts 118k/s, 92 % far"), "mt");
}

#[test]
fn the_table_and_the_tree_have_them_too() {
    let drawn = drawn(&gpu_server());
    let picture = drawn.pictures[0].picture();
    let table = picture.table();
    assert_eq!(table.columns.last().map(String::as_str), Some("interrupts"));
    let row = table.rows.iter().find(|row| row[7].starts_with("NIC2")).unwrap();
    assert_eq!(row[10], "84k/s far");
    let tree = picture.in_terminal(&Screen::PLAIN).unwrap();
    assert!(tree.contains("NIC2 ibp16s0, mlx5_0, 14:00.0  x16 32 GT/s  84k/s far"), "{tree}");
}

#[test]
fn counts_since_boot_have_no_rate() {
    let mut survey = gpu_server();
    survey.interrupts.as_mut().unwrap().seconds = None;
    let drawn = drawn(&survey);
    let picture = drawn.pictures[0].picture();
    assert!(picture.heading().description().ends_with(
        "Beside a device: its interrupts since boot, and whether CPUs near it served them."
    ));
    let row = picture.table().rows.into_iter().find(|row| row[7].starts_with("NIC2")).unwrap();
    assert_eq!(row[10], "1.7M irqs far");
}

#[test]
fn surveys_without_them_show_nothing() {
    for machine in [eight_gpus(), workstation(), eight_nodes(), thousand_cpus()] {
        let without = machine.survey();
        let mut idle = machine.survey();
        idle.interrupts = Some(document());
        let interrupts = idle.interrupts.as_mut().unwrap();
        interrupts.devices.clear();
        interrupts.totals.clear();
        assert_eq!(svg(&without), svg(&idle));
        for survey in [without, idle] {
            let drawn = drawn(&survey);
            assert_eq!(drawn.pictures[0].picture().table().columns.len(), 10);
            assert!(!page(&survey).contains("id=\"interrupts\""));
            assert!(!text(&survey, Verbosity::Brief).text().contains("interrupts a second"));
        }
    }
}

fn page(survey: &Survey) -> String {
    page::survey(survey, &Origin { file: "x.json".to_owned(), made_from: None }, false)
}

/// A section of a page.
fn section(page: &str, id: &str) -> String {
    let start = page.find(&format!("<section id=\"{id}\"")).unwrap();
    let end = start + page[start..].find("</section>").unwrap();
    page[start..end].replace("><", ">\n<")
}

#[test]
fn pages_have_a_table_by_device_and_node() {
    assert_data_eq!(section(&page(&gpu_server()), "interrupts"), golden("interrupts.html"));
    let one_node = section(&page(&one_node()), "interrupts");
    assert!(!one_node.contains("far</th>") && one_node.contains("2400"), "{one_node}");
}

#[test]
fn many_nodes_share_a_column() {
    let rates = [0, 5, 0, 0, 0, 0, 900, 80, 0, 0, 0, 0, 0, 0, 0, 15];
    let survey = surveyed(&thousand_cpus(), 16, &[("NIC0", Some(3), &rates)]);
    let section = section(&page(&survey), "interrupts");
    assert!(section.contains("<td>node 6 90 %, node 7 8 %, node 15 1.5 %</td>"), "{section}");
    assert!(section.contains("<td>100 % !</td>"), "{section}");
}

#[test]
fn screens_have_a_line() {
    let line = "While measuring (20.0 s), devices had 181430 interrupts a second. CPUs far from";
    assert!(text(&gpu_server(), Verbosity::Brief).text().contains(line));
    assert!(!text(&one_node(), Verbosity::Brief).text().contains("interrupts a second"));
}
