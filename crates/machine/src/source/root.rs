//! Finds the folder that represents `/`: captures often have one or two folders around it.

use std::path::Path;

use crate::error::MachineError;

/// Maximum depth of the machine's folder.
const MAX_DEPTH: usize = 3;
/// Maximum number of folders per level.
const MAX_FOLDERS: usize = 1000;

/// The topmost folder with a `sys`, relative to the top ("" for the top itself). `folders` lists
/// the subfolders; `path` is for messages.
pub(super) fn find(
    path: &Path,
    folders: impl Fn(&str) -> Vec<String>,
) -> Result<String, MachineError> {
    let mut level = vec![String::new()];
    for _ in 0..=MAX_DEPTH {
        let holds: Vec<Vec<String>> = level.iter().map(|folder| folders(folder)).collect();
        let has_sys = |inner: &[String]| inner.iter().any(|name| name == "sys");
        let mut found: Vec<String> = level
            .iter()
            .zip(&holds)
            .filter(|(_, inner)| has_sys(inner))
            .map(|(folder, _)| folder.clone())
            .collect();
        if found.len() > 1 {
            return Err(MachineError::SeveralMachines { path: path.to_owned(), names: found });
        }
        if let Some(only) = found.pop() {
            return Ok(only);
        }
        let below = level
            .iter()
            .zip(&holds)
            .flat_map(|(folder, inner)| inner.iter().map(move |name| join(folder, name)));
        level = below.take(MAX_FOLDERS).collect();
    }
    Err(MachineError::NoMachine { path: path.to_owned() })
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find_among(paths: &[&str]) -> Result<String, MachineError> {
        find(Path::new("x.tar"), |folder| {
            let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
            let below = paths.iter().filter_map(|path| path.strip_prefix(prefix.as_str()));
            let mut names: Vec<String> =
                below.filter_map(|rest| rest.split('/').next()).map(str::to_owned).collect();
            names.dedup();
            names
        })
    }

    #[test]
    fn machine_may_be_in_a_subfolder() {
        assert_eq!(find_among(&["proc", "sys/devices"]).unwrap(), "");
        assert_eq!(find_among(&["a/b/proc", "a/b/sys/fs/sys"]).unwrap(), "a/b");
    }

    #[test]
    fn no_machine_and_several_are_different_errors() {
        assert!(matches!(find_among(&["a/b"]), Err(MachineError::NoMachine { .. })));
        let several = find_among(&["a/sys", "b/sys"]).unwrap_err().to_string();
        assert_eq!(several, "x.tar has several machines (a, b): unpack it and give one of them");
    }
}
