//! Who serves interrupts: table, sums by node, queues, irqbalance, findings.

mod answer;
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
use nearfar_view::terminal::screen::Screen;
use nearfar_view::text::fitted::ScreenParts;
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

/// The interrupts of a machine: who serves those of each device.
pub fn text(document: &IrqDocument, folding: Folding) -> Screen {
    let sections = [
        by_device::text(document),
        findings::text(document),
        rows::text(document, folding),
        totals::text(document),
        totals::softirqs(document),
        queues::text(document),
        balancer::text(document),
        oddities(document),
    ];
    let mut answer = answer::answer(document);
    answer.extend(heading(document));
    ScreenParts {
        answer,
        to_do: answer::to_do(document, folding),
        sections: sections.iter().map(|section| printable::lines(section)).collect(),
        verdict: answer::verdict(document),
    }
    .screen()
}

/// What is known without waiting: the answer and the counts by device.
pub fn counts(document: &IrqDocument) -> String {
    let answer = paragraph::of(&format!("{}.", answer::verdict(document)), "", "");
    let counts = nearfar_view::text::fitted::folded(&printable::lines(&by_device::text(document)));
    sections([answer, counts])
}

fn heading(document: &IrqDocument) -> Vec<String> {
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
    let changed = (!document.changed_cpus.is_empty()).then(|| {
        format!(
            "CPUs {} came or went meanwhile: what they served is not counted.",
            document.changed_cpus
        )
    });
    let machine = document.machine.iter().cloned();
    let facts = machine.chain([facts.join(", ")]).collect::<Vec<_>>().join(": ");
    [Some(facts), changed, saved::ignored(document)].into_iter().flatten().collect()
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
