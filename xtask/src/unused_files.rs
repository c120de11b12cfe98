//! Files under `src` that no module names: the compiler passes over them in silence.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

/// Checks the crates under these folders of the workspace.
pub(crate) fn check(workspace: &Path) -> anyhow::Result<()> {
    let mut unused = Vec::new();
    for parent in ["crates", "lab", "."] {
        for entry in fs::read_dir(workspace.join(parent))? {
            let source = entry?.path().join("src");
            if source.is_dir() {
                unused.extend(unused_in(&source)?);
            }
        }
    }
    if unused.is_empty() {
        return Ok(());
    }
    let names = unused.iter().map(|file| file.strip_prefix(workspace).unwrap_or(file).display().to_string());
    bail!("no module names these files:\n  {}", names.collect::<Vec<_>>().join("\n  "));
}

/// The files of one crate that neither `mod` nor `#[path]` names.
fn unused_in(source: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    collect(source, &mut files)?;
    let texts =
        files.iter().map(|file| fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display())));
    let texts = texts.collect::<anyhow::Result<Vec<String>>>()?;
    let by_path = |file: &Path| {
        let end = format!("/{}\"]", file.file_name().unwrap_or_default().to_string_lossy());
        texts.iter().any(|text| text.contains("#[path = ") && text.contains(&end))
    };
    let is_named = |file: &Path| {
        let Some((folder, name)) = file.parent().zip(file.file_stem()) else { return true };
        let root = folder == source && (name == "lib" || name == "main");
        let parents = [folder.with_extension("rs"), folder.join("lib.rs"), folder.join("main.rs")];
        let declaration = format!("mod {};", name.to_string_lossy());
        let declares = |parent: &PathBuf| {
            let at = files.iter().position(|file| file == parent);
            at.is_some_and(|at| texts[at].lines().any(|line| line.ends_with(&declaration)))
        };
        root || parents.iter().any(declares) || by_path(file)
    };
    Ok(files.iter().filter(|file| !is_named(file)).cloned().collect())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
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
