//! What a file of saved counters had besides one table.

use nearfar_view::text::count_of;

use crate::irq::IrqDocument;
use crate::irq::Span;

/// "counted between the 2 tables of the file (how long is unknown)".
pub(super) fn between(document: &IrqDocument) -> String {
    let which = match document.saved.map_or(0, |file| file.tables) {
        2 => "the 2 tables".to_owned(),
        tables => format!("the first and the last of {tables} tables"),
    };
    let mut irqs =
        document.devices.iter().flat_map(|device| &device.interrupts).chain(&document.others);
    let time = match irqs.all(|irq| irq.count == Some(0)) {
        true => "which have the same counts",
        false => "how long is unknown",
    };
    format!("counted between {which} of the file ({time})")
}

/// How many lines were not understood.
pub(super) fn ignored(document: &IrqDocument) -> Option<String> {
    let file = document.saved.filter(|file| file.ignored > 0)?;
    let ignored = count_of(file.ignored, file.lines, "line", "are");
    Some(format!("{ignored} not of /proc/interrupts."))
}

/// The same for readers of JSON and CSV, line by line.
pub fn notes(document: &IrqDocument) -> Vec<String> {
    let counts = (document.span() == Span::Between).then(|| between(document));
    counts.into_iter().chain(ignored(document)).collect()
}
