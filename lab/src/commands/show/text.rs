//! A machine on one screen.

use nearfar_lab_cost::{LINE_BYTES, Streams};
use nearfar_view::terminal::table::{Align, Table};

use super::{claims, devices};
use crate::machine::{Describes, InterleaveDescription, LabMachine, NodeDescription};

/// Claims within so much of the truth count as honest.
const HONEST: f64 = 0.1;

/// An access that costs this much in the lab hides what the emulator takes for it.
const ENOUGH_NS: f64 = 450.0;

pub(super) fn text(machine: &LabMachine) -> String {
    let parts = [head, nodes, devices::text, costs, disturbances, firmware, difference];
    parts.map(|part| part(machine)).concat()
}

fn head(machine: &LabMachine) -> String {
    let description = &machine.description;
    let mut text = format!("{}: {}\n", machine.name, description.summary);
    if let Some(source) = &description.source {
        text += &format!("figures: {}\n", source.replace(char::is_control, " "));
    }
    let (arch, memory, slowdown) = (machine.arch(), machine.memory(), description.slowdown);
    let packages = count(description.packages, "package");
    let (cpus, nodes) = (count(machine.cpus(), "CPU"), count(machine.nodes().len(), "node"));
    text += &format!(
        "{arch}, {packages}, {cpus}, {nodes}, {memory} memory; the lab is {slowdown} times \
         slower\n"
    );
    text + &too_fast(machine)
}

/// What the emulator takes for an access cannot be charged less.
fn too_fast(machine: &LabMachine) -> String {
    let slowdown = machine.description.slowdown;
    let nearest = machine.latency_ns().into_iter().flatten().fold(f64::INFINITY, f64::min);
    if nearest * slowdown >= ENOUGH_NS {
        return String::new();
    }
    let (charged, enough) = (nearest * slowdown, (ENOUGH_NS / nearest).ceil());
    format!(
        "Careful: its nearest memory comes to {charged:.0} ns in the lab, and the emulator alone \
         takes some 100: give a slowdown of {enough} or more.\n"
    )
}

fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

fn nodes(machine: &LabMachine) -> String {
    let mut table = Table::default();
    table.line(["node", "CPUs", "memory"]);
    for node in machine.nodes() {
        let cpus = if node.has_cpus() { node.cpus.to_string() } else { "none".to_owned() };
        let memory = node.memory.map_or_else(|| "none".to_owned(), |memory| memory.to_string());
        table.line([node.id.to_string(), cpus, memory]);
    }
    format!("\nNodes\n{}", table.text(&[Align::Right, Align::Left, Align::Right]))
}

fn costs(machine: &LabMachine) -> String {
    let description = &machine.description;
    let latency = machine.latency_ns();
    let mut text = "\nWhat memory truly costs, in ns (a node's CPUs down, a node's memory \
                    across)\n"
        .to_owned();
    text += &by_memory(machine, &latency, |ns| format!("{ns:.1}"));
    if description.interleave == Some(InterleaveDescription::Lines) {
        text += "Firmware alternates lines between the nodes: a page costs the mean of its row.\n";
    }
    if let Some(bandwidth) = machine.bandwidth_gb_s() {
        text += "\nWhat it gives, in GB/s\n";
        text += &by_memory(machine, &bandwidth, |gb_s| {
            gb_s.map_or("-".to_owned(), |gb_s| gb_s.to_string())
        });
    }
    if let Some(Streams { lines }) = description.streams {
        text += &format!(
            "\nOne CPU has {lines} lines on their way in streams: it reads, in GB/s, at most\n"
        );
        let bytes = lines as f64 * LINE_BYTES as f64;
        text += &by_memory(machine, &latency, |ns| format!("{:.1}", bytes / ns));
    }
    if let Some(modified) = &description.modified {
        text += "\nWhat a line costs that another CPU holds modified, in ns (reader's node down, \
                 holder's across)\n";
        text +=
            &grid(machine.cpu_nodes(), machine.cpu_nodes(), &modified.ns, |ns| format!("{ns:.1}"));
        let (reader, elsewhere) =
            (modified.homed_at_reader_extra_ns, modified.homed_elsewhere_extra_ns);
        text += &format!(
            "and {reader} more when its home is the reader's, {elsewhere} more when it is \
             neither's\n"
        );
    }
    text
}

