//! Rules that the compiler does not know, checked over the source text.

use std::path::Path;

use anyhow::ensure;

use crate::sources::{all_rust_files, product_files, scripts};
use crate::{columns, let_chains, words};

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

/// What a crate that takes text and bytes does without; it may read from what is handed to it
/// (`std::io`).
const TOUCHES_THE_WORLD: [&str; 6] =
    ["std::fs", "std::env", "std::time", "std::process", "std::net", "std::thread"];

const RULES: [Rule; 11] = [
    Rule {
        forbidden: &["csv::Writer", "WriterBuilder"],
        allowed_in: &["crates/view/src/text/csv_text.rs"],
        applies_to: "crates/",
        why: "one writer of CSV knows what a spreadsheet computes",
    },
    Rule {
        forbidden: &["serde_json::to_writer"],
        // Messages between processes of nearfar.
        allowed_in: &["crates/model/src/json.rs", "crates/probe/"],
        applies_to: "crates/",
        why: "one writer of JSON escapes what a terminal obeys",
    },
    Rule {
        forbidden: &["char::is_control", "c.is_control()"],
        allowed_in: &["crates/model/src/obeyed.rs", "crates/machine/src/capture/manifest.rs"],
        applies_to: "crates/",
        why: "nearfar_model::is_obeyed knows all characters that are obeyed",
    },
    Rule {
        forbidden: &["== \"-\""],
        allowed_in: &["crates/cli/src/output_path.rs"],
        applies_to: "crates/cli/src/",
        why: "outputs are OutputPath, for which '-' is standard output",
    },
    Rule {
        forbidden: &["\"/sys", "\"/proc"],
        // A machine's files are read through its Source. A process's own (/proc/self) are no facts
        // about the machine.
        allowed_in: &[
            "crates/machine/",
            "crates/place/src/smaps.rs",
            "crates/place/src/numa_maps.rs",
            "crates/place/src/out_of_memory.rs",
            "crates/place/src/physical_address.rs",
            "crates/probe/src/instruments/io/ring.rs",
            "crates/view/src/owned_files/",
            "crates/cli/src/commands/measuring.rs",
            "crates/gpu-helper/src/program.rs",
        ],
        applies_to: "crates/",
        why: "machines are read through nearfar_machine::Source",
    },
    Rule {
        forbidden: &["fs::read(", "fs::read)", "read_to_string(", "File::open", ".read(true)"],
        allowed_in: &[
            "crates/view/src/input/",
            "crates/machine/src/source/",
            "crates/machine/src/kernel_log/buffer.rs",
            "crates/machine/src/file_access.rs",
            // Build scripts, and what they include.
            "crates/cli/src/commit.rs",
            // A process's own files in /proc/self.
            "crates/view/src/owned_files/caller.rs",
            "crates/place/src/smaps.rs",
            "crates/place/src/numa_maps.rs",
            "crates/place/src/physical_address.rs",
            // Memory as a file: written and mapped.
            "crates/place/src/shared_memory/file.rs",
            "crates/process/src/numactl/memhog/file.rs",
            // Files that are mapped for their cached pages, without blocking.
            "crates/process/src/page_cache/open_file.rs",
            // Folders and disks that are measured, not read: opened to learn their file system.
            "crates/probe/src/instruments/io/",
            // What a program of ours answers through a pipe.
            "crates/probe/src/instruments/gpu/inventory.rs",
        ],
        applies_to: "crates/",
        why: "what others name is read through view::input: with limits, and never for ever",
    },
    Rule {
        forbidden: &[
            "std::fs",
            "std::env",
            "std::time",
            "std::process",
            "std::net",
            "std::thread",
            "std::io",
        ],
        allowed_in: &[],
        applies_to: "crates/infer/src/",
        why: "inference is pure: numbers and a seed in, statements out",
    },
    Rule {
        forbidden: &TOUCHES_THE_WORLD,
        allowed_in: &[],
        applies_to: "crates/firmware/src/linux/",
        why: "the kernel's rules are pure: tables, text and facts in, predictions out",
    },
    Rule {
        forbidden: &TOUCHES_THE_WORLD,
        // A table, a folder of tables, a text: whatever a person names.
        allowed_in: &["crates/firmware/src/collection/path.rs"],
        applies_to: "crates/firmware/src/",
        why: "decoders take bytes and know no file",
    },
    Rule {
        forbidden: &["thread::spawn(", "scope.spawn("],
        allowed_in: &[],
        applies_to: "crates/",
        why: "where no thread can be started these panic: use thread::Builder",
    },
    Rule {
        forbidden: &["Command::new(\"sh\")", "Command::new(\"nvidia-smi\")"],
        allowed_in: &[],
        applies_to: "crates/",
        why: "PATH does not decide what root starts: a path, or TrustedPrograms",
    },
];

/// Checks every source file of the crates, tests and benches aside.
pub(crate) fn check(workspace: &Path) -> anyhow::Result<()> {
    let mut broken = Vec::new();
    for (name, text) in product_files(workspace)? {
        // What stands below a file's tests is test code.
        let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        broken.extend(RULES.iter().flat_map(|rule| rule.breaches(&name, code)));
    }
    ensure!(broken.is_empty(), "rules are broken (xtask/src/rules.rs):\n  {}", broken.join("\n  "));
    let files = all_rust_files(workspace)?;
    let_chains::check(workspace, &files)?;
    let files = [files, scripts(workspace)?].concat();
    columns::check(workspace, &files)?;
    words::check(workspace, &files)?;
    println!("rules: {} files", files.len());
    Ok(())
}

impl Rule {
    fn breaches(&self, name: &str, code: &str) -> Vec<String> {
        let exempt = self.allowed_in.iter().any(|start| name.starts_with(start));
        if exempt || !name.starts_with(self.applies_to) {
            return Vec::new();
        }
        let lines = code.lines().zip(1..).filter(|(line, _)| !line.trim_start().starts_with("//"));
        let found = lines.filter(|(line, _)| self.forbidden.iter().any(|text| line.contains(text)));
        found
            .map(|(line, number)| format!("{name}:{number}: {} ({})", line.trim(), self.why))
            .collect()
    }
}
