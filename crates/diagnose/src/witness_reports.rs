//! Summaries of the five witnesses.

use nearfar_firmware::acpi::{Affinity, Srat};
use nearfar_firmware::device_tree::DeviceTree;
use nearfar_firmware::linux::log::LogGap;
use nearfar_firmware::linux::{LogEventKind, ParameterReader};
use nearfar_firmware::{Firmware, ReadState, TableFile};
use nearfar_machine::Topology;

use crate::document::{
    NodeMemoryShare, Witness, WitnessAvailability, WitnessReport, WitnessStatement,
};
use crate::facts::Facts;
use crate::witnesses::Witnesses;

/// A node with this share of the machine's memory has all of it: the kernel rounds, and a container
/// may see a little less.
const MIN_SHARE: f64 = 0.95;
/// Limit of quoted log lines.
const MAX_LINES: usize = 8;

/// All five, in the order of a boot.
pub(crate) fn all(witnesses: &Witnesses, facts: &Facts) -> Vec<WitnessReport> {
    let mut reports = vec![
        firmware(&witnesses.firmware),
        cpus(witnesses, facts),
        dimm_slots(&witnesses.firmware),
        kernel(witnesses),
        sysfs(witnesses.topology.as_ref(), witnesses.is_sent),
    ];
    if witnesses.is_sent {
        reports.iter_mut().for_each(not_sent);
    }
    reports
}

/// What is missing among outputs of programs was not sent.
fn not_sent(report: &mut WitnessReport) {
    if report.availability == WitnessAvailability::Absent {
        report.statements = vec![WitnessStatement::NothingSent];
    }
}

