//! Values of arguments: fixed ones as declared, and those of this machine and this user.

use clap::{Arg, Command, ValueHint};
use nearfar_machine::process::process_ids;
use nearfar_machine::{Inventory, InventoryScope, Process, Source, Topology};
use nearfar_survey::{Content, Store};
use nearfar_sweep::recipe::builtin_recipes;

use crate::commands::GROUPS;
use crate::documents::KINDS;
use crate::jobs::JOBS;

/// What fits instead of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Completion {
    /// A word, and what it is.
    Word(String, String),
    /// Files by the shell.
    Files,
    Folders,
    /// Programs of `$PATH`.
    Programs,
    Users,
}

use Completion::{Files, Folders, Programs, Users, Word};

/// The values of an argument that fit; lists are completed at their last comma.
pub(super) fn values(command: &Command, arg: &Arg, typed: &str) -> Vec<Completion> {
    let fixed = arg.get_possible_values();
    if fixed.is_empty() && !is_list(arg) {
        return by_meaning(command.get_name(), arg, typed);
    }
    let (start, end) = match typed.rfind(',').filter(|_| is_list(arg)) {
        Some(comma) => typed.split_at(comma + 1),
        None => ("", typed),
    };
    let mut all = if fixed.is_empty() {
        by_meaning(command.get_name(), arg, end)
    } else {
        fixed.iter().map(|value| about(value.get_name(), value.get_help())).collect()
    };
    for one in &mut all {
        if let Word(word, _) = one {
            word.insert_str(0, start);
        }
    }
    all
}

fn is_list(arg: &Arg) -> bool {
    arg.get_value_delimiter() == Some(',') || value_name(arg).contains(",.")
}

fn value_name(arg: &Arg) -> &str {
    arg.get_value_names().and_then(|names| names.first()).map_or("", |name| name.as_str())
}

fn about(word: &str, about: Option<impl ToString>) -> Completion {
    Word(word.to_owned(), about.map(|about| about.to_string()).unwrap_or_default())
}

fn plain(word: &impl ToString) -> Completion {
    Word(word.to_string(), String::new())
}

/// By the command, the name of the value in its help, and for lists the option.
fn by_meaning(command: &str, arg: &Arg, typed: &str) -> Vec<Completion> {
    let is_positional = arg.is_positional();
    match (command, value_name(arg)) {
        (_, "PID" | "PID,...") => processes(typed, false),
        ("where" | "move", "TARGET") => processes(typed, true).into_iter().chain([Files]).collect(),
        ("explain", "TARGET") => processes(typed, true),
        ("run", "PROGRAM") | ("sweep", "COMMAND") => vec![Programs],
        ("show" | "plot" | "links" | "report" | "compare", _) if is_positional => surveys(),
        (_, "DEVICE" | "DEVICE,..") | ("devices", "NAME") | ("gpu", "GPU") => devices(command),
        ("io" | "survey", "TARGET") => vec![Files],
        ("man", "SUBCOMMAND") => commands(),
        ("help", _) => jobs().into_iter().chain(commands()).collect(),
        ("schema", _) => KINDS.iter().map(|kind| about(kind.name(), Some(kind.found_in))).collect(),
        ("firmware", "TABLE") => TABLES.iter().map(plain).collect(),
        (_, "NODES" | "NODE") => nodes(),
        (_, "CPUS") => cpus(),
        (_, "LIST") if arg.get_id() == "nodes" => nodes(),
        (_, "LIST") if arg.get_id() == "cpus" => cpus(),
        ("sweep", "NAME|FILE") => recipes().chain([Files]).collect(),
        (_, "DIR") => vec![Folders],
        (_, "FILE" | "PATH" | "KEYFILE") => vec![Files],
        _ => by_hint(arg.get_value_hint()),
    }
}

fn by_hint(hint: ValueHint) -> Vec<Completion> {
    match hint {
        ValueHint::FilePath | ValueHint::AnyPath => vec![Files],
        ValueHint::Username => vec![Users],
        _ => Vec::new(),
    }
}

const TABLES: [&str; 14] = [
    "srat",
    "slit",
    "hmat",
    "madt",
    "pptt",
    "msct",
    "cedt",
    "crat",
    "cdit",
    "dsdt",
    "ssdt",
    "smbios",
    "device-tree",
    "map",
];

fn commands() -> Vec<Completion> {
    GROUPS.iter().flat_map(|group| group.subcommands).map(|one| plain(&one.name)).collect()
}

fn recipes() -> impl Iterator<Item = Completion> {
    builtin_recipes().map(|recipe| about(&recipe.name, Some(recipe.question)))
}

fn jobs() -> Vec<Completion> {
    JOBS.iter().map(|job| about(job.name, Some(job.question))).collect()
}

/// Process IDs with their names; after a letter the names, where these are targets.
fn processes(typed: &str, takes_names: bool) -> Vec<Completion> {
    let source = Source::live();
    let by_name = takes_names && !typed.is_empty() && !typed.starts_with(|c: char| c.is_numeric());
    let mut names = Vec::new();
    let mut all = Vec::new();
    for pid in process_ids(&source) {
        let name = Process::known(&source, pid).name().unwrap_or_default();
        if !by_name {
            all.push(about(&pid.to_string(), Some(name)));
        } else if !names.contains(&name) {
            all.push(plain(&name));
            names.push(name);
        }
    }
    all
}

/// Numbers of saved surveys, and files.
fn surveys() -> Vec<Completion> {
    let kept = Store::from_user().and_then(|store| store.list()).unwrap_or_default();
    let number = |(index, kept): (usize, &nearfar_survey::KeptSurvey)| match &kept.content {
        Content::Survey { machine, provenance, .. } => {
            let what = format!("{} {}", machine.short_name(), provenance.started);
            Some(about(&(index + 1).to_string(), Some(what)))
        }
        Content::Unreadable { .. } => None,
    };
    kept.iter().enumerate().filter_map(number).chain([Files]).collect()
}

/// Labels, and the kernel's names. `gpu` takes GPUs alone.
fn devices(command: &str) -> Vec<Completion> {
    let inventory = Inventory::read(&Source::live(), InventoryScope::Usual);
    let mut all = Vec::new();
    for (device, label) in inventory.devices.iter().zip(inventory.labels()) {
        let is_wanted = command != "gpu" || label.starts_with("GPU");
        let names = device.names.iter().map(|named| named.name.clone());
        let about_it = names.clone().next();
        let words = std::iter::once(label).chain(names).filter(|_| is_wanted);
        all.extend(words.map(|word| about(&word, about_it.clone())));
    }
    all
}

fn nodes() -> Vec<Completion> {
    let topology = Topology::read(&Source::live());
    let nodes = topology.map(|topology| topology.online_nodes()).unwrap_or_default();
    nodes.iter().map(|node| plain(&node)).chain([plain(&"all")]).collect()
}

fn cpus() -> Vec<Completion> {
    let topology = Topology::read(&Source::live());
    let cpus = topology.map(|topology| topology.online()).unwrap_or_default();
    cpus.iter().map(|cpu| plain(&cpu)).chain([plain(&"all")]).collect()
}
