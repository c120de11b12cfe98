//! Machines with devices, as surveys have them.

use nearfar_survey::Survey;
use serde_json::{Value, json};

/// A machine that was not measured.
#[derive(Default)]
pub(crate) struct MadeMachine {
    nodes: Vec<Value>,
    packages: Vec<Value>,
    groups: Vec<Value>,
    cores: Vec<Value>,
    caches: Vec<Value>,
    devices: Vec<Value>,
}

/// A device to be added.
struct Added<'a> {
    kind: &'a str,
    names: &'a [String],
    path: &'a [String],
    address: &'a str,
    /// Lanes now and at most, and their speed.
    link: Option<(u32, u32, f64)>,
    node: Option<u32>,
}

/// A finding on a device's own link.
fn narrow_link(label: &str, link: &Value) -> Value {
    json!({
        "code": "link-narrow", "device": label, "now": link["now"],
        "device_max": link["device_max"], "port_max": link["port_max"]
    })
}

impl MadeMachine {
    /// Packages of nodes of groups of cores with two threads each; the second threads are numbered
    /// after all first ones.
    fn with_cores(packages: usize, nodes: usize, groups: usize, cores: usize) -> Self {
        let mut machine = Self::default();
        let all = packages * nodes * groups * cores;
        let both = |first: usize, count: usize| {
            let last = first + count - 1;
            format!("{first}-{last},{}-{}", all + first, all + last)
        };
        for package in 0..packages {
            let each = nodes * groups * cores;
            machine.packages.push(json!({"id": package, "cpus": both(package * each, each)}));
        }
        for node in 0..packages * nodes {
            let each = groups * cores;
            machine.nodes.push(json!({
                "id": node, "cpus": both(node * each, each), "memory_bytes": 512u64 << 30
            }));
        }
        for group in 0..packages * nodes * groups {
            machine.groups.push(json!({
                "cpus": both(group * cores, cores), "level": 3, "kind": "unified",
                "bytes": 32 << 20
            }));
        }
        machine.cores =
            (0..all).map(|core| json!({"cpus": format!("{core},{}", all + core)})).collect();
        let cache = |level: u32, kind: &str, kib: u32| {
            json!({
                "level": level, "kind": kind, "bytes": kib << 10, "shared_by": 2,
                "cpus": format!("0-{}", 2 * all - 1)
            })
        };
        machine.caches = vec![
            cache(1, "data", 48),
            cache(1, "instruction", 32),
            cache(2, "unified", 2048),
            json!({
                "level": 3, "kind": "unified", "bytes": 32 << 20, "shared_by": 2 * cores,
                "cpus": format!("0-{}", 2 * all - 1)
            }),
        ];
        machine
    }

    /// The device with this label, to be changed.
    pub(crate) fn device(&mut self, label: &str) -> &mut Value {
        self.devices.iter_mut().find(|device| device["label"] == label).unwrap()
    }

    fn add(&mut self, added: &Added<'_>) {
        let Added { kind, names, path, address, link, node } = *added;
        let label = match kind {
            "gpu" => "GPU",
            "network" => "NIC",
            "disk" => "DISK",
            "usb" => "USB",
            _ => "VGA",
        };
        let number = self.devices.iter().filter(|device| device["kind"] == kind).count();
        let lanes = |lanes: u32, gt_s: f64| json!({"lanes": lanes, "gt_s": gt_s});
        let link = link.map(|(now, most, gt_s)| {
            json!({
                "now": lanes(now, gt_s), "device_max": lanes(most, gt_s),
                "port_max": lanes(16, gt_s)
            })
        });
        self.devices.push(json!({
            "label": format!("{label}{number}"), "kind": kind, "names": names, "address": address,
            "class": null, "class_name": null, "id": "10de:2330", "vendor": null, "model": null,
            "driver": null, "cpus": null, "path": path, "link": link, "virtual_functions": 0,
            "physical_function": null,
            "node": {
                "node": node, "verdict": if node.is_some() { "kernel-only" } else { "unknown" },
                "claims": []
            },
            "interrupts": {
                "count": 0, "kind": null, "cpus": null, "only_allowed": false,
                "not_readable": false, "nodes": ""
            }
        }));
    }

    /// A root bus with a network card of two ports, two USB controllers and a BMC's screen.
    fn add_usual(&mut self, node: Option<u32>) {
        let path = ["pci0000:00".to_owned(), "0000:00:1c.0".to_owned()];
        for port in 0..2 {
            let (names, address) = ([format!("eth{port}")], format!("0000:01:00.{port}"));
            let link = Some((8, 8, 8.0));
            let kind = "network";
            self.add(&Added { kind, names: &names, path: &path, address: &address, link, node });
        }
        for (kind, address) in [("usb", "14.0"), ("usb", "14.2"), ("display", "1f.0")] {
            let address = format!("0000:00:{address}");
            let path = &path[..1];
            self.add(&Added { kind, names: &[], path, address: &address, link: None, node });
        }
    }

