//! A machine on one screen.

use std::fmt::Write;

use nearfar_lab_cost::LINE_BYTES;
use nearfar_terminal::table::{Align, Table};

use super::claims;
use crate::machine::{Describes, Interleave, Machine, Matrix, Node};

/// Claims within so much of the truth count as honest.
const HONEST: f64 = 0.1;

/// An access that costs this much in the lab hides what the emulator takes for it.
const ENOUGH_NS: f64 = 450.0;

/// The screen.
pub(super) fn text(machine: &Machine) -> String {
    let mut text = head(machine);
    text.push_str(&nodes(machine));
    text.push_str(&costs(machine));
    text.push_str(&disturbances(machine));
    text.push_str(&firmware(machine));
    text.push_str(&difference(machine));
    text
}

fn head(machine: &Machine) -> String {
    let description = machine.description();
    let mut text = format!("{}: {}\n", machine.name(), description.summary);
    if let Some(source) = &description.source {
        let _ = writeln!(text, "figures: {}", source.replace(char::is_control, " "));
    }
    let (arch, packages, cpus) = (machine.arch(), description.packages, machine.cpus());
    let (nodes, memory, slowdown) = (machine.nodes().len(), machine.memory(), description.slowdown);
    let (packages, cpus, nodes) = (count(packages, "package"), count(cpus, "CPU"), count(nodes, "node"));
    let _ = writeln!(text, "{arch}, {packages}, {cpus}, {nodes}, {memory} memory; the lab is {slowdown} times slower");
    text.push_str(&too_fast(machine));
    text
}

/// What the emulator takes for an access cannot be charged less.
fn too_fast(machine: &Machine) -> String {
    let slowdown = machine.description().slowdown;
    let nearest = machine.latency_ns().into_iter().flatten().fold(f64::INFINITY, f64::min);
    if nearest * slowdown >= ENOUGH_NS {
        return String::new();
    }
    let (charged, enough) = (nearest * slowdown, (ENOUGH_NS / nearest).ceil());
    format!(
        "Careful: its nearest memory comes to {charged:.0} ns in the lab, and the emulator alone takes some 100: give a slowdown of {enough} or more.\n"
    )
}

fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

fn nodes(machine: &Machine) -> String {
    let all = &machine.description().devices;
    let mut table = Table::default();
    // Most machines have no devices.
    let shown = if all.is_empty() { 3 } else { 4 };
    table.line(["node", "CPUs", "memory", "devices"].into_iter().take(shown));
    for node in machine.nodes() {
        let devices = all.iter().filter(|device| device.node == node.id).map(|device| device.kind.to_string());
        let cpus = if node.has_cpus() { node.cpus.to_string() } else { "none".to_owned() };
        let memory = node.memory.map_or_else(|| "none".to_owned(), |memory| memory.to_string());
        let entries = [node.id.to_string(), cpus, memory, devices.collect::<Vec<_>>().join(" ")];
        table.line(entries.into_iter().take(shown));
    }
    format!("\nNodes\n{}", table.text(&[Align::Right, Align::Left, Align::Right, Align::Left]))
}

fn costs(machine: &Machine) -> String {
    let description = machine.description();
    let (cpus, memory): (Vec<&Node>, Vec<&Node>) = (machine.cpu_nodes().collect(), machine.memory_nodes().collect());
    let latency = machine.latency_ns();
    let mut text = "\nWhat memory truly costs, in ns (a node's CPUs down, a node's memory across)\n".to_owned();
    text.push_str(&grid(&cpus, &memory, |row, column| format!("{:.1}", latency[row][column])));
    if description.interleave == Some(Interleave::Lines) {
        text.push_str("Firmware alternates lines between the nodes: a page costs the mean of its row.\n");
    }
    if let Some(bandwidth) = machine.bandwidth_gb_s() {
        text.push_str("\nWhat it gives, in GB/s\n");
        let cell =
            |row: usize, column: usize| bandwidth[row][column].map_or_else(|| "-".to_owned(), |gb_s| format!("{gb_s}"));
        text.push_str(&grid(&cpus, &memory, cell));
    }
    if let Some(streams) = description.streams {
        let lines = streams.lines;
        let _ = writeln!(text, "\nOne CPU has {lines} lines on their way in streams: it reads, in GB/s, at most");
        let bytes = lines as f64 * LINE_BYTES as f64;
        text.push_str(&grid(&cpus, &memory, |row, column| format!("{:.1}", bytes / latency[row][column])));
    }
    if let Some(modified) = &description.modified {
        text.push_str(
            "\nWhat a line costs that another CPU holds modified, in ns (reader's node down, holder's across)\n",
        );
        text.push_str(&grid(&cpus, &cpus, |row, column| format!("{:.1}", modified.ns[row][column])));
        let (reader, elsewhere) = (modified.homed_at_reader_extra_ns, modified.homed_elsewhere_extra_ns);
        let _ =
            writeln!(text, "and {reader} more when its home is the reader's, {elsewhere} more when it is neither's");
    }
    text
}

