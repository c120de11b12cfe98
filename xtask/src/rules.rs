//! Rules that the compiler does not know, checked over the source text.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::let_chains;

/// Text that may stand in some files only.
struct Rule {
    /// What may not stand there.
    forbidden: &'static [&'static str],
    /// Files in which it may, by the start of their path.
    allowed_in: &'static [&'static str],
    /// Files to which the rule applies, by the start of their path.
    applies_to: &'static str,
    why: &'static str,
}

/// What a crate that takes text and bytes does without; it may read from what is handed to it (`std::io`).
const TOUCHES_THE_WORLD: [&str; 6] = ["std::fs", "std::env", "std::time", "std::process", "std::net", "std::thread"];

const RULES: [Rule; 4] = [
    Rule {
        forbidden: &["\"/sys", "\"/proc"],
        // A machine's files are read through its Source. A process's own (/proc/self) are no facts about the machine.
        allowed_in: &[
            "crates/machine/",
            "crates/place/src/smaps.rs",
            "crates/place/src/numa_maps.rs",
            "crates/place/src/out_of_memory.rs",
            "crates/place/src/physical_address.rs",
            "crates/survey/src/whole_file.rs",
            "crates/cli/src/commands/measuring.rs",
        ],
        applies_to: "crates/",
        why: "machines are read through nearfar_machine::Source",
    },
    Rule {
        forbidden: &["std::fs", "std::env", "std::time", "std::process", "std::net", "std::thread", "std::io"],
        allowed_in: &[],
        applies_to: "crates/infer/src/",
        why: "inference is pure: numbers and a seed in, statements out",
    },
    Rule {
        forbidden: &TOUCHES_THE_WORLD,
        allowed_in: &[],
        applies_to: "crates/linux/src/",
        why: "the kernel's rules are pure: tables, text and facts in, predictions out",
    },
    Rule {
        forbidden: &TOUCHES_THE_WORLD,
        // A table, a folder of tables, a text: whatever a person names.
        allowed_in: &["crates/firmware/src/collection/path.rs"],
        applies_to: "crates/firmware/src/",
        why: "decoders take bytes and know no file",
    },
];

/// Checks every source file of the crates, tests and benches aside.
pub(crate) fn check() -> anyhow::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?;
    let mut broken = Vec::new();
    for file in source_files(&root)? {
        let name = file.strip_prefix(&root)?.to_string_lossy().into_owned();
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read {name}"))?;
        // What stands below a file's tests is test code.
        let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        broken.extend(RULES.iter().flat_map(|rule| rule.breaches(&name, code)));
    }
    if !broken.is_empty() {
        bail!("rules are broken (xtask/src/rules.rs):\n  {}", broken.join("\n  "));
    }
    let mut files = Vec::new();
    ["crates", "lab", "xtask"].iter().try_for_each(|folder| collect(&root.join(folder), &mut files))?;
    let_chains::check(&root, &files)?;
    println!("rules: {} files", files.len());
    Ok(())
}

/// The source files of the crates, without tests and benches.
pub(crate) fn source_files(root: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    collect(&root.join("crates"), &mut files)?;
    files.retain(|file| {
        let name = file.strip_prefix(root).unwrap_or(file).to_string_lossy();
        name.contains("/src/") && !name.contains("/tests") && !name.ends_with("tests.rs")
    });
    files.sort();
    Ok(files)
}

impl Rule {
    fn breaches(&self, name: &str, code: &str) -> Vec<String> {
        let exempt = self.allowed_in.iter().any(|start| name.starts_with(start));
        if exempt || !name.starts_with(self.applies_to) {
            return Vec::new();
        }
        let lines = code.lines().zip(1..).filter(|(line, _)| !line.trim_start().starts_with("//"));
        let found = lines.filter(|(line, _)| self.forbidden.iter().any(|text| line.contains(text)));
        found.map(|(line, number)| format!("{name}:{number}: {} ({})", line.trim(), self.why)).collect()
    }
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
