//! The memory of all processes, in words.

use nearfar_view::text::{count, paragraph};

use crate::explain::ExplainDocument;

/// "3 processes: at least 211 MiB, each page once: 120 MiB on node 0, 91 MiB on node 1".
pub(super) fn text(document: &ExplainDocument) -> String {
    let Some(together) = &document.together else { return String::new() };
    let least = if together.is_exact { "" } else { "at least " };
    let on = together.by_node.iter().map(|on| format!("{} on node {}", on.bytes, on.node));
    let places = on.collect::<Vec<_>>().join(", ");
    let processes = count(document.processes.len(), "process");
    let line = format!("{processes}: {least}{}, each page once: {places}", together.bytes);
    paragraph::of(&line, "", "  ")
}
