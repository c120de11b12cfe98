//! The table of interrupts, by device.

use nearfar_irq::{CpuFact, Irq, IrqControl, IrqDevice, IrqDocument, IrqKind, IrqPlace};
use nearfar_model::CpuSet;

use super::Folding;
use super::rate;
use crate::optional::or_empty;
use crate::paragraph;
use crate::percent::percent;
use crate::short_list::{IN_A_TABLE, short_list};
use crate::table::table;

/// Characters of the names of handlers.
const LONGEST_NAMES: usize = 32;
/// Interrupts of no known device that are shown.
const MOST_OTHERS: usize = 32;

type Row = [String; 10];

pub(super) fn text(document: &IrqDocument, folding: Folding) -> String {
    let rate = if document.seconds.is_some() { ">per second" } else { ">since boot" };
    let heads = [
        "device",
        "node",
        ">irq",
        "handler",
        "kind",
        "allowed",
        "runs on",
        "served by",
        rate,
        ">far",
    ];
    let mut rows: Vec<Row> = Vec::new();
    for device in &document.devices {
        rows.extend(of_device(document, device, folding));
    }
    let others: Vec<&Irq> = document.others.iter().collect();
    rows.extend(of_irqs(document, ("(none)".to_owned(), String::new()), &others, folding));
    let table = table("Interrupts by device", heads, rows);
    if table.is_empty() {
        return "No interrupts of devices.\n".to_owned();
    }
    table + &marks(document)
}

fn of_device(document: &IrqDocument, device: &IrqDevice, folding: Folding) -> Vec<Row> {
    let names = device.names.first().map(|name| format!(" {name}")).unwrap_or_default();
    let node = match (device.node, document.nodes.is_empty()) {
        (Some(node), _) => node.to_string(),
        (None, false) => "?".to_owned(),
        (None, true) => String::new(),
    };
    let irqs: Vec<&Irq> = device.interrupts.iter().collect();
    of_irqs(document, (format!("{}{names}", device.label), node), &irqs, folding)
}

/// The rows of a device's interrupts. Its name and node are in the first.
fn of_irqs(
    document: &IrqDocument,
    (name, node): (String, String),
    irqs: &[&Irq],
    folding: Folding,
) -> Vec<Row> {
    let (idle, active): (Vec<&Irq>, Vec<&Irq>) = irqs.iter().partition(|irq| folding.folds(irq));
    let mut rows: Vec<Row> =
        active.iter().take(limit(&name)).map(|irq| row(document, irq)).collect();
    match idle.as_slice() {
        [] => {}
        [one] => rows.push(row(document, one)),
        several => rows.push(idle_row(several)),
    }
    if let Some(first) = rows.first_mut() {
        first[0] = name;
        first[1] = node;
    }
    rows
}

/// Devices show all; interrupts of no known device may be thousands of a board's pins.
fn limit(name: &str) -> usize {
    if name == "(none)" { MOST_OTHERS } else { usize::MAX }
}

fn row(document: &IrqDocument, irq: &Irq) -> Row {
    let has_nodes = document.nodes.len() > 1;
    [
        String::new(),
        String::new(),
        irq.number.to_string(),
        short(&irq.actions.join(", ")),
        kind(irq).to_owned(),
        allowed(irq),
        runs_on(irq, has_nodes),
        if has_nodes { by_node(irq) } else { by_cpu(irq) },
        rate::cell(irq.per_second, irq.count),
        if has_nodes { far(irq) } else { String::new() },
    ]
}

fn idle_row(irqs: &[&Irq]) -> Row {
    let mut row: Row = Default::default();
    row[3] = format!("{} idle", irqs.len());
    row
}

fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST_NAMES) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

fn kind(irq: &Irq) -> &'static str {
    match (irq.kind, irq.control) {
        (IrqKind::Msi, IrqControl::Managed) => "MSI managed",
        (IrqKind::MsiX, IrqControl::Managed) => "MSI-X managed",
        (IrqKind::Message, IrqControl::Managed) => "MSI(-X) managed",
        (IrqKind::Msi, _) => "MSI",
        (IrqKind::MsiX, _) => "MSI-X",
        (IrqKind::Message, _) => "MSI(-X)",
        (IrqKind::Line, IrqControl::Fixed) => "line fixed",
        (IrqKind::Line, _) => "line",
        (IrqKind::Other, IrqControl::Fixed) => "fixed",
        (IrqKind::Other, _) => "other",
    }
}

