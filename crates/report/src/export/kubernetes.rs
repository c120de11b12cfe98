//! Words of Kubernetes for a machine with its devices: affinity to labels of Node Feature
//! Discovery, settings of the kubelet, standard attributes of devices.
//!
//! Labels name kinds of devices, not nodes of memory: the kubelet's managers bring CPUs, memory and
//! devices together. Sources: docs/usage/features.md and docs/reference of Node Feature Discovery;
//! Kubernetes' pages on the topology manager and on standard device attributes.

use std::collections::{BTreeMap, BTreeSet};

use nearfar_devices::{Device, DevicesDocument};
use nearfar_machine::{CpuFamily, DeviceKind};
use nearfar_model::NodeSet;
use nearfar_process::launch::{ConfigSnippet, Translation};

/// Classes that Node Feature Discovery labels without configuration.
const LABELLED_CLASSES: [&str; 3] = ["03", "0b40", "12"];
/// The most nodes with which the topology manager runs without an option.
const MAX_NODES: usize = 8;
const LABEL: &str = "feature.node.kubernetes.io/";

/// Whether a device is exported without being named: the kinds that programs ask a cluster for.
pub fn is_usual(device: &Device) -> bool {
    let kinds = [DeviceKind::Gpu, DeviceKind::Accelerator, DeviceKind::Network];
    device.address.is_some() && kinds.contains(&device.kind)
}

/// The words for these devices of a machine.
pub fn translation(
    document: &DevicesDocument,
    devices: &[&Device],
    cpu: Option<&CpuFamily>,
) -> Translation {
    let snippet = |place, text| ConfigSnippet { place, text };
    let parts = vec![
        snippet("the pod's spec: machines with these devices", affinity(document, devices, cpu)),
        snippet("the kubelet's configuration", kubelet(document, devices)),
        snippet("the worker's configuration of Node Feature Discovery", worker(devices)),
        snippet(
            "standard attributes (resource.kubernetes.io/NAME) that drivers publish",
            attributes(devices),
        ),
        snippet("a claim's devices, for devices below one root", constraints(devices)),
    ];
    let caveats = caveats(document, devices);
    Translation { schema: Translation::SCHEMA, system: "kubernetes", parts, caveats }
}

/// The label of a device's class and vendor, as Node Feature Discovery makes it by default.
fn label(device: &Device) -> Option<String> {
    let class = device.class.as_deref()?.get(..4)?;
    let vendor = device.id.as_deref()?.split(':').next()?;
    Some(format!("{LABEL}pci-{class}_{vendor}.present"))
}

fn affinity(document: &DevicesDocument, devices: &[&Device], cpu: Option<&CpuFamily>) -> String {
    let mut labels: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for device in devices {
        if let Some(label) = label(device) {
            labels.entry(label).or_default().push(&device.label);
        }
    }
    let mut expressions: Vec<(String, String, String)> = labels
        .into_iter()
        .map(|(label, devices)| (label, "true".to_owned(), format!("  # {}", devices.join(", "))))
        .collect();
    if document.nodes.len() > 1 {
        let label = format!("{LABEL}memory-numa");
        expressions.push((label, "true".to_owned(), String::new()));
    }
    expressions.extend(cpu.and_then(cpu_labels).into_iter().flatten());
    if expressions.is_empty() {
        return String::new();
    }
    let mut text = "affinity:\n  \
                      nodeAffinity:\n    \
                        requiredDuringSchedulingIgnoredDuringExecution:\n      \
                          nodeSelectorTerms:\n      \
                          - matchExpressions:"
        .to_owned();
    for (key, value, remark) in expressions {
        text += &format!(
            "\n        - key: {key}{remark}\n          operator: In\n          \
             values: [\"{value}\"]"
        );
    }
    text
}

/// Labels of the CPU's model. Node Feature Discovery has its own names of vendors.
fn cpu_labels(cpu: &CpuFamily) -> Option<[(String, String, String); 3]> {
    let vendor = match cpu.vendor.as_str() {
        "GenuineIntel" => "Intel",
        "AuthenticAMD" => "AMD",
        _ => return None,
    };
    let entry =
        |name: &str, value: String| (format!("{LABEL}cpu-model.{name}"), value, String::new());
    Some([
        entry("vendor_id", vendor.to_owned()),
        entry("family", cpu.family.to_string()),
        entry("id", cpu.model.to_string()),
    ])
}

