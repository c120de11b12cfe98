//! Why a key does nothing.

use crate::key::Key;

/// A key that does nothing.
pub(crate) fn senseless(key: Key) -> String {
    match key {
        Key::Char('H') => "H: rows are processes; Enter shows the threads of one".to_owned(),
        Key::Function(7 | 8) => {
            format!("{}: priorities do not move memory; renice(1) sets them", name(key))
        }
        _ => format!("{}: no such key here; F1 lists them", name(key)),
    }
}

/// A key that needs running processes in the list.
pub(crate) fn without_processes(key: Key, is_replay: bool) -> String {
    let why = match is_replay {
        true => "a recording has no running processes",
        false => "these are control groups; c shows processes",
    };
    format!("{}: {why}", name(key))
}

fn name(key: Key) -> String {
    match key {
        Key::Char(letter) => letter.to_string(),
        Key::Function(number) => format!("F{number}"),
        _ => format!("{key:?}"),
    }
}
