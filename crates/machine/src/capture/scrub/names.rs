//! The machine's own names: its host name, and the serial numbers in firmware.
//!
//! Unlike MAC addresses, they cannot be recognised by their format.

use std::collections::BTreeMap;

use super::smbios;
use crate::source::{RecordedPath, Source};

const HOST_NAME: &str = "/proc/sys/kernel/hostname";
const SMBIOS: &str = "/sys/firmware/dmi/tables/DMI";
/// Files of DMI with serial numbers; most are only readable by root.
const DMI: [&str; 6] = [
    "product_serial",
    "board_serial",
    "chassis_serial",
    "board_asset_tag",
    "chassis_asset_tag",
    "product_uuid",
];
/// Common host names, which identify no machine and appear in other messages.
const COMMON_HOST_NAMES: [&str; 6] = ["localhost", "linux", "debian", "ubuntu", "fedora", "(none)"];

/// Words that are overwritten wherever they are whole words in free text.
pub(super) struct PrivateNames {
    host: Vec<String>,
    serials: Vec<String>,
}

impl PrivateNames {
    pub(super) fn new(source: &Source, seen: &BTreeMap<String, RecordedPath>) -> Self {
        let full = source.text(HOST_NAME).unwrap_or_default();
        let short = full.split('.').next().unwrap_or_default().to_owned();
        let mut host = vec![full, short];
        host.retain(|name| {
            name.len() >= 2 && !COMMON_HOST_NAMES.contains(&name.to_lowercase().as_str())
        });
        host.dedup();
        let mut serials: Vec<String> = DMI
            .iter()
            .filter_map(|name| source.text(&format!("/sys/class/dmi/id/{name}")))
            .collect();
        if let Some(RecordedPath::File(table)) = seen.get(SMBIOS) {
            serials.extend(smbios::serials(table));
        }
        serials.retain(|serial| is_specific(serial));
        serials.sort_by_key(|serial| std::cmp::Reverse(serial.len()));
        serials.dedup();
        Self { host, serials }
    }

    /// Free text without these names.
    pub(super) fn without(&self, text: &str, found: &mut Vec<&'static str>) -> String {
        let host = self.host.iter().map(|name| (name, "host name"));
        let serials = self.serials.iter().map(|name| (name, "serial numbers"));
        host.chain(serials)
            .fold(text.to_owned(), |text, (name, what)| without_word(&text, name, what, found))
    }
}

/// Whether a text is specific enough for a serial number: not a word, a size or "Default string".
fn is_specific(serial: &str) -> bool {
    let has_digit = serial.bytes().any(|byte| byte.is_ascii_digit());
    let has_letter = serial.bytes().any(|byte| byte.is_ascii_alphabetic());
    let is_one_word = !serial.contains(char::is_whitespace);
    has_digit && is_one_word && (serial.len() >= 8 || has_letter && serial.len() >= 6)
}

/// Overwrites a word with 'x' where it is not part of a longer one.
fn without_word(
    text: &str,
    word: &str,
    what: &'static str,
    found: &mut Vec<&'static str>,
) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(word) {
        let end = at + word.len();
        let joins = |letter: Option<char>| {
            letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
        };
        let before =
            rest[..at].chars().next_back().or_else(|| kept.chars().next_back().filter(|_| at == 0));
        kept.push_str(&rest[..at]);
        if joins(before) || joins(rest[end..].chars().next()) {
            kept.push_str(word);
        } else {
            found.push(what);
            kept.push_str(&"x".repeat(word.len()));
        }
        rest = &rest[end..];
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(files: &[(&str, &str)]) -> PrivateNames {
        PrivateNames::new(&Source::from_files(files.iter().copied()), &BTreeMap::new())
    }

    #[test]
    fn names_are_removed_as_whole_words() {
        let names = names(&[
            (HOST_NAME, "apollo.example.org\n"),
            ("/sys/class/dmi/id/product_serial", "CZ3XYZ12\n"),
        ]);
        let mut found = Vec::new();
        let text = names.without(
            "apollo kernel: apollo13 at apollo.example.org has CZ3XYZ12, apollo.",
            &mut found,
        );
        assert_eq!(text, "xxxxxx kernel: apollo13 at xxxxxxxxxxxxxxxxxx has xxxxxxxx, xxxxxx.");
        assert_eq!(found.len(), 4);
    }

    #[test]
    fn common_host_names_are_kept() {
        let names = names(&[
            (HOST_NAME, "localhost"),
            ("/sys/class/dmi/id/board_serial", "Default string 1"),
        ]);
        let text = "Linux version 6 on localhost: Default string 1";
        assert_eq!(names.without(text, &mut Vec::new()), text);
    }
}
