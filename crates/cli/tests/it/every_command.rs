//! Every command, with the files that it reads and writes: the table that tests walk.

use std::collections::{BTreeMap, BTreeSet};

use crate::user::{User, success};

/// Stands for a file's path in the arguments of the table.
pub(crate) const FILE: &str = "FILE";

/// A command, and the arguments by which it takes files.
pub(crate) struct CommandRow {
    pub(crate) name: &'static str,
    /// Arguments after the name that make it read [`FILE`].
    pub(crate) reads: &'static [&'static [&'static str]],
    /// Arguments after the name that make it write [`FILE`].
    pub(crate) writes: &'static [&'static [&'static str]],
}

const fn row(
    name: &'static str,
    reads: &'static [&'static [&'static str]],
    writes: &'static [&'static [&'static str]],
) -> CommandRow {
    CommandRow { name, reads, writes }
}

/// A survey that can be read, for commands that take two.
pub(crate) const SURVEY: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../report/tests/golden/several.json");

/// All commands, in the order of the help. A measurement that would write is as short as it can be.
pub(crate) const COMMANDS: &[CommandRow] = &[
    row("survey", &[&["--quick", "--io", FILE]], &[&["--quick", "-o", FILE]]),
    row("latency", &[], &[&["-o", FILE]]),
    row("bandwidth", &[], &[&["-o", FILE]]),
    row("loaded", &[], &[&["-o", FILE]]),
    row("core-to-core", &[], &[&["-o", FILE]]),
    row("caches", &[], &[&["-o", FILE]]),
    row("interleave", &[], &[&["-o", FILE]]),
    row("io", &[&[FILE]], &[&["--write", FILE], &["/dev/null", "-o", FILE]]),
    row("gpu", &[], &[&["-o", FILE]]),
    row("hidden", &[], &[&["-o", FILE]]),
    row("topology", &[&["--root", FILE]], &[]),
    row(
        "devices",
        &[
            &["--root", FILE],
            &["--matrix", "--nvidia-smi", FILE],
            &["--as", "nccl", "--survey", FILE],
        ],
        &[&["--as", "nccl", "-o", FILE]],
    ),
    row("irq", &[&["--root", FILE], &["--interrupts", FILE]], &[]),
    row("diagnose", &[&["--root", FILE], &["--tables", FILE], &["--log", FILE]], &[]),
    row("doctor", &[], &[]),
    row("firmware", &[&["--root", FILE], &["--tables", FILE]], &[]),
    row(
        "explain",
        &[&[FILE, "--on", "csit-clx-8280-2020"]],
        &[&["name:nf-none", "--response", "--metric", "echo 5", "-o", FILE]],
    ),
    row("links", &[&[FILE]], &[]),
    row("structure", &[&[FILE], &[FILE, "--root", FILE]], &[]),
    row("run", &[], &[]),
    row("where", &[&["1", "--root", FILE]], &[]),
    row("move", &[], &[]),
    row("top", &[&["--replay", FILE]], &[&["-n", "1", "--record", FILE]]),
    row("alias", &[], &[&[FILE]]),
    row(
        "sweep",
        &[&["--resume", FILE], &["--survey", FILE, "--", "true"]],
        &[&["--runs", "1", "-o", FILE, "--", "true"]],
    ),
    row("compare", &[&[FILE, SURVEY], &[SURVEY, FILE]], &[]),
    row("fleet", &[&[FILE], &[SURVEY, "--reference", FILE]], &[&[SURVEY, "--html", FILE]]),
    row("check", &[&["--reference", FILE]], &[]),
    row("atlas", &[&["--survey", FILE], &["submit", FILE]], &[&["--survey", SURVEY, "-o", FILE]]),
    row(
        "show",
        &[&[FILE], &[FILE, "--json"], &[FILE, "--as", "hwloc"]],
        &[&[SURVEY, "--as", "hwloc", "-o", FILE]],
    ),
    row(
        "plot",
        &[
            &["machine", "--root", FILE],
            &["core-to-core", FILE],
            &["latency", FILE],
            &["placements", FILE],
        ],
        &[&["latency", SURVEY, "-o", FILE]],
    ),
    row("report", &[&[FILE], &[SURVEY, FILE]], &[&[SURVEY, "-o", FILE]]),
    row("export", &[], &[&["--textfile", FILE]]),
    row("schema", &[], &[]),
    row("capture", &[&["--root", FILE, "-o", "-"], &["--show", FILE]], &[&["-o", FILE]]),
    row("completions", &[], &[]),
    row("man", &[], &[&["--all", FILE]]),
    row("help", &[], &[]),
];

/// The words of a row, with a path in place of [`FILE`].
pub(crate) fn with_file(command: &str, args: &[&str], path: &str) -> Vec<String> {
    let words = args.iter().map(|word| word.replace(FILE, path));
    std::iter::once(command.to_owned()).chain(words).collect()
}

fn help(args: &[&str]) -> String {
    success(&User::new().run(args))
}

#[test]
fn the_table_has_every_command() {
    let help = help(&["--help"]);
    let named = |line: &str| {
        let rest = line.strip_prefix("  ")?;
        let (name, about) = rest.split_once("  ")?;
        let is_command = !name.is_empty() && !name.contains(' ') && !about.trim().is_empty();
        is_command.then(|| name.to_owned())
    };
    let mut listed: BTreeSet<String> = help.lines().filter_map(named).collect();
    // The first help leaves these out.
    let others = ["links", "structure", "alias", "man", "completions", "help"];
    for name in others {
        assert!(listed.insert(name.to_owned()), "{name}");
    }
    let known = COMMANDS.iter().map(|row| row.name.to_owned()).collect();
    assert_eq!(listed, known, "add a row to COMMANDS");
}

#[test]
fn the_table_has_every_option_that_takes_a_file() {
    let mut missing = BTreeMap::new();
    for row in COMMANDS {
        let words = row.reads.iter().chain(row.writes).flat_map(|args| args.iter().copied());
        let known: BTreeSet<&str> = words.collect();
        let takes_file = |line: &str| {
            let is_option = line.trim_start().starts_with('-');
            is_option && (line.contains("<FILE>") || line.contains("<PATH>"))
        };
        for line in help(&[row.name, "--help"]).lines().filter(|line| takes_file(line)) {
            let mut options = line.split(&[' ', ','][..]).filter(|word| word.starts_with('-'));
            let is_known = options.clone().any(|option| known.contains(option));
            let is_memory = row.name == "run"; // files that are mapped, not read
            if !is_known && !is_memory && options.next().is_some() {
                missing.insert(row.name, line.trim().to_owned());
            }
        }
    }
    assert_eq!(missing, BTreeMap::new(), "add their arguments to COMMANDS");
}
