//! The sources of a diagnosis, and what each states.

use nearfar_view::text::paragraph;

use super::statements;
use crate::{NodeMemoryShare, Witness, WitnessAvailability, WitnessReport, WitnessStatement};

const INDENT: &str = "                 ";

/// A paragraph for each source.
pub(super) fn text(witnesses: &[WitnessReport]) -> String {
    let mut text = "Sources\n".to_owned();
    for testimony in witnesses {
        let head = format!("  {:15}", name(testimony.witness));
        let empty = match testimony.availability {
            WitnessAvailability::Available => "no statement",
            WitnessAvailability::Denied => "readable by root only",
            WitnessAvailability::Absent => "not available",
        };
        let statements: Vec<String> =
            distinct(&testimony.statements).map(statements::line).collect();
        let statements =
            if statements.is_empty() { empty.to_owned() } else { statements.join("; ") };
        text += &paragraph::of(&statements, &head, INDENT);
    }
    text
}

/// Without the size of all memory, where the statement about the node contains it.
fn distinct(statements: &[WitnessStatement]) -> impl Iterator<Item = &WitnessStatement> {
    let total = statements.iter().find_map(|statement| match statement {
        WitnessStatement::OneNode { memory: NodeMemoryShare::Part { of_bytes, .. }, .. } => {
            Some(*of_bytes)
        }
        _ => None,
    });
    statements.iter().filter(move |statement| match statement {
        WitnessStatement::Memory { bytes } => Some(*bytes) != total,
        _ => true,
    })
}

fn name(witness: Witness) -> &'static str {
    match witness {
        Witness::Firmware => "firmware",
        Witness::Cpus => "processors",
        Witness::DimmSlots => "memory slots",
        Witness::Kernel => "kernel",
        Witness::Sysfs => "sysfs",
    }
}
