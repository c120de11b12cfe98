//! The MANIFEST of a capture, for users who want to know what they send.

use super::{CAPTURE_SCHEMA, Capture, CapturedItem, Privacy};

pub(super) fn text(capture: &Capture) -> String {
    let mut text = format!(
        "{CAPTURE_SCHEMA}, made by nearfar {} of {}\n{}\n",
        env!("CARGO_PKG_VERSION"),
        capture.origin,
        match capture.privacy {
            Privacy::Removed =>
                "It has numbers, known words, and the parameters and messages that nearfar reads \
                 (docs/start/capture.md).",
            Privacy::Kept =>
                "Nothing was taken out: serial numbers, addresses, host names and passwords may be \
                 in here.",
        }
    );
    section(&mut text, "Not in here, and why", left_out(capture));
    section(&mut text, "Changed, and what was taken out", changed(capture));
    section(&mut text, "In here, with bytes", files(capture));
    text
}

pub(super) fn section(text: &mut String, title: &str, lines: Vec<String>) {
    if lines.is_empty() {
        return;
    }
    text.push_str(&format!("\n{title}\n"));
    for line in lines {
        // Names come from the machine; keep one line each.
        text.push_str(&format!("  {}\n", line.replace(char::is_control, "?")));
    }
}

fn left_out(capture: &Capture) -> Vec<String> {
    let denied = capture.denied().map(|path| format!("{path}: unreadable: not root"));
    denied.chain(capture.notes.iter().cloned()).collect()
}

pub(super) fn changed(capture: &Capture) -> Vec<String> {
    let line = |(path, item): (&String, &CapturedItem)| match item {
        CapturedItem::File { removed, .. } if !removed.what().is_empty() => {
            Some(format!("{path}: {}", removed.what().join(", ")))
        }
        _ => None,
    };
    capture.items.iter().filter_map(line).collect()
}

fn files(capture: &Capture) -> Vec<String> {
    let line = |(path, item): (&String, &CapturedItem)| match item {
        CapturedItem::File { bytes, .. } => Some(format!("{path} {}", bytes.len())),
        CapturedItem::Denied | CapturedItem::Folder | CapturedItem::Link(_) => None,
    };
    capture.items.iter().filter_map(line).collect()
}