fn kubelet(document: &DevicesDocument, devices: &[&Device]) -> String {
    if document.nodes.len() < 2 {
        return String::new();
    }
    let policy = match spread(devices) {
        Some(why) => format!("restricted  # not single-numa-node: {why}"),
        None => "single-numa-node".to_owned(),
    };
    let mut text = format!(
        "cpuManagerPolicy: static\nmemoryManagerPolicy: Static\ntopologyManagerPolicy: \
         {policy}\ntopologyManagerScope: pod"
    );
    if document.nodes.len() > MAX_NODES {
        text += "\ntopologyManagerPolicyOptions:\n  max-allowable-numa-nodes: \"true\"";
    }
    text
}

/// Why the kubelet does not see the devices on one node: it reads the node from sysfs only.
fn spread(devices: &[&Device]) -> Option<String> {
    let unknown = without_node(devices);
    let nodes: NodeSet = devices.iter().filter_map(|device| device.node.sysfs_node()).collect();
    if !unknown.is_empty() {
        return Some(format!("the kernel knows no node of {}", unknown.join(", ")));
    }
    (nodes.len() > 1).then(|| format!("the devices are on nodes {nodes}"))
}

/// Devices without a node in sysfs.
fn without_node<'a>(devices: &[&'a Device]) -> Vec<&'a str> {
    let unknown = devices.iter().filter(|device| device.node.sysfs_node().is_none());
    unknown.map(|device| device.label.as_str()).collect()
}

/// Needed for devices whose classes have no label by default.
fn worker(devices: &[&Device]) -> String {
    let is_labelled =
        |class: &str| LABELLED_CLASSES.iter().any(|labelled| class.starts_with(labelled));
    let more: BTreeSet<&str> = devices
        .iter()
        .filter_map(|device| device.class.as_deref()?.get(..4))
        .filter(|class| !is_labelled(class))
        .collect();
    if more.is_empty() {
        return String::new();
    }
    let classes: Vec<String> =
        more.into_iter().chain(LABELLED_CLASSES).map(|class| format!("\"{class}\"")).collect();
    format!("sources:\n  pci:\n    deviceClassWhitelist: [{}]", classes.join(", "))
}

/// The values of standard attributes of dynamic resource allocation, as comments. Drivers read
/// the node from sysfs only.
fn attributes(devices: &[&Device]) -> String {
    let line = |device: &&Device| {
        let address = device.address.as_deref()?;
        let root = device.path.first()?;
        let node = device.node.sysfs_node().map(|node| format!(" numaNode={node}"));
        let node = node.unwrap_or_default();
        Some(format!("#   {}: pciBusID={address} pcieRoot={root}{node}", device.label))
    };
    devices.iter().filter_map(line).collect::<Vec<_>>().join("\n")
}

/// A constraint that some of the devices meet.
fn constraints(devices: &[&Device]) -> String {
    let mut by_root: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for device in devices {
        if let Some(root) = device.path.first() {
            by_root.entry(root).or_default().push(&device.label);
        }
    }
    let shared: Vec<String> = by_root
        .into_iter()
        .filter(|(_, devices)| devices.len() > 1)
        .map(|(root, devices)| format!("#   {root}: {}\n", devices.join(", ")))
        .collect();
    match shared.is_empty() {
        true => String::new(),
        false => format!(
            "{}constraints:\n- matchAttribute: resource.kubernetes.io/pcieRoot",
            shared.concat()
        ),
    }
}

fn caveats(document: &DevicesDocument, devices: &[&Device]) -> Vec<String> {
    let mut caveats = vec![
        "Labels name machines with such devices. They name neither nodes of memory nor single \
         devices: a device plugin, or a driver for dynamic resource allocation, hands these out."
            .to_owned(),
    ];
    if document.nodes.len() > 1 {
        caveats.push(
            "reservedSystemCPUs and reservedMemory are needed, too: 'nearfar run --as kubernetes' \
             prints both."
                .to_owned(),
        );
    }
    if document.nodes.len() > MAX_NODES {
        caveats.push(format!(
            "The topology manager refuses more than {MAX_NODES} nodes without \
             max-allowable-numa-nodes, which Kubernetes does not recommend."
        ));
    }
    let without = without_node(devices);
    if !without.is_empty() && document.nodes.len() > 1 {
        caveats.push(format!(
            "The kernel knows no node of {}: the topology manager cannot align it with CPUs, and \
             drivers publish no numaNode.",
            without.join(", ")
        ));
    }
    caveats
}
