//! Descriptions that are refused, and what the others come to.

mod charges;
mod disks;
mod refused;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use proptest::prelude::*;

use super::*;

/// A sound description with a value under every key.
const SOUND: &str = r#"
summary = "for tests"
source = "made up"
arch = "x86_64"
slowdown = 10
packages = 2
threads_per_core = 2
cache_lines = 2048
seed = 7
kernel_args = "numa_balancing=disable"
[[node]]
id = 0
cpus = "0-1"
memory = "256M"
[[node]]
id = 1
cpus = "2-3"
[[node]]
id = 2
memory = "128M"
[latency]
ns = [[80, 300], [150, 310]]
[bandwidth]
node_gb_s = [100, 20]
[[bandwidth.link]]
between = ["0", "1-2"]
gb_s = 50
[[bandwidth.link]]
from = "1"
to = "2"
gb_s = 32
[streams]
lines = 32
[modified]
ns = [[50, 110], [120, 50]]
homed_at_reader_extra_ns = 64
homed_elsewhere_extra_ns = 30
[noise]
drift = { share = 0.02, period_s = 5 }
bursts = { every_s = 2, lasts_s = 0.5, factor = 3 }
[[noise.move]]
at_s = 3
cpu = 1
to_node = 1
[firmware]
describes = "nodes"
slit = [[10, 20, 30], [20, 10, 30], [255, 30, 10]]
hmat = true
hmat_latency_ns = [[70, 70], [70, 70]]
hmat_bandwidth_gb_s = [[10, 10], [10, 10]]
[[host_bridge]]
id = "a"
node = 1
[[host_bridge]]
id = "b"
[[device]]
kind = "nvme"
at = "a"
[[device]]
kind = "virtio-net"
at = "b/s1"
srat_node = 1
expects = ["device-without-node"]
"#;

fn parse(text: &str) -> Result<LabMachine, LabMachineError> {
    LabMachine::parse("mine", "mine.toml", text)
}

/// The sound description with some of its text replaced.
fn changed(changes: &[(&str, &str)]) -> Result<LabMachine, LabMachineError> {
    let mut text = SOUND.to_owned();
    for (from, to) in changes {
        assert!(text.contains(from), "'{from}' is not in the description");
        text = text.replacen(from, to, 1);
    }
    parse(&text)
}

/// A machine of this file in a folder of its own, and what became of it.
fn from_file(text: &str, beside: &[&str]) -> Result<LabMachine, LabMachineError> {
    let folder = tempfile::tempdir().unwrap();
    for name in beside {
        fs::write(folder.path().join(name), "a table").unwrap();
    }
    let path = folder.path().join("mine.toml");
    fs::write(&path, text).unwrap();
    LabMachine::load(path.to_str().unwrap())
}

#[test]
fn every_file_of_the_lab_is_a_machine_that_can_be_had_by_its_name() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("machines");
    let stem = |entry: std::io::Result<fs::DirEntry>| {
        entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned()
    };
    let files: BTreeSet<String> = fs::read_dir(folder).unwrap().map(stem).collect();
    assert_eq!(files, LabMachine::builtin().into_iter().map(str::to_owned).collect());
    for name in LabMachine::builtin() {
        let machine = LabMachine::load(name).unwrap();
        assert_eq!(machine.name, name);
    }
}

#[test]
fn local_memory_of_the_labs_machines_costs_far_more_than_the_emulator_itself() {
    for name in LabMachine::builtin() {
        let charges = LabMachine::load(name)
            .unwrap()
            .charges(crate::emulator::QemuVersion { major: 10, minor: 0 });
        let least = charges.latency_ns.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        assert!((450.0..=2000.0).contains(&least), "{name}: {least} ns");
    }
}

#[test]
fn noisy_xeon_2s_is_xeon_2s_but_for_its_noise() {
    let [quiet, noisy] = ["xeon-2s", "noisy-xeon-2s"]
        .map(|name| LabMachine::load(name).unwrap().description.clone());
    assert_eq!(
        Description { noise: quiet.noise.clone(), summary: quiet.summary.clone(), ..noisy.clone() },
        quiet
    );
    assert!(noisy.noise.bursts.is_some() && noisy.noise.drift.is_some());
}

