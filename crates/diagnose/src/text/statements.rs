//! Statements of the sources of a diagnosis.

use nearfar_machine::UNKNOWN_HYPERVISOR;
use nearfar_model::{Bytes, NodeId, NodeSet};
use nearfar_view::text::{count, count_of};

use crate::{NodeMemoryShare, WitnessStatement};

pub(super) fn line(statement: &WitnessStatement) -> String {
    use WitnessStatement::*;
    match statement {
        CpuModel { name: text } | NonsenseSmbios { why: text } | LogMissing { text } => {
            text.clone()
        }
        NoSrat { tables } => {
            format!("no SRAT among {}: {}", count(tables.len(), "table"), tables.join(" "))
        }
        SratNoTable { path } => format!("{path} is no table"),
        &Srat { domains, cpus, ranges } => {
            let (domains, cpus) = (count(domains, "domain"), count(cpus, "CPU"));
            format!("SRAT: {domains}, {cpus}, {} of memory", count(ranges, "range"))
        }
        AlsoTables { tables } => format!("also {}", tables.join(", ")),
        TreeNames { nodes, distances } => {
            let map = if *distances { "with" } else { "without" };
            format!("the device tree lists {nodes} nodes, {map} a distance map")
        }
        ForRoot { tables } => format!("readable by root only: {}", tables.join(", ")),
        Packages { packages } => count(*packages, "package"),
        GuestOf { hypervisor } if hypervisor == UNKNOWN_HYPERVISOR => {
            "a guest of an unknown hypervisor".to_owned()
        }
        GuestOf { hypervisor } => format!("a guest of {hypervisor}"),
        Modules { filled, slots, bytes } => {
            format!("{filled} of {slots} slots hold a module, {} together", Bytes(*bytes))
        }
        &Sockets { filled, sockets } => {
            format!("{} a processor", count_of(filled, sockets, "socket", "hold"))
        }
        CommandLine { words } if words.is_empty() => {
            "no NUMA option on the command line".to_owned()
        }
        CommandLine { words } => format!("command line: {}", words.join(" ")),
        ParametersNotUnderstood { names } => {
            format!("values on the command line that are not known: {}", names.join(", "))
        }
        NotSent { parameters, messages } => not_sent(parameters, *messages),
        LogLine { text, line } => format!("\"{text}\" (line {line})"),
        OneNode { node, cpus, cpus_online, memory, offline } => {
            let cpus = cpus.map_or_else(
                || "all CPUs".to_owned(),
                |cpus| format!("{cpus} of {cpus_online} CPUs"),
            );
            one_node(*node, &cpus, *memory, offline)
        }
        Nodes { nodes } => format!("{} nodes: {nodes}", nodes.len()),
        Memory { bytes } => format!("{} of memory", Bytes(*bytes)),
        TreeNamesNoNode => "the device tree lists no node".to_owned(),
        AllForRoot | SlotsForRoot => "readable by root only".to_owned(),
        NoFirmware => "no table and no device tree".to_owned(),
        NoHypervisor => "no hypervisor seen".to_owned(),
        NoCpus => "no information about processors".to_owned(),
        NoSmbios => "no SMBIOS".to_owned(),
        NoFault => "no fault in its log".to_owned(),
        NoKernel => "no command line and no log".to_owned(),
        NoSysfs => "no sysfs: /sys is empty, or only tables were given".to_owned(),
        NothingSent => "not sent".to_owned(),
        NoNuma => "no folder of nodes: this kernel was built without NUMA".to_owned(),
        NoNodeOnline => "no node is online".to_owned(),
    }
}

fn not_sent(parameters: &[String], messages: usize) -> String {
    let messages = (messages > 0).then(|| format!("{} of the log", count(messages, "message")));
    let parts: Vec<String> = parameters.iter().cloned().chain(messages).collect();
    format!("not sent with this capture: {}", parts.join(", "))
}

fn one_node(node: NodeId, cpus: &str, memory: NodeMemoryShare, offline: &NodeSet) -> String {
    let memory = match memory {
        NodeMemoryShare::All => "all memory".to_owned(),
        NodeMemoryShare::Part { bytes, of_bytes } => {
            format!("{} of the machine's {} of memory", Bytes(bytes), Bytes(of_bytes))
        }
        NodeMemoryShare::Unknown => "an unknown amount of memory".to_owned(),
    };
    let beside = if offline.is_empty() { String::new() } else { format!("; offline: {offline}") };
    format!("one node ({node}) with {cpus} and {memory}{beside}")
}
