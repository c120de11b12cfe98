//! Who was asked, and what each says: the five witnesses in a few lines.

use nearfar_firmware::acpi::{Affinity, Srat};
use nearfar_firmware::device_tree::DeviceTree;
use nearfar_firmware::{Firmware, Found, TableFile};
use nearfar_linux::EventKind;
use nearfar_machine::Topology;
use nearfar_model::{Bytes, NodeSet};

use crate::document::{Hearing, Testimony, Witness};
use crate::facts::Facts;
use crate::sentence::count;
use crate::witnesses::Witnesses;

/// A node with this share of the machine's memory has all of it: the kernel rounds, and a container may see a little less.
const LEAST_SHARE: f64 = 0.95;
/// The most lines of the log that are quoted.
const MOST_LINES: usize = 8;

/// All five, in the order in which a machine starts.
pub(crate) fn all(witnesses: &Witnesses, facts: &Facts) -> Vec<Testimony> {
    vec![
        firmware(&witnesses.firmware),
        cpus(witnesses, facts),
        dimm_slots(&witnesses.firmware),
        kernel(witnesses),
        sysfs(witnesses.topology.as_ref()),
    ]
}

fn firmware(firmware: &Firmware) -> Testimony {
    let mut says = Vec::new();
    let names: Vec<&str> = firmware.tables.iter().map(|file| file.name.as_str()).collect();
    says.extend(srat(firmware, &names));
    let numa = ["SLIT", "HMAT", "MSCT", "CEDT", "CRAT", "CDIT"].into_iter().filter(|name| names.contains(name));
    let beside: Vec<&str> = numa.collect();
    // Without a SRAT all names are told already.
    if firmware.has::<Srat>() && !beside.is_empty() {
        says.push(format!("also {}", beside.join(", ")));
    }
    let tree = firmware.device_tree.as_ref();
    says.extend(tree.and_then(|part| part.found.decoded()).map(device_tree));
    let denied: Vec<&str> = firmware.denied().collect();
    let tree_denied = tree.is_some_and(|part| part.found == Found::Denied);
    if denied.len() == names.len() && !denied.is_empty() {
        says.push("what they say is for root only".to_owned());
    } else if !denied.is_empty() {
        says.push(format!("there, and for root only: {}", denied.join(", ")));
    }
    let heard = match () {
        () if !denied.is_empty() || tree_denied => Hearing::Denied,
        () if names.is_empty() && tree.is_none() => Hearing::Absent,
        () => Hearing::Heard,
    };
    if heard == Hearing::Absent {
        says.push("no table and no device tree".to_owned());
    }
    Testimony { witness: Witness::Firmware, heard, says }
}

fn srat(firmware: &Firmware, names: &[&str]) -> Option<String> {
    if names.is_empty() {
        return None;
    }
    if !firmware.has::<Srat>() {
        return Some(format!("no SRAT among {}: {}", count(names.len(), "table"), names.join(" ")));
    }
    let Some((_, srat)) = firmware.first::<Srat>() else {
        let is_nonsense = |file: &&TableFile| file.name == "SRAT" && matches!(file.found, Found::Nonsense { .. });
        return firmware.tables.iter().find(is_nonsense).map(|file| format!("{} is no table", file.path));
    };
    let known: Vec<&Affinity> = srat.content.entries.iter().filter_map(|entry| entry.known()).collect();
    let enabled = || known.iter().filter(|entry| entry.enabled());
    let mut domains: Vec<u32> = enabled().map(|entry| entry.domain().0).collect();
    domains.sort_unstable();
    domains.dedup();
    let cpus = enabled().filter(|entry| entry.is_cpu()).count();
    let memory = enabled().filter(|entry| matches!(entry, Affinity::Memory(_))).count();
    let (domains, cpus) = (count(domains.len(), "domain"), count(cpus, "CPU"));
    Some(format!("SRAT: {domains}, {cpus}, {} of memory", count(memory, "range")))
}

fn device_tree(tree: &DeviceTree) -> String {
    if !tree.names_a_node() {
        return "the device tree names no node".to_owned();
    }
    let mut nodes: Vec<u32> = tree.memory.iter().filter_map(|memory| memory.node).map(|node| node.0).collect();
    nodes.extend(tree.cpus.iter().filter_map(|cpu| cpu.node).map(|node| node.0));
    nodes.sort_unstable();
    nodes.dedup();
    let map = if tree.distance_map.is_some() { "with" } else { "without" };
    format!("the device tree names {} nodes, {map} a map of distances", nodes.len())
}

fn cpus(witnesses: &Witnesses, facts: &Facts) -> Testimony {
    let mut says: Vec<String> = facts.model.iter().cloned().collect();
    if let Some(packages) = facts.packages {
        says.push(count(packages, "package"));
    }
    let asked = witnesses.environment.is_some();
    match facts.hypervisor_name() {
        Some(name) => says.push(format!("a guest of {name}")),
        None if asked => says.push("no hypervisor seen".to_owned()),
        None => {}
    }
    let heard = if says.is_empty() { Hearing::Absent } else { Hearing::Heard };
    if heard == Hearing::Absent {
        says.push("nothing that tells of processors".to_owned());
    }
    Testimony { witness: Witness::Cpus, heard, says }
}

