//! Who was asked, and what each says.

use nearfar_diagnose::{Hearing, Testimony, Witness};

use super::statements;
use crate::paragraph;

const INDENT: &str = "                 ";

/// A paragraph a witness.
pub(super) fn text(witnesses: &[Testimony]) -> String {
    let mut text = "Witnesses\n".to_owned();
    for testimony in witnesses {
        let head = format!("  {:15}", name(testimony.witness));
        let silent = match testimony.heard {
            Hearing::Heard => "says nothing",
            Hearing::Denied => "there, and for root only",
            Hearing::Absent => "nothing to be asked",
        };
        let said: Vec<String> = testimony.says.iter().map(statements::line).collect();
        let says = if said.is_empty() { silent.to_owned() } else { said.join("; ") };
        text += &paragraph::of(&says, &head, INDENT);
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
