//! Who serves interrupts: table, sums by node, queues, irqbalance, findings.

mod balancer;
pub mod by_device;
mod csv;
mod findings;
mod queues;
pub mod rate;
mod rows;
mod saved;
mod summary;
mod totals;

use nearfar_view::terminal::printable;
use nearfar_view::text::{count, first_lines, paragraph, sections};

use crate::irq::Span;
use crate::irq::{Irq, IrqDocument};

pub use csv::csv;
pub use findings::sentence as finding_sentence;
pub use saved::notes;
pub use summary::{line, summary};
pub use totals::by_node;

/// How many oddities are shown; the JSON document has them all.
const MAX_ODDITIES: usize = 10;

/// The interrupts of a machine, in sections one empty line apart.
pub fn text(document: &IrqDocument, folding: Folding) -> String {
    printable::lines(&sections([
        heading(document),
        rows::text(document, folding),
        totals::text(document),
        totals::softirqs(document),
        queues::text(document),
        balancer::text(document),
        findings::text(document),
        oddities(document),
    ]))
}

fn heading(document: &IrqDocument) -> String {
    let interrupts: usize = document.devices.iter().map(|device| device.interrupts.len()).sum();
    let nodes = match document.nodes.len() {
        0 => "nodes unknown".to_owned(),
        1 => format!("one node ({})", document.nodes),
        _ => format!("nodes {}", document.nodes),
    };
    let when = match document.span() {
        Span::SinceBoot => "counts since boot".to_owned(),
        Span::Seconds(seconds) => format!("counted for {seconds:.1} s"),
        Span::Between => saved::between(document),
    };
    let facts = [
        count(interrupts, "interrupt") + " of " + &count(document.devices.len(), "device"),
        count(document.cpus.len(), "CPU"),
        nodes,
        when,
    ];
    let machine = document.machine.iter().map(|machine| format!("{machine}\n"));
    let changed = (!document.changed_cpus.is_empty()).then(|| {
        let text = format!(
            "CPUs {} came or went meanwhile: what they served is not counted.",
            document.changed_cpus
        );
        paragraph::of(&text, "", "")
    });
    let facts = paragraph::of(&facts.join(", "), "", "");
    machine.chain([facts]).chain(changed).chain(saved::ignored(document)).collect()
}

fn oddities(document: &IrqDocument) -> String {
    if document.oddities.is_empty() {
        return String::new();
    }
    let lines = document.oddities.iter().map(|line| format!("  {line}\n"));
    "Malformed, ignored\n".to_owned() + &first_lines(lines, MAX_ODDITIES, "  ")
}

/// Whether idle interrupts share a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folding {
    /// The idle ones of a device share a row.
    Idle,
    /// Those that were not served share a row.
    Unserved,
    /// Every interrupt has a row.
    Nothing,
}

impl Folding {
    /// Whether an interrupt shares a row with others. Unknown counts are no idle ones.
    fn folds(self, irq: &Irq) -> bool {
        match self {
            Self::Idle => irq.is_idle(),
            Self::Unserved => irq.count == Some(0),
            Self::Nothing => false,
        }
    }
}
