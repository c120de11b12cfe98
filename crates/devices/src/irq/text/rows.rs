//! The table of interrupts, by device.

use nearfar_view::text::count;
use nearfar_view::text::paragraph;
use nearfar_view::text::percent::percent;
use nearfar_view::text::sections;
use nearfar_view::text::table;
use nearfar_view::text::{IN_A_TABLE, short_list};

use super::Folding;
use super::rate;
use crate::irq::Span;
use crate::irq::{CpuFact, Irq, IrqControl, IrqDevice, IrqDocument, IrqKind, IrqPlace};

/// Characters of the names of handlers.
const MAX_NAMES: usize = 32;
/// Interrupts of no known device that are shown.
const MAX_OTHERS: usize = 32;

/// Where the table has the name of a device.
const NO_DEVICE: &str = "(none)";

type Row = [String; 9];

pub(super) fn text(document: &IrqDocument, folding: Folding) -> String {
    // How many are few is unknown without a time.
    let folding = match document.span() {
        Span::Between if folding == Folding::Idle => Folding::Unserved,
        _ => folding,
    };
    let rate = match document.span() {
        Span::SinceBoot => ">since boot",
        Span::Seconds(_) => ">per s",
        Span::Between => ">between",
    };
    // The number is first: where the table continues in further blocks, each has it.
    let heads = [">irq", "device", "node", "handler", "kind", "runs on", "served by", rate, ">far"];
    let mut rows: Vec<Row> = Vec::new();
    let is_idle = |device: &&IrqDevice| device.interrupts.iter().all(|irq| folding.folds(irq));
    let (idle, active): (Vec<&IrqDevice>, Vec<&IrqDevice>) =
        document.devices.iter().partition(is_idle);
    for device in &active {
        rows.extend(for_device(document, device, folding));
    }
    let none = (NO_DEVICE.to_owned(), String::new());
    rows.extend(for_irqs(document, none, &document.others, folding));
    let table = table("Interrupts", heads, rows);
    let device_interrupts =
        active.iter().flat_map(|device| with_rows(&device.interrupts, folding).0);
    let shown: Vec<&Irq> =
        device_interrupts.chain(with_rows(&document.others, folding).0).collect();
    let marks = if table.is_empty() { String::new() } else { marks(document, &shown) };
    let others = with_rows(&document.others, folding).1;
    sections([table + &marks, idle_devices(&idle) + &idle_others(others)])
}

/// "3 interrupts of no device are idle."
fn idle_others(number: usize) -> String {
    match number {
        0 => String::new(),
        _ => format!("{} of no device are idle.\n", count(number, "interrupt")),
    }
}

/// "Idle: DISK1 nvme2 (5), NIC0 eth0 (3)".
fn idle_devices(devices: &[&IrqDevice]) -> String {
    if devices.is_empty() {
        return String::new();
    }
    let one = |device: &&IrqDevice| format!("{} ({})", name(device), device.interrupts.len());
    let list = devices.iter().map(one).collect::<Vec<_>>().join(", ");
    paragraph::of(&list, "Idle (with their interrupts): ", "  ")
}

/// "NIC0 eth0".
fn name(device: &IrqDevice) -> String {
    let names = device.names.first().map(|name| format!(" {name}")).unwrap_or_default();
    format!("{}{names}", device.label)
}

fn for_device(document: &IrqDocument, device: &IrqDevice, folding: Folding) -> Vec<Row> {
    let node = match (device.node, document.nodes.is_empty()) {
        (Some(node), _) => node.to_string(),
        (None, false) => "?".to_owned(),
        (None, true) => String::new(),
    };
    for_irqs(document, (name(device), node), &device.interrupts, folding)
}

/// The rows of a device's interrupts. Its name and node are in the first.
fn for_irqs(
    document: &IrqDocument,
    (name, node): (String, String),
    irqs: &[Irq],
    folding: Folding,
) -> Vec<Row> {
    let (shown, folded) = with_rows(irqs, folding);
    let mut rows: Vec<Row> =
        shown.iter().take(limit(&name)).map(|irq| row(document, irq)).collect();
    if folded > 0 && name != NO_DEVICE {
        rows.push(idle_row(folded));
    }
    if let Some(first) = rows.first_mut() {
        first[1] = name;
        first[2] = node;
    }
    rows
}

/// The interrupts that have a row, and how many share one. A single idle one has its own.
fn with_rows(irqs: &[Irq], folding: Folding) -> (Vec<&Irq>, usize) {
    let (idle, mut shown): (Vec<&Irq>, Vec<&Irq>) = irqs.iter().partition(|irq| folding.folds(irq));
    match idle.as_slice() {
        [one] => {
            shown.push(one);
            (shown, 0)
        }
        several => (shown, several.len()),
    }
}

/// Devices show all; interrupts of no known device may be thousands of a board's pins.
fn limit(name: &str) -> usize {
    if name == NO_DEVICE { MAX_OTHERS } else { usize::MAX }
}

