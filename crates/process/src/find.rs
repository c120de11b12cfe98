//! Finds processes by name.

use nearfar_machine::process::process_ids;
use nearfar_machine::{Process, Source};

/// The IDs and names of the processes with exactly this name; if there are none, of those whose
/// name contains it. A process has two names: `comm` (at most 15 characters) and the file name of
/// its first argument. An empty name selects none.
pub fn find_processes(source: &Source, pattern: &str) -> Vec<(u32, String)> {
    if pattern.is_empty() {
        return Vec::new();
    }
    let all: Vec<(u32, [String; 2])> =
        process_ids(source).into_iter().filter_map(|pid| names(source, pid)).collect();
    let those = |matches: &dyn Fn(&str) -> bool| -> Vec<(u32, String)> {
        let found = all.iter().filter(|(_, names)| names.iter().any(|name| matches(name)));
        found.map(|(pid, [name, _])| (*pid, name.clone())).collect()
    };
    let exact = those(&|name| name == pattern);
    if exact.is_empty() { those(&|name| name.contains(pattern)) } else { exact }
}

/// Whether another process than `itself` has exactly this name, as [`find_processes`] compares.
pub(crate) fn has_exact_name(source: &Source, name: &str, itself: Option<u32>) -> bool {
    let others = process_ids(source).into_iter().filter(|pid| Some(*pid) != itself);
    let mut others = others.filter_map(|pid| names(source, pid));
    others.any(|(_, names)| names.iter().any(|own| own == name))
}

/// A process's ID, its `comm`, and the file name of its first argument.
fn names(source: &Source, pid: u32) -> Option<(u32, [String; 2])> {
    let process = Process::find(source, pid).ok()?;
    let name = process.name()?;
    let command = process.command().into_iter().next().unwrap_or_default();
    let file = command.rsplit('/').next().unwrap_or_default().to_owned();
    Some((pid, [name, file]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source() -> Source {
        Source::from_files([
            ("/proc/2/comm", "db"),
            ("/proc/2/cmdline", "/usr/bin/db\0--x\0"),
            ("/proc/3/comm", "db"),
            ("/proc/3/cmdline", "db\0"),
            ("/proc/4/comm", "a-very-long-nam"),
            ("/proc/4/cmdline", "/opt/a-very-long-name-indeed\0db\0"),
            ("/proc/5/comm", "dbus"),
            ("/proc/5/cmdline", ""),
            ("/proc/6/cmdline", "gone\0"),
        ])
    }

    fn found(pattern: &str) -> Vec<u32> {
        find_processes(&source(), pattern).into_iter().map(|(pid, _)| pid).collect()
    }

    #[test]
    fn exact_names_are_preferred_to_parts() {
        assert_eq!(found("db"), [2, 3]);
        assert_eq!(found("dbu"), [5]);
        assert_eq!(found("a-very-long-name-indeed"), [4]);
        assert_eq!(found("name"), [4]);
    }

    #[test]
    fn arguments_and_empty_names_match_nothing() {
        assert!(found("--x").is_empty() && found("").is_empty() && found("gone").is_empty());
    }
}