fn allowed(irq: &Irq) -> String {
    match &irq.allowed {
        CpuFact::Cpus { cpus } => short_list(cpus, IN_A_TABLE),
        CpuFact::NotReadable => "not readable".to_owned(),
        CpuFact::Absent => String::new(),
        CpuFact::Malformed { .. } => "malformed".to_owned(),
    }
}

/// The CPUs that the kernel chose, and their node if it is far from the device.
fn runs_on(irq: &Irq, has_nodes: bool) -> String {
    let cpus = match &irq.effective {
        CpuFact::Cpus { cpus } => list(cpus),
        CpuFact::NotReadable => "not readable".to_owned(),
        CpuFact::Absent => return String::new(),
        CpuFact::Malformed { .. } => "malformed".to_owned(),
    };
    match irq.place {
        IrqPlace::Far if has_nodes => format!("{cpus} (node {}!)", irq.nodes),
        IrqPlace::Near | IrqPlace::Far | IrqPlace::Both | IrqPlace::Unknown => cpus,
    }
}

fn list(cpus: &CpuSet) -> String {
    if cpus.is_empty() { "-".to_owned() } else { short_list(cpus, IN_A_TABLE) }
}

/// "node 1", "node 0 37 %, node 1 63 %".
fn by_node(irq: &Irq) -> String {
    let sum: u64 = irq.by_node.iter().map(|one| one.count).sum();
    match irq.by_node.as_slice() {
        [] => String::new(),
        [one] => format!("node {}", one.node),
        several => {
            let share = |count: u64| percent(count as f64 / sum as f64);
            let parts = several.iter().take(4);
            let parts = parts.map(|one| format!("node {} {}", one.node, share(one.count)));
            parts.collect::<Vec<_>>().join(", ")
        }
    }
}

/// "CPU 3", "CPU 3 97 %".
fn by_cpu(irq: &Irq) -> String {
    let sum: u64 = irq.by_cpu.iter().map(|one| one.count).sum();
    let most = irq.by_cpu.iter().max_by_key(|one| (one.count, std::cmp::Reverse(one.cpu)));
    match (most, irq.by_cpu.len()) {
        (None, _) => String::new(),
        (Some(one), 1) => format!("CPU {}", one.cpu),
        (Some(one), _) => {
            format!("CPU {} {}", one.cpu, percent(one.count as f64 / sum as f64))
        }
    }
}

/// The share that far CPUs served.
fn far(irq: &Irq) -> String {
    match (irq.count, irq.far) {
        (Some(count), Some(far)) if count > 0 => percent(far as f64 / count as f64),
        (Some(0), _) => String::new(),
        (_, None) => "?".to_owned(),
        _ => String::new(),
    }
}

type Mark = (fn(&Irq) -> bool, &'static str, &'static str);

const MARKS: [Mark; 3] = [
    (
        |irq| irq.control == IrqControl::Managed,
        "managed",
        "the kernel chose the CPUs, and refuses others.",
    ),
    (|irq| irq.control == IrqControl::Fixed, "fixed", "the kernel refuses other CPUs."),
    (|irq| irq.place == IrqPlace::Far, "(node N!)", "far: no CPU of the device's node serves it."),
];

/// A line for each mark that is in the table.
fn marks(document: &IrqDocument) -> String {
    let irqs = || {
        let of_devices = document.devices.iter().flat_map(|device| &device.interrupts);
        of_devices.chain(&document.others)
    };
    let used = MARKS.iter().filter(|(applies, ..)| irqs().any(applies));
    let lines: String =
        used.map(|(_, mark, meaning)| paragraph::of(meaning, &format!("{mark}: "), "  ")).collect();
    let unknown =
        irqs().any(|irq| irq.control == IrqControl::Unknown && irq.allowed.cpus().is_some());
    let control = unknown
        .then(|| {
            let kernel = or_empty(document.kernel.as_ref());
            let text = format!(
                "Which interrupts the kernel manages is unknown: kernels before 6.12 and captures \
                 do not show it ({kernel})."
            );
            paragraph::of(&text, "", "")
        })
        .unwrap_or_default();
    let all = lines + &control;
    if all.is_empty() { all } else { format!("\n{all}") }
}