fn disturbances(machine: &LabMachine) -> String {
    let noise = &machine.description.noise;
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
        lines.push(format!(
            "after {} s CPU {} runs in node {}",
            moved.at_s, moved.cpu, moved.to_node
        ));
    }
    if lines.is_empty() {
        String::new()
    } else {
        format!("\nWhat disturbs it\n  {}\n", lines.join("\n  "))
    }
}

fn firmware(machine: &LabMachine) -> String {
    let firmware = &machine.description.firmware;
    if firmware.describes == Describes::OneNode {
        return "\nWhat firmware claims\n  nothing: the kernel sees one node\n".to_owned();
    }
    let mut text = match &firmware.slit {
        Some(slit) => {
            let grid = grid(machine.nodes().iter(), machine.nodes().iter(), slit, u8::to_string);
            format!("\nWhat firmware claims: distances (10 is local)\n{grid}")
        }
        None => "\nWhat firmware claims\n  no distances: the kernel takes 10 and 20\n".to_owned(),
    };
    let claims = [
        ("latency, in ns", &firmware.hmat_latency_ns),
        ("bandwidth, in GB/s", &firmware.hmat_bandwidth_gb_s),
    ];
    for (title, claim) in claims {
        if let Some(claim) = claim {
            text += &format!(
                "\nWhat its HMAT claims: {title}\n{}",
                by_memory(machine, claim, f64::to_string)
            );
        }
    }
    match (firmware.hmat, &firmware.hmat_latency_ns, &firmware.hmat_bandwidth_gb_s) {
        (true, None, None) => text += "Its HMAT is true.\n",
        (true, None, Some(_)) | (true, Some(_), None) => {
            text += "The rest of its HMAT is true.\n";
        }
        _ => {}
    }
    for table in &firmware.tables {
        text += &format!("It has the table {} besides.\n", table.display());
    }
    text
}

fn difference(machine: &LabMachine) -> String {
    let Some(lies) = claims::claimed_over_true(machine) else { return unknown_difference(machine) };
    let cells = || lies.iter().flatten();
    let wrong = cells().filter(|lie| (*lie - 1.0).abs() > HONEST).count();
    if wrong == 0 {
        return format!(
            "\nIts distances are honest: within {} % of what memory costs.\n",
            HONEST * 100.0
        );
    }
    let entry =
        |lie: &f64| if (lie - 1.0).abs() <= HONEST { "-".to_owned() } else { format!("{lie:.2}") };
    let title = format!(
        "Where they differ: distances claim a multiple of the cost ({wrong} of {} cells)",
        cells().count()
    );
    format!("\n{title}\n{}", by_memory(machine, &lies, entry))
}

fn unknown_difference(machine: &LabMachine) -> String {
    let most = machine.largest_ratio();
    match machine.description.interleave {
        Some(_) => "\nBoth agree in what can be measured: memory is alike everywhere.\n".to_owned(),
        None if most > 1.0 => {
            format!(
                "\nWhere they differ: one node's memory costs up to {most:.2} times as much as \
                 another's.\n"
            )
        }
        None => "\nBoth agree: memory is alike everywhere.\n".to_owned(),
    }
}

/// Nodes with CPUs down, nodes with memory across.
fn by_memory<T>(machine: &LabMachine, figures: &[Vec<T>], entry: impl Fn(&T) -> String) -> String {
    grid(machine.cpu_nodes(), machine.memory_nodes(), figures, entry)
}

fn grid<'n, T>(
    rows: impl Iterator<Item = &'n NodeDescription>,
    columns: impl Iterator<Item = &'n NodeDescription>,
    figures: &[Vec<T>],
    entry: impl Fn(&T) -> String,
) -> String {
    let mut table = Table::default();
    table.line(std::iter::once("node".to_owned()).chain(columns.map(|node| node.id.to_string())));
    for (node, row) in rows.zip(figures) {
        table.line(std::iter::once(node.id.to_string()).chain(row.iter().map(&entry)));
    }
    table.text(&[Align::Right])
}
