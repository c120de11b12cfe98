//! Words of Kubernetes: labels, policy, attributes.

use nearfar_devices::{Device, DevicesDocument, NodeVerdict};
use nearfar_machine::CpuFamily;
use nearfar_model::NodeId;
use nearfar_process::launch::text::translation::text;
use nearfar_report::export::kubernetes::{is_usual, translation};

use crate::made_machine::MadeMachine;

fn cpu() -> CpuFamily {
    CpuFamily { vendor: "AuthenticAMD".to_owned(), family: 25, model: 1 }
}

/// A GPU and a network card on one root bus of node 0, a disk on node 1.
fn document(second_node: i32) -> DevicesDocument {
    let machine = MadeMachine::two_nodes();
    for (path, class, id, node) in [
        ("pci0000:10/0000:10:01.0", "60400", "8086:2030", 0),
        ("pci0000:10/0000:10:01.0/0000:11:00.0", "30200", "10DE:2330", 0),
        ("pci0000:10/0000:10:02.0/0000:12:00.0", "20700", "15B3:1021", 0),
        ("pci0000:80/0000:80:01.0/0000:81:00.0", "10802", "144D:A80A", second_node),
    ] {
        machine.function(path, class, id, node);
    }
    machine.document()
}

fn printed(document: &DevicesDocument, labels: &[&str]) -> String {
    let devices: Vec<&Device> =
        document.devices.iter().filter(|device| labels.contains(&device.label.as_str())).collect();
    text(&translation(document, &devices, Some(&cpu())))
}

#[test]
fn usual_devices_are_those_that_pods_ask_for() {
    let document = document(1);
    let usual: Vec<&str> = document
        .devices
        .iter()
        .filter(|device| is_usual(device))
        .map(|device| device.label.as_str())
        .collect();
    assert_eq!(usual, ["GPU0", "NIC0"]);
}

#[test]
fn labels_and_policy_follow_the_devices() {
    let printed = printed(&document(1), &["GPU0", "NIC0"]);
    let expected = r#"# the pod's spec: machines with these devices
affinity:
  nodeAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms:
      - matchExpressions:
        - key: feature.node.kubernetes.io/pci-0207_15b3.present  # NIC0
          operator: In
          values: ["true"]
        - key: feature.node.kubernetes.io/pci-0302_10de.present  # GPU0
          operator: In
          values: ["true"]
        - key: feature.node.kubernetes.io/memory-numa
          operator: In
          values: ["true"]
        - key: feature.node.kubernetes.io/cpu-model.vendor_id
          operator: In
          values: ["AMD"]
        - key: feature.node.kubernetes.io/cpu-model.family
          operator: In
          values: ["25"]
        - key: feature.node.kubernetes.io/cpu-model.id
          operator: In
          values: ["1"]

# the kubelet's configuration
cpuManagerPolicy: static
memoryManagerPolicy: Static
topologyManagerPolicy: single-numa-node
topologyManagerScope: pod

# the worker's configuration of Node Feature Discovery
sources:
  pci:
    deviceClassWhitelist: ["0207", "03", "0b40", "12"]

# standard attributes (resource.kubernetes.io/NAME) that drivers publish
#   GPU0: pciBusID=0000:11:00.0 pcieRoot=pci0000:10 numaNode=0
#   NIC0: pciBusID=0000:12:00.0 pcieRoot=pci0000:10 numaNode=0

# a claim's devices, for devices below one root
#   pci0000:10: GPU0, NIC0
constraints:
- matchAttribute: resource.kubernetes.io/pcieRoot
"#;
    assert_eq!(printed.split("\n# Labels name").next().unwrap(), expected);
}

#[test]
fn devices_on_two_nodes_restrict_a_pod() {
    let printed = printed(&document(1), &["GPU0", "DISK0"]);
    let policy = "topologyManagerPolicy: restricted  # not single-numa-node: the devices are on \
                  nodes 0-1\n";
    assert!(printed.contains(policy), "{printed}");
    assert!(printed.contains("deviceClassWhitelist: [\"0108\", "), "{printed}");
    assert!(!printed.contains("matchAttribute"), "{printed}");
}

#[test]
fn unknown_nodes_are_named() {
    let printed = printed(&document(-1), &["DISK0"]);
    assert!(printed.contains("# The kernel knows no node of DISK0: "), "{printed}");
    assert!(printed.contains("pcieRoot=pci0000:80\n"), "{printed}");
}

#[test]
fn unknown_nodes_are_not_one_node() {
    let unknown = document(-1);
    let mut firmware_only = unknown.clone();
    let disk = firmware_only.devices.iter_mut().find(|device| device.label == "DISK0").unwrap();
    (disk.node.node, disk.node.verdict) = (Some(NodeId(0)), NodeVerdict::FirmwareOnly);
    let policy = "topologyManagerPolicy: restricted  # not single-numa-node: the kernel knows no \
                  node of DISK0\n";
    for document in [unknown, firmware_only] {
        for labels in [&["DISK0"][..], &["GPU0", "DISK0"]] {
            let printed = printed(&document, labels);
            assert!(printed.contains(policy), "{labels:?} {printed}");
        }
    }
}

#[test]
fn default_classes_need_no_configuration() {
    let printed = printed(&document(1), &["GPU0"]);
    assert!(!printed.contains("deviceClassWhitelist"), "{printed}");
}
