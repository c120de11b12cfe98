//! A machine whose cores have two threads each, with these switched on and off.

use nearfar_machine::{Source, Topology};
use nearfar_model::CpuSet;
use nearfar_sweep::placement::{NodeDistance, PlacementRefusal, SweepPlacement, usual};
use nearfar_sweep::{Configuration, RequestedAxes, SystemSetting, Unavailable, configurations};

/// Two nodes of two cores; CPUs 4 to 7 are the siblings of 0 to 3.
fn machine() -> Source {
    let (node, cpu) = ("/sys/devices/system/node", "/sys/devices/system/cpu");
    let mut files: Vec<(String, String)> = ["online", "has_memory", "has_cpu"]
        .map(|list| (format!("{node}/{list}"), "0-1".to_owned()))
        .into_iter()
        .chain(
            ["online", "possible", "present"]
                .map(|list| (format!("{cpu}/{list}"), "0-7".to_owned())),
        )
        .collect();
    for (id, cpus, distances) in [(0, "0-1,4-5", "10 21"), (1, "2-3,6-7", "21 10")] {
        files.push((format!("{node}/node{id}/cpulist"), cpus.to_owned()));
        files.push((format!("{node}/node{id}/distance"), distances.to_owned()));
        let memory = format!("Node {id} MemTotal: 1048576 kB\nNode {id} MemFree: 1000000 kB\n");
        files.push((format!("{node}/node{id}/meminfo"), memory));
    }
    for id in 0..8 {
        let (core, package) = (id % 4, id % 4 / 2);
        let folder = format!("{cpu}/cpu{id}/topology");
        files.push((format!("{folder}/core_id"), core.to_string()));
        files.push((format!("{folder}/physical_package_id"), package.to_string()));
        files.push((format!("{folder}/thread_siblings_list"), format!("{core},{}", core + 4)));
    }
    Source::from_files(files)
}

fn planned(placements: Vec<SweepPlacement>) -> (Vec<Configuration>, Vec<Unavailable>) {
    let source = machine();
    let topology = Topology::read(&source).unwrap();
    let named = RequestedAxes {
        placements,
        jobs: Vec::new(),
        variables: Vec::new(),
        switches: vec![(SystemSetting::Smt, vec!["on".to_owned(), "off".to_owned()])],
        command: vec!["true".to_owned()],
    };
    configurations(&named, &source, &topology).unwrap()
}

fn cpus(all: &[Configuration], id: &str) -> String {
    all.iter().find(|one| one.id == id).unwrap_or_else(|| panic!("no {id}")).cpus.to_string()
}

#[test]
fn default_placements_work_with_smt_on_and_off() {
    let topology = Topology::read(&machine()).unwrap();
    let far = |from, to| {
        Some(NodeDistance { value: if from == to { 10.0 } else { 21.0 }, interval: None })
    };
    let placements = usual(&topology, &far);
    let (all, unavailable) = planned(placements.clone());
    assert_eq!(unavailable, []);
    let seen: Vec<[String; 3]> = placements
        .iter()
        .map(|name| {
            [
                name.to_string(),
                cpus(&all, &format!("{name} smt=on")),
                cpus(&all, &format!("{name} smt=off")),
            ]
        })
        .collect();
    // What goes by jobs has half as many as there are CPUs.
    let expected = [
        ["unbound", "0-7", "0-3"],
        ["local:0", "0-1,4-5", "0-1"],
        ["remote:0/1", "0-1,4-5", "0-1"],
        ["interleave", "0-7", "0-3"],
        ["spread", "0-3", "0,2"],
        ["packed", "0-1,4-5", "0-1"],
        ["one-per-core", "0-3", "0-3"],
        ["one-per-cache", "0,2", "0,2"],
    ];
    assert_eq!(seen, expected);
}

#[test]
fn named_siblings_must_be_online() {
    let (all, unavailable) =
        planned(["-C 4", "-N 1 -m 0"].map(|text| text.parse().unwrap()).to_vec());
    let ids: Vec<&str> = all.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(ids, ["-C 4 smt=on", "-N 1 -m 0 smt=on", "-N 1 -m 0 smt=off"]);
    assert_eq!(cpus(&all, "-N 1 -m 0 smt=off"), "2-3");
    let [gone] = unavailable.as_slice() else { panic!("{unavailable:?}") };
    let set = |text: &str| CpuSet::parse_list(text).unwrap();
    let why = PlacementRefusal::UnusableCpus { cpus: set("4"), usable: set("0-3") };
    assert_eq!((gone.placement.as_str(), &gone.why), ("-C 4", &why));
}