    pub(crate) fn survey(&self) -> Survey {
        let mut survey: Survey =
            serde_json::from_str(include_str!("../golden/several.json")).unwrap();
        let Self { nodes, packages, groups, cores, caches, devices } = self;
        survey = Survey { machine: survey.machine, schema: survey.schema, ..Survey::default() };
        let narrow = devices.iter().filter(|device| {
            let link = &device["link"];
            let lanes = |of: &str| link[of]["lanes"].as_u64();
            lanes("port_max").is_some() && lanes("now") < lanes("device_max")
        });
        let findings: Vec<Value> = narrow
            .map(|device| narrow_link(device["label"].as_str().unwrap(), &device["link"]))
            .collect();
        survey.claims.nodes = serde_json::from_value(json!(nodes)).unwrap();
        survey.claims.parts = serde_json::from_value(json!({
            "packages": packages, "dies": [], "cache_groups": groups, "cores": cores,
            "caches": caches
        }))
        .unwrap();
        survey.devices = serde_json::from_value(json!({
            "schema": "nearfar.devices/1", "machine": null, "kernel": null, "nodes": "",
            "nodes_with_cpus": "", "functions": devices.len(), "devices": devices, "matrix": null,
            "findings": findings, "names_from": null, "oddities": []
        }))
        .unwrap();
        survey
    }
}

/// Two packages; below each of eight switches a GPU, a network card and three disks. A GPU's link
/// is narrow, a disk's node is unknown.
pub(crate) fn eight_gpus() -> MadeMachine {
    let mut machine = MadeMachine::with_cores(2, 1, 1, 56);
    machine.add_usual(Some(0));
    for switch in 0..8 {
        let bus = 0x10 + 0x10 * switch;
        let node = Some(switch / 4);
        let above = [
            format!("pci0000:{bus:02x}"),
            format!("0000:{bus:02x}:01.0"),
            format!("0000:{:02x}:00.0", bus + 1),
        ];
        for slot in 0..5_u32 {
            let port = format!("0000:{:02x}:{slot:02x}.0", bus + 2);
            let path: Vec<String> = above.iter().cloned().chain([port]).collect();
            let address = format!("0000:{:02x}:00.0", bus + 3 + slot);
            let disk = 3 * switch + slot.saturating_sub(2);
            let (kind, names, link) = match slot {
                0 => {
                    let lanes = if switch == 5 { 8 } else { 16 };
                    ("gpu", vec![format!("card{}", switch + 1)], (lanes, 16, 32.0))
                }
                1 => (
                    "network",
                    vec![format!("ibp{bus}s0"), format!("mlx5_{switch}")],
                    (16, 16, 32.0),
                ),
                _ => ("disk", vec![format!("nvme{disk}")], (4, 4, 16.0)),
            };
            let link = Some(link);
            machine.add(&Added { kind, names: &names, path: &path, address: &address, link, node });
        }
    }
    let path = ["pci0000:f0".to_owned(), "0000:f0:01.0".to_owned()];
    let names = ["nvme24".to_owned()];
    let (kind, address, link) = ("disk", "0000:f1:00.0", Some((4, 4, 8.0)));
    machine.add(&Added { kind, names: &names, path: &path, address, link, node: None });
    machine
}

/// One package of 16 cores, one node, a GPU.
pub(crate) fn workstation() -> MadeMachine {
    let mut machine = MadeMachine::with_cores(1, 1, 2, 8);
    machine.add_usual(Some(0));
    for (bus, kind, name, link) in [
        (2, "gpu", "card1", (16, 16, 2.5)),
        (3, "disk", "nvme0", (4, 4, 16.0)),
        (4, "disk", "nvme1", (4, 4, 16.0)),
    ] {
        let (names, address) = ([name.to_owned()], format!("0000:{bus:02x}:00.0"));
        let path = ["pci0000:00".to_owned(), format!("0000:00:{bus:02x}.0")];
        let (node, link) = (Some(0), Some(link));
        machine.add(&Added { kind, names: &names, path: &path, address: &address, link, node });
    }
    machine
}

/// Two packages of four nodes each, with twelve disks and a network card at each second node.
pub(crate) fn eight_nodes() -> MadeMachine {
    let mut machine = MadeMachine::with_cores(2, 4, 2, 12);
    for node in 0..8 {
        let bus = 0x20 * node;
        let disks = if node % 2 == 0 { 12 } else { 0 };
        for port in 0..=disks {
            let path = [format!("pci0000:{bus:02x}"), format!("0000:{bus:02x}:{:02x}.0", port + 1)];
            let address = format!("0000:{:02x}:00.0", bus + port + 1);
            let (kind, name, link) = match port {
                0 => ("network", format!("eth{node}"), (16, 16, 16.0)),
                _ => ("disk", format!("nvme{}", 6 * node + port - 1), (4, 4, 16.0)),
            };
            let (names, node, link) = ([name], Some(node), Some(link));
            machine.add(&Added { kind, names: &names, path: &path, address: &address, link, node });
        }
    }
    machine
}

/// 1,024 CPUs in four packages.
pub(crate) fn thousand_cpus() -> MadeMachine {
    let mut machine = MadeMachine::with_cores(4, 4, 2, 16);
    machine.add_usual(Some(3));
    machine
}
