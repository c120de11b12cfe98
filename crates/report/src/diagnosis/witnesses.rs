//! Who was asked, and what each says.

use nearfar_diagnose::{Witness, WitnessAvailability, WitnessReport};

use super::statements;
use crate::paragraph;

const INDENT: &str = "                 ";

/// A paragraph a witness.
pub(super) fn text(witnesses: &[WitnessReport]) -> String {
    let mut text = "Witnesses\n".to_owned();
    for testimony in witnesses {
        let head = format!("  {:15}", name(testimony.witness));
        let silent = match testimony.availability {
            WitnessAvailability::Available => "says nothing",
            WitnessAvailability::Denied => "there, and for root only",
            WitnessAvailability::Absent => "nothing to be asked",
        };
        let said: Vec<String> = testimony.statements.iter().map(statements::line).collect();
        let statements = if said.is_empty() { silent.to_owned() } else { said.join("; ") };
        text += &paragraph::of(&statements, &head, INDENT);
    }
    text
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
