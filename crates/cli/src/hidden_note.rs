//! A note beside processes that were selected by a name.

use nearfar_machine::Source;
use nearfar_view::terminal::output;

/// A process that `/proc` hides may have the name, too.
pub(crate) fn note_hidden(source: &Source) {
    if let Some(by) = source.hidden_by().filter(|by| by.is_within_namespace()) {
        output::aside(&format!("nearfar: more processes may have this name: {by}"));
    }
}