fn disturbances(machine: &Machine) -> String {
    let noise = &machine.description().noise;
    let mut lines = Vec::new();
    if let Some(drift) = noise.drift {
        let percent = (drift.share * 1000.0).round() / 10.0;
        lines.push(format!("all costs swing by {percent} % every {} s", drift.period_s));
    }
    if let Some(bursts) = noise.bursts {
        let (factor, lasts, every) = (bursts.factor, bursts.lasts_s, bursts.every_s);
        lines.push(format!("bursts: {factor} times the cost for {lasts} s, once in {every} s"));
    }
    for moved in &noise.moves {
        lines.push(format!("after {} s CPU {} runs in node {}", moved.at_s, moved.cpu, moved.to_node));
    }
    if lines.is_empty() { String::new() } else { format!("\nWhat disturbs it\n  {}\n", lines.join("\n  ")) }
}

fn firmware(machine: &Machine) -> String {
    let firmware = &machine.description().firmware;
    if firmware.describes == Describes::OneNode {
        return "\nWhat firmware claims\n  nothing: the kernel sees one node\n".to_owned();
    }
    let nodes: Vec<&Node> = machine.nodes().iter().collect();
    let mut text = match &firmware.slit {
        Some(slit) => {
            let grid = grid(&nodes, &nodes, |row, column| slit[row][column].to_string());
            format!("\nWhat firmware claims: distances (10 is local)\n{grid}")
        }
        None => "\nWhat firmware claims\n  no distances: the kernel takes 10 and 20\n".to_owned(),
    };
    let (cpus, memory): (Vec<&Node>, Vec<&Node>) = (machine.cpu_nodes().collect(), machine.memory_nodes().collect());
    let mut table = |title: &str, claim: &Option<Matrix>| {
        let Some(claim) = claim else { return };
        let grid = grid(&cpus, &memory, |row, column| format!("{}", claim[row][column]));
        let _ = write!(text, "\nWhat its HMAT claims: {title}\n{grid}");
    };
    table("latency, in ns", &firmware.hmat_latency_ns);
    table("bandwidth, in GB/s", &firmware.hmat_bandwidth_gb_s);
    match (firmware.hmat, &firmware.hmat_latency_ns, &firmware.hmat_bandwidth_gb_s) {
        (true, None, None) => text.push_str("Its HMAT tells the truth.\n"),
        (true, None, Some(_)) | (true, Some(_), None) => text.push_str("What else its HMAT tells is true.\n"),
        _ => {}
    }
    for table in &firmware.tables {
        let _ = writeln!(text, "It has the table {} besides.", table.display());
    }
    text
}

fn difference(machine: &Machine) -> String {
    let Some(lies) = claims::claimed_over_true(machine) else { return difference_unsaid(machine) };
    let cells = || lies.iter().flatten();
    let wrong = cells().filter(|lie| (*lie - 1.0).abs() > HONEST).count();
    if wrong == 0 {
        return format!("\nIts distances are honest: within {} % of what memory costs.\n", HONEST * 100.0);
    }
    let (cpus, memory): (Vec<&Node>, Vec<&Node>) = (machine.cpu_nodes().collect(), machine.memory_nodes().collect());
    let cell = |row: usize, column: usize| match lies[row][column] {
        honest if (honest - 1.0).abs() <= HONEST => "-".to_owned(),
        lie => format!("{lie:.2}"),
    };
    let title =
        format!("Where they differ: distances claim so many times the cost ({wrong} of {} cells)", cells().count());
    format!("\n{title}\n{}", grid(&cpus, &memory, cell))
}

fn difference_unsaid(machine: &Machine) -> String {
    let dearest = machine.latency_ns().into_iter().map(|row| {
        let (low, high) =
            row.iter().fold((f64::INFINITY, 0.0), |(low, high), &ns| (f64::min(low, ns), f64::max(high, ns)));
        high / low
    });
    let most = dearest.fold(1.0, f64::max);
    match machine.description().interleave {
        Some(_) => "\nBoth agree in what can be measured: memory is alike everywhere.\n".to_owned(),
        None if most > 1.0 => {
            format!("\nWhere they differ: one node's memory costs up to {most:.2} times as much as another's.\n")
        }
        None => "\nBoth agree: memory is alike everywhere.\n".to_owned(),
    }
}

fn grid(rows: &[&Node], columns: &[&Node], cell: impl Fn(usize, usize) -> String) -> String {
    let mut table = Table::default();
    table.line(std::iter::once("node".to_owned()).chain(columns.iter().map(|node| node.id.to_string())));
    for (row, node) in rows.iter().enumerate() {
        table.line(std::iter::once(node.id.to_string()).chain((0..columns.len()).map(|column| cell(row, column))));
    }
    table.text(&[Align::Right])
}
