//! CPUs and caches in lines of text.

use super::CacheGroup;
use crate::draw::label::{clean, width};

/// Lines that a list of CPUs or caches may take.
const LIST_LINES: usize = 8;

/// The CPUs of these: "CPU 3", "CPUs 0-11".
pub(super) fn called<'g>(groups: impl IntoIterator<Item = &'g CacheGroup>) -> String {
    let (mut number, mut lists) = (0, Vec::new());
    for group in groups {
        number += group.cpus.len();
        lists.push(group.list());
    }
    format!("{} {}", if number == 1 { "CPU" } else { "CPUs" }, lists.join(","))
}

/// A list in lines that fit, broken after commas and semicolons; between words only where a line
/// has no room for an item. The last line is cut where there is more.
pub(super) fn listed(text: &str, room: f64) -> Vec<String> {
    let text = clean(text);
    let mut lines = vec![String::new()];
    let words = |item| {
        let separators: &[char] = if width(str::trim(item)) <= room { &[] } else { &[' '] };
        item.split_inclusive(separators)
    };
    for part in text.split_inclusive([',', ';']).flat_map(words) {
        let full = lines.len() == LIST_LINES;
        match lines.last_mut() {
            Some(line) if line.is_empty() || width(line) + width(part.trim_end()) <= room => {
                line.push_str(part);
            }
            Some(line) if full => {
                line.push_str(part);
                break;
            }
            _ => lines.push(part.trim_start().to_owned()),
        }
    }
    lines
}