fn dimm_slots(firmware: &Firmware) -> Testimony {
    let (heard, says) = match firmware.smbios.as_ref().map(|part| &part.found) {
        None => (Hearing::Absent, vec!["no SMBIOS".to_owned()]),
        Some(Found::Denied) => (Hearing::Denied, vec!["there, and for root only".to_owned()]),
        Some(Found::Nonsense { why }) => (Hearing::Absent, vec![why.clone()]),
        Some(Found::Decoded(smbios)) => {
            let devices = smbios.system_memory();
            let bytes: u64 = devices.iter().filter_map(|device| device.size_bytes).fold(0, u64::saturating_add);
            let filled = devices.iter().filter(|device| device.is_populated() == Some(true)).count();
            let populated = smbios.processors.iter().filter(|cpu| cpu.populated == Some(true)).count();
            let modules = format!("{filled} of {} slots hold a module, {} together", devices.len(), Bytes(bytes));
            let sockets = format!("{populated} of {} sockets hold a processor", smbios.processors.len());
            (Hearing::Heard, vec![modules, sockets])
        }
    };
    Testimony { witness: Witness::DimmSlots, heard, says }
}

fn kernel(witnesses: &Witnesses) -> Testimony {
    let mut says = Vec::new();
    if let Some(line) = witnesses.command_line() {
        let about = |word: &&str| {
            ["numa", "acpi=", "mem=", "memmap=", "maxcpus=", "nr_cpus=", "nosmp"]
                .iter()
                .any(|start| word.starts_with(start))
        };
        let words: Vec<&str> = line.text.split_whitespace().filter(about).collect();
        says.push(match words.is_empty() {
            true => "the command line says nothing about NUMA".to_owned(),
            false => format!("the command line says {}", words.join(" ")),
        });
    }
    let telling = witnesses.log.events.iter().filter(|event| event.code().is_some() || is_telling(&event.kind));
    says.extend(telling.take(MOST_LINES).map(|event| format!("\"{}\" (line {})", event.text, event.line)));
    if witnesses.log.has_boot() && says.len() <= 1 {
        says.push("its log tells of no fault".to_owned());
    }
    let denied = witnesses.log.origin.is_none() && witnesses.log.missing.iter().any(|line| line.contains("unreadable"));
    says.extend(witnesses.log.missing.iter().cloned());
    let heard = match () {
        () if denied => Hearing::Denied,
        () if witnesses.log.origin.is_none() && witnesses.log.events.is_empty() && says.len() <= 1 => Hearing::Absent,
        () => Hearing::Heard,
    };
    if says.is_empty() {
        says.push("no command line and no log".to_owned());
    }
    Testimony { witness: Witness::Kernel, heard, says }
}

fn is_telling(kind: &EventKind) -> bool {
    matches!(kind, EventKind::Faking { .. } | EventKind::Hypervisor { .. } | EventKind::NotFromFirmware)
}

/// What the only node holds, and of how much.
fn the_only_node(topology: &Topology) -> String {
    let Some(node) = topology.nodes.iter().find(|node| node.online) else { return String::new() };
    let (online, memory) = (topology.online(), node.memory.map(|memory| memory.total));
    let cpus = match online.difference(&node.cpus).len() {
        0 => "all CPUs".to_owned(),
        _ => format!("{} of {} CPUs", node.cpus.len(), online.len()),
    };
    let memory = match (memory, topology.memory_total) {
        (Some(own), Some(total)) if own.0 as f64 >= total.0 as f64 * LEAST_SHARE => "all memory".to_owned(),
        (Some(own), Some(total)) => format!("{own} of {total} of memory"),
        _ => "memory that is not told".to_owned(),
    };
    let offline: NodeSet = topology.nodes.iter().filter(|node| !node.online).map(|node| node.id).collect();
    let beside = if offline.is_empty() { String::new() } else { format!("; offline: {offline}") };
    format!("one node ({}) with {cpus} and {memory}{beside}", node.id)
}

fn sysfs(topology: Option<&Topology>) -> Testimony {
    let Some(topology) = topology else {
        let says = vec!["no sysfs: /sys is empty, or only tables were given".to_owned()];
        return Testimony { witness: Witness::Sysfs, heard: Hearing::Absent, says };
    };
    let nodes = topology.online_nodes();
    let says = match topology.numa_supported {
        false => "no folder of nodes: this kernel was built without NUMA".to_owned(),
        true if nodes.is_empty() => "no node is online".to_owned(),
        true if nodes.len() == 1 => the_only_node(topology),
        true => format!("{} nodes: {nodes}", nodes.len()),
    };
    let memory = topology.memory_total.map(|bytes| format!("{bytes} of memory"));
    Testimony { witness: Witness::Sysfs, heard: Hearing::Heard, says: std::iter::once(says).chain(memory).collect() }
}