fn row(document: &IrqDocument, irq: &Irq) -> Row {
    let has_nodes = document.nodes.len() > 1;
    [
        irq.number.to_string(),
        String::new(),
        String::new(),
        short(&irq.actions.join(", ")),
        kind(irq),
        runs_on(document, irq),
        // Without nodes, and without the kernel's choice, the counters are all there is.
        if irq.effective == CpuFact::Absent && !has_nodes { by_cpu(irq) } else { String::new() },
        rate::cell(irq.per_second, irq.count),
        if has_nodes { far(irq) } else { String::new() },
    ]
}

fn idle_row(count: usize) -> Row {
    let mut row: Row = Default::default();
    row[0] = format!("{count} idle");
    row
}

fn short(text: &str) -> String {
    match text.char_indices().nth(MAX_NAMES) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

fn kind(irq: &Irq) -> String {
    let kind = match irq.kind {
        IrqKind::Msi => "MSI",
        IrqKind::MsiX => "MSI-X",
        IrqKind::Message => "MSI(-X)",
        IrqKind::Line => "line",
        IrqKind::Other => "other",
    };
    match irq.control {
        IrqControl::Managed => format!("{kind} (m)"),
        IrqControl::Fixed => format!("{kind} (f)"),
        IrqControl::Free | IrqControl::Unknown => kind.to_owned(),
    }
}

/// "5 (node 1!)", "5 of 4-7 (node 1)", "5, allowed 0 (node 1!)", "allowed 0-3 (node 0)". Any CPU is
/// allowed where the text names none.
fn runs_on(document: &IrqDocument, irq: &Irq) -> String {
    let allowed = irq.allowed.cpus();
    let cpus = match (&irq.effective, allowed) {
        (CpuFact::Cpus { cpus }, Some(allowed))
            if !cpus.is_empty() && (allowed == cpus || document.cpus.is_subset(allowed)) =>
        {
            short_list(cpus, IN_A_TABLE)
        }
        // It was set, and moves when it arrives.
        (CpuFact::Cpus { cpus }, Some(allowed))
            if cpus.is_disjoint(allowed) && !cpus.is_empty() =>
        {
            format!("{}, allowed {}", short_list(cpus, IN_A_TABLE), short_list(allowed, IN_A_TABLE))
        }
        (CpuFact::Cpus { cpus }, Some(allowed)) if !cpus.is_empty() => {
            format!("{} of {}", short_list(cpus, IN_A_TABLE), short_list(allowed, IN_A_TABLE))
        }
        (CpuFact::Cpus { cpus }, None) if !cpus.is_empty() => short_list(cpus, IN_A_TABLE),
        (CpuFact::NotReadable, None) => return "not readable".to_owned(),
        (CpuFact::Malformed { .. }, _) => return "malformed".to_owned(),
        (_, Some(allowed)) => format!("allowed {}", short_list(allowed, IN_A_TABLE)),
        (_, None) => return why_none(&irq.allowed).to_owned(),
    };
    let far = if irq.place == IrqPlace::Far { "!" } else { "" };
    match (document.nodes.len(), irq.nodes.len()) {
        (0 | 1, _) | (_, 0) => cpus,
        (_, 1) => format!("{cpus} (node {}{far})", irq.nodes),
        _ => format!("{cpus} (nodes {}{far})", irq.nodes),
    }
}

fn why_none(allowed: &CpuFact) -> &'static str {
    match allowed {
        CpuFact::NotReadable => "not readable",
        CpuFact::Malformed { .. } => "malformed",
        CpuFact::Cpus { .. } | CpuFact::Absent => "",
    }
}

/// "CPU 3", "CPU 3 97 %".
fn by_cpu(irq: &Irq) -> String {
    let sum = irq.by_cpu.iter().map(|one| one.count).fold(0, u64::saturating_add);
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
        "(m)",
        "managed: the kernel chose the CPUs, and refuses others.",
    ),
    (|irq| irq.control == IrqControl::Fixed, "(f)", "fixed: the kernel refuses other CPUs."),
    (|irq| irq.place == IrqPlace::Far, "(node N!)", "far: no CPU of the device's node serves it."),
];

/// A line for each mark that is in the table.
fn marks(document: &IrqDocument, shown: &[&Irq]) -> String {
    let used = MARKS.iter().filter(|(applies, ..)| shown.iter().any(|irq| applies(irq)));
    let lines: String =
        used.map(|(_, mark, meaning)| paragraph::of(meaning, &format!("{mark}: "), "  ")).collect();
    let is_unknown = |irq: &Irq| irq.control == IrqControl::Unknown && irq.allowed.cpus().is_some();
    let device_interrupts = document.devices.iter().flat_map(|device| &device.interrupts);
    let control = match device_interrupts.chain(&document.others).any(is_unknown) {
        true => unknown_control(document),
        false => String::new(),
    };
    let all = lines + &control;
    if all.is_empty() { all } else { format!("\n{all}") }
}

fn unknown_control(document: &IrqDocument) -> String {
    let kernel = document.kernel.as_deref().unwrap_or("of an unknown release");
    let text = format!(
        "Which interrupts the kernel manages is unknown: kernels before 6.12, and older captures, \
         do not show it (this kernel: {kernel})."
    );
    paragraph::of(&text, "", "")
}