#[test]
fn the_first_row_of_the_epyc_has_the_published_ratios() {
    let row = &LabMachine::load("epyc-7451-2p").unwrap().latency_ns()[0];
    let published = [2.492153, 4.294302, 4.232083, 4.20949, 8.459225, 8.568392, 7.946654, 8.367991];
    for (ns, seconds) in row.iter().zip(published) {
        let (described, measured) = (ns / row[0], seconds / published[0]);
        assert!(
            (described / measured - 1.0).abs() < 0.01,
            "{described} where {measured} was measured"
        );
    }
}

#[test]
fn what_is_left_out_has_a_plain_meaning() {
    let machine = parse(
        "summary = 's'\narch = 'aarch64'\nnode = [{ id = 3, cpus = '0', memory = '256M' \
         }]\nlatency = { flat_ns = 9 }",
    )
    .unwrap();
    let description = &machine.description;
    assert_eq!(
        (description.slowdown, description.packages, description.threads_per_core),
        (1.0, 1, 1)
    );
    assert_eq!(
        (description.cache_lines, description.seed, description.kernel_args.as_str()),
        (4096, 1, "")
    );
    assert_eq!(description.firmware.describes, Describes::Nodes);
    assert_eq!(machine.latency_ns(), [[9.0]]);
    assert_eq!(machine.bandwidth_gb_s(), None);
}

#[test]
fn a_description_of_ones_own_is_called_by_its_file_and_finds_its_tables() {
    let text = format!("{SOUND}\n").replace("hmat = true", "tables = ['slit.bin']\nhmat = true");
    let machine = from_file(&text, &["slit.bin"]).unwrap();
    assert_eq!((machine.name.as_str(), &machine.text), ("mine", &text));
    assert!(machine.tables()[0].ends_with("slit.bin") && machine.tables()[0].is_absolute());
    let error = from_file(&text, &[]).unwrap_err().to_string();
    assert!(
        error.contains("mine.toml: firmware.tables: there is no file ")
            && error.contains("slit.bin"),
        "{error}"
    );
}

#[test]
fn bandwidth_is_that_of_the_slowest_part_on_the_way() {
    let machine = parse(SOUND).unwrap();
    let gb_s = machine.bandwidth_gb_s().unwrap();
    assert_eq!(gb_s, [[Some(100.0), Some(20.0)], [Some(50.0), Some(20.0)]]);
}

#[test]
fn memory_without_cpus_belongs_to_the_nearest_cpus() {
    let machine = parse(SOUND).unwrap();
    let nearest: Vec<u32> =
        machine.nodes().iter().map(|node| machine.nearest_cpus(node).unwrap().id.0).collect();
    assert_eq!(nearest, [0, 1, 0]);
}

#[test]
fn packages_hold_as_many_nodes_as_come_out_even() {
    let nodes = |name| LabMachine::load(name).unwrap().nodes_per_package();
    assert_eq!((nodes("epyc-7451-2p"), nodes("epyc-9224-nps2-cxl"), nodes("xeon-2s")), (4, 2, 1));
    let uneven =
        changed(&[("cpus = \"2-3\"", "cpus = \"2-5\""), ("packages = 2", "packages = 1")]).unwrap();
    assert_eq!(uneven.nodes_per_package(), 1);
}

proptest! {
    #[test]
    fn no_text_makes_it_panic_and_every_error_is_one_line(
        cut: prop::sample::Index,
        text in ".{0,20}",
    ) {
        let at = cut.index(SOUND.len());
        let damaged = format!("{}{text}{}", &SOUND[..at], &SOUND[at..]);
        if let Err(error) = parse(&damaged) {
            prop_assert_eq!(error.to_string().lines().count(), 1, "{}", error);
        }
    }
}
