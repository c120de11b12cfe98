//! Files under `src` that no module names: the compiler passes over them in silence.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::ensure;

use crate::sources::{read, rust_files, source_folders};

/// Checks every crate of the workspace.
pub(crate) fn check(workspace: &Path) -> anyhow::Result<()> {
    let mut unused = Vec::new();
    for folder in source_folders(workspace)? {
        unused.extend(unused_in(&folder)?);
    }
    let names: Vec<_> = unused
        .iter()
        .map(|file| file.strip_prefix(workspace).unwrap_or(file).to_string_lossy())
        .collect();
    ensure!(names.is_empty(), "no module names these files:\n  {}", names.join("\n  "));
    Ok(())
}

/// The files of one crate that neither `mod` nor `#[path]` names.
fn unused_in(source: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let files = rust_files(source)?;
    let texts = files
        .iter()
        .map(|file| Ok((file, read(file)?)))
        .collect::<anyhow::Result<BTreeMap<_, _>>>()?;
    let by_path = |file: &Path| {
        let end = format!("/{}\"]", file.file_name().unwrap_or_default().to_string_lossy());
        texts.values().any(|text| text.contains("#[path = ") && text.contains(&end))
    };
    let is_named = |file: &Path| {
        let Some((folder, name)) = file.parent().zip(file.file_stem()) else { return true };
        let root = folder == source && (name == "lib" || name == "main");
        let parents = [folder.with_extension("rs"), folder.join("lib.rs"), folder.join("main.rs")];
        let declaration = format!("mod {};", name.to_string_lossy());
        root || parents
            .iter()
            .filter_map(|parent| texts.get(parent))
            .any(|text| text.lines().any(|line| line.ends_with(&declaration)))
            || by_path(file)
    };
    Ok(files.iter().filter(|file| !is_named(file)).cloned().collect())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn files_without_a_module_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("lib.rs", "pub(crate) mod a;\n#[path = \"other/c.rs\"]\nmod d;\n");
        write("a.rs", "mod inner;\n");
        write("a/inner.rs", "");
        write("a/left.rs", "");
        write("other/c.rs", "");
        write("b.rs", "");
        let mut found = unused_in(folder.path()).unwrap();
        found.sort();
        assert_eq!(found, ["a/left.rs", "b.rs"].map(|name| folder.path().join(name)));
    }
}