fn firmware(firmware: &Firmware) -> WitnessReport {
    let mut statements = Vec::new();
    let names: Vec<&str> = firmware.tables.iter().map(|file| file.name.as_str()).collect();
    statements.extend(srat(firmware, &names));
    let numa = ["SLIT", "HMAT", "MSCT", "CEDT", "CRAT", "CDIT"]
        .into_iter()
        .filter(|name| names.contains(name));
    let beside: Vec<&str> = numa.collect();
    // Without a SRAT, all names are already listed.
    if firmware.has::<Srat>() && !beside.is_empty() {
        statements.push(WitnessStatement::AlsoTables { tables: owned(&beside) });
    }
    let tree = firmware.device_tree.as_ref();
    statements.extend(tree.and_then(|part| part.state.decoded()).map(device_tree));
    let denied: Vec<&str> = firmware.denied().collect();
    let tree_denied = tree.is_some_and(|part| part.state == ReadState::Denied);
    if denied.len() == names.len() && !denied.is_empty() {
        statements.push(WitnessStatement::AllForRoot);
    } else if !denied.is_empty() {
        statements.push(WitnessStatement::ForRoot { tables: owned(&denied) });
    }
    let availability = match () {
        () if !denied.is_empty() || tree_denied => WitnessAvailability::Denied,
        () if names.is_empty() && tree.is_none() => WitnessAvailability::Absent,
        () => WitnessAvailability::Available,
    };
    if availability == WitnessAvailability::Absent {
        statements.push(WitnessStatement::NoFirmware);
    }
    WitnessReport { witness: Witness::Firmware, availability, statements }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn srat(firmware: &Firmware, names: &[&str]) -> Option<WitnessStatement> {
    if names.is_empty() {
        return None;
    }
    if !firmware.has::<Srat>() {
        return Some(WitnessStatement::NoSrat { tables: owned(names) });
    }
    let Some((_, srat)) = firmware.first::<Srat>() else {
        let is_nonsense = |file: &&TableFile| {
            file.name == "SRAT" && matches!(file.state, ReadState::Malformed { .. })
        };
        return firmware
            .tables
            .iter()
            .find(is_nonsense)
            .map(|file| WitnessStatement::SratNoTable { path: file.path.clone() });
    };
    let known: Vec<&Affinity> =
        srat.content.entries.iter().filter_map(|entry| entry.known()).collect();
    let enabled = || known.iter().filter(|entry| entry.enabled());
    let mut domains: Vec<u32> = enabled().map(|entry| entry.domain().0).collect();
    domains.sort_unstable();
    domains.dedup();
    let cpus = enabled().filter(|entry| entry.is_cpu()).count();
    let ranges = enabled().filter(|entry| matches!(entry, Affinity::Memory(_))).count();
    Some(WitnessStatement::Srat { domains: domains.len(), cpus, ranges })
}

fn device_tree(tree: &DeviceTree) -> WitnessStatement {
    if !tree.names_a_node() {
        return WitnessStatement::TreeNamesNoNode;
    }
    let mut nodes: Vec<u32> =
        tree.memory.iter().filter_map(|memory| memory.node).map(|node| node.0).collect();
    nodes.extend(tree.cpus.iter().filter_map(|cpu| cpu.node).map(|node| node.0));
    nodes.sort_unstable();
    nodes.dedup();
    WitnessStatement::TreeNames { nodes: nodes.len(), distances: tree.distance_map.is_some() }
}

fn cpus(witnesses: &Witnesses, facts: &Facts) -> WitnessReport {
    let mut statements: Vec<WitnessStatement> =
        facts.model.iter().cloned().map(|name| WitnessStatement::CpuModel { name }).collect();
    statements.extend(facts.packages.map(|packages| WitnessStatement::Packages { packages }));
    let asked = witnesses.environment.is_some() && !witnesses.is_sent;
    match facts.hypervisor_name() {
        Some(name) => statements.push(WitnessStatement::GuestOf { hypervisor: name.to_owned() }),
        None if asked => statements.push(WitnessStatement::NoHypervisor),
        None => {}
    }
    let availability = if statements.is_empty() {
        WitnessAvailability::Absent
    } else {
        WitnessAvailability::Available
    };
    if availability == WitnessAvailability::Absent {
        statements.push(WitnessStatement::NoCpus);
    }
    WitnessReport { witness: Witness::Cpus, availability, statements }
}

fn dimm_slots(firmware: &Firmware) -> WitnessReport {
    let (availability, statements) = match firmware.smbios.as_ref().map(|part| &part.state) {
        None => (WitnessAvailability::Absent, vec![WitnessStatement::NoSmbios]),
        Some(ReadState::Denied) => {
            (WitnessAvailability::Denied, vec![WitnessStatement::SlotsForRoot])
        }
        Some(ReadState::Malformed { why }) => (
            WitnessAvailability::Absent,
            vec![WitnessStatement::NonsenseSmbios { why: why.clone() }],
        ),
        Some(ReadState::Decoded(smbios)) => {
            let devices = smbios.system_memory();
            let bytes: u64 =
                devices.iter().filter_map(|device| device.size_bytes).fold(0, u64::saturating_add);
            let filled =
                devices.iter().filter(|device| device.is_populated() == Some(true)).count();
            let populated =
                smbios.processors.iter().filter(|cpu| cpu.populated == Some(true)).count();
            let modules = WitnessStatement::Modules { filled, slots: devices.len(), bytes };
            let sockets =
                WitnessStatement::Sockets { filled: populated, sockets: smbios.processors.len() };
            (WitnessAvailability::Available, vec![modules, sockets])
        }
    };
    WitnessReport { witness: Witness::DimmSlots, availability, statements }
}

fn kernel(witnesses: &Witnesses) -> WitnessReport {
    let mut statements = Vec::new();
    if let Some(parameters) = witnesses.parameters() {
        let words: Vec<&str> =
            parameters.of(&[ParameterReader::Decision, ParameterReader::Evidence]).collect();
        statements.push(WitnessStatement::CommandLine { words: owned(&words) });
        let names = parameters.not_understood;
        statements.extend(
            (!names.is_empty()).then_some(WitnessStatement::ParametersNotUnderstood { names }),
        );
    }
    let not_sent = &witnesses.not_sent;
    statements.extend((!not_sent.is_empty()).then(|| WitnessStatement::NotSent {
        parameters: not_sent.parameters.clone(),
        messages: not_sent.messages,
    }));
    let relevant = witnesses
        .log
        .events
        .iter()
        .filter(|event| event.kind.code().is_some() || is_relevant(&event.kind));
    let quoted: Vec<_> = relevant.take(MAX_LINES).collect();
    let has_killed =
        quoted.iter().any(|event| matches!(event.kind, LogEventKind::OutOfMemory { .. }));
    statements.extend(
        quoted
            .iter()
            .map(|event| WitnessStatement::LogLine { text: event.text.clone(), line: event.line }),
    );
    if witnesses.log.has_boot() && statements.len() <= 1 && !has_killed {
        statements.push(WitnessStatement::NoFault);
    }
    let denied = witnesses.log.origin.is_none()
        && witnesses.log.missing.iter().any(|gap| gap.unreadable().is_some());
    let missing = witnesses.log.missing.iter().filter(|gap| **gap != LogGap::NotSent);
    let missing = missing.map(ToString::to_string);
    statements.extend(missing.map(|text| WitnessStatement::LogMissing { text }));
    let availability = match () {
        () if denied => WitnessAvailability::Denied,
        () if witnesses.log.origin.is_none()
            && witnesses.log.events.is_empty()
            && statements.len() <= 1 =>
        {
            WitnessAvailability::Absent
        }
        () => WitnessAvailability::Available,
    };
    if statements.is_empty() {
        statements.push(WitnessStatement::NoKernel);
    }
    WitnessReport { witness: Witness::Kernel, availability, statements }
}

fn is_relevant(kind: &LogEventKind) -> bool {
    match kind {
        LogEventKind::OutOfMemory { constraint, .. } => {
            matches!(constraint.as_str(), "CONSTRAINT_MEMORY_POLICY" | "CONSTRAINT_CPUSET")
        }
        LogEventKind::Faking { .. }
        | LogEventKind::Hypervisor { .. }
        | LogEventKind::NotFromFirmware => true,
        _ => false,
    }
}

/// CPUs and memory of the only node.
fn the_only_node(topology: &Topology) -> Option<WitnessStatement> {
    let node = topology.nodes.iter().find(|node| node.online)?;
    let online = topology.online();
    let has_all = online.difference(&node.cpus).is_empty();
    let memory = match (node.memory.map(|memory| memory.total), topology.memory_total) {
        (Some(own), Some(total)) if own.0 as f64 >= total.0 as f64 * MIN_SHARE => {
            NodeMemoryShare::All
        }
        (Some(own), Some(total)) => NodeMemoryShare::Part { bytes: own.0, of_bytes: total.0 },
        _ => NodeMemoryShare::Unknown,
    };
    Some(WitnessStatement::OneNode {
        node: node.id,
        cpus: (!has_all).then_some(node.cpus.len()),
        cpus_online: online.len(),
        memory,
        offline: topology.nodes.iter().filter(|node| !node.online).map(|node| node.id).collect(),
    })
}

fn sysfs(topology: Option<&Topology>, is_sent: bool) -> WitnessReport {
    let known = topology.filter(|topology| !is_sent || !topology.nodes.is_empty());
    let Some(topology) = known else {
        return WitnessReport {
            witness: Witness::Sysfs,
            availability: WitnessAvailability::Absent,
            statements: vec![WitnessStatement::NoSysfs],
        };
    };
    let nodes = topology.online_nodes();
    let statements = match topology.numa_supported {
        false => Some(WitnessStatement::NoNuma),
        true if nodes.is_empty() => Some(WitnessStatement::NoNodeOnline),
        true if nodes.len() == 1 => the_only_node(topology),
        true => Some(WitnessStatement::Nodes { nodes }),
    };
    let memory = topology.memory_total.map(|bytes| WitnessStatement::Memory { bytes: bytes.0 });
    WitnessReport {
        witness: Witness::Sysfs,
        availability: WitnessAvailability::Available,
        statements: statements.into_iter().chain(memory).collect(),
    }
}
