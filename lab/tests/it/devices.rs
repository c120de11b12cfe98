//! Machines with devices: Linux shows each where the description puts it.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::lab::{is_ready, lab};

const MACHINE: &str = "devices-2s";

/// A line for each PCI function, then what drivers show of disks and network cards, the bytes of
/// the SRAT, and the nodes' CPUs.
const SCRIPT: &str = r#"cd /sys/bus/pci/devices
    for device in *; do
        echo "$device $(cat $device/class) $(cat $device/numa_node) $(realpath $device)"
    done
    for disk in /sys/class/nvme/nvme*; do
        [ ! -e $disk ] || echo "label $(cat $disk/address) $(cat $disk/serial)"
    done
    for card in /sys/class/net/eth*; do
        [ ! -e $card ] || echo "label $(realpath $card/device | grep -o '0000:..:..[.]0' | tail -n 1) \
            $(cat $card/address)"
    done
    echo "SRAT $(od -An -v -tx1 /sys/firmware/acpi/tables/SRAT | tr -d ' \n')"
    for node in /sys/devices/system/node/node*; do
        echo "${node##*/} $(cat $node/cpulist)"
    done"#;

/// The output of a guest.
#[derive(Default)]
struct Shown {
    /// Class, node and path below /sys/devices, by address.
    functions: BTreeMap<String, (String, String, String)>,
    /// Serial numbers and Ethernet addresses by PCI address, where the kit has drivers.
    labels: BTreeMap<String, String>,
    srat: String,
    nodes: Vec<String>,
}

impl Shown {
    fn parse(text: &str) -> Self {
        let mut shown = Self::default();
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                [address, class, node, path] => {
                    let path = path.strip_prefix("/sys/devices/").unwrap();
                    let function = (class.to_owned(), node.to_owned(), path.to_owned());
                    shown.functions.insert(address.to_owned(), function);
                }
                ["label", address, label] => {
                    shown.labels.insert(address.to_owned(), label.to_owned());
                }
                ["SRAT", bytes] => bytes.clone_into(&mut shown.srat),
                _ => shown.nodes.push(line.trim().to_owned()),
            }
        }
        shown
    }
}

#[test]
fn guest_shows_devices_as_described() {
    if !is_ready("x86_64") {
        return;
    }
    let truth: Value = serde_json::from_slice(&lab(&["show", MACHINE, "--json"]).stdout).unwrap();
    let output = lab(&["run", MACHINE, "--no-plugin", "--no-wait", "--", "sh", "-c", SCRIPT]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let shown = Shown::parse(&String::from_utf8_lossy(&output.stdout));

    let devices = truth["devices"].as_array().unwrap();
    assert!(devices.len() >= 8);
    for device in devices {
        assert_device(&shown, device);
    }
    assert!(!shown.labels.is_empty(), "every kit has a driver for e1000e");
    for pair in truth["pairs"].as_array().unwrap() {
        let [a, b] = ["a", "b"].map(|end| {
            let named = devices.iter().find(|device| device["name"] == pair[end]).unwrap();
            &shown.functions[named["address"].as_str().unwrap()]
        });
        assert_eq!(level(a, b), pair["level"], "{pair}");
    }
    // The lab's SRAT replaced QEMU's, and CPUs are where they were.
    assert_eq!(shown.nodes, ["node0 0-1", "node1 2-3", "node2"]);
}

fn assert_device(shown: &Shown, device: &Value) {
    let name = &device["name"];
    let address = device["address"].as_str().unwrap();
    let (class, node, path) = &shown.functions[address];
    let described = device["node"].as_u64().map_or("-1".to_owned(), |node| node.to_string());
    assert_eq!((class, path), (&text(&device["class"]), &text(&device["path"])), "{name}");
    assert_eq!(node, &described, "{name}");
    if let Some(label) = shown.labels.get(address) {
        assert!(
            [&device["serial"], &device["mac"]].contains(&&Value::from(label.as_str())),
            "{name}"
        );
    }
    let bus = &address[5..7];
    let entry = |node| format!("05200001{node:02x}0000000000{bus}00");
    let is_claimed = shown.srat.contains(&format!("0000{bus}00{}", "00".repeat(12)));
    match device["srat_node"].as_u64() {
        Some(node) => assert!(shown.srat.contains(&entry(node)), "{name}: {}", shown.srat),
        None => assert!(!is_claimed, "{name}: {}", shown.srat),
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// The level by the folders that two devices share in sysfs. A switch adds two folders: its
/// upstream port, and the downstream port of each device.
fn level(a: &(String, String, String), b: &(String, String, String)) -> &'static str {
    let shared = a.2.split('/').zip(b.2.split('/')).take_while(|(a, b)| a == b).count();
    let depth = |path: &str| path.split('/').count();
    match shared {
        0 if a.1 == b.1 && a.1 != "-1" => "NODE",
        0 => "SYS",
        1 => "PHB",
        // Each has one downstream port below the shared upstream port.
        _ if depth(&a.2) == shared + 2 && depth(&b.2) == shared + 2 => "PIX",
        _ => "PXB",
    }
}
