//! Which tables there are.

use nearfar_view::terminal::printable;
use nearfar_view::terminal::screen::Screen;
use nearfar_view::text::count;
use nearfar_view::text::fitted::{ScreenParts, ToDo};

use super::{fault_count, fields, heading};
use crate::acpi::AcpiTable;
use crate::{Firmware, FirmwareFile, ReadState, TableFile};

/// The origin of the running machine's tables.
const THIS_MACHINE: &str = "this machine";

/// Tables about nodes, and what is missing without them.
const ABOUT_NODES: [(&str, &str); 3] =
    [("SRAT", "nodes"), ("SLIT", "distances"), ("HMAT", "costs")];

pub(super) fn screen(firmware: &Firmware) -> Screen {
    let sections = [tables(firmware), others(firmware), left_out(firmware)];
    let summary = summary(firmware);
    let (is_there, is_missing): (Vec<_>, Vec<_>) = ABOUT_NODES
        .iter()
        .partition(|(name, _)| firmware.tables.iter().any(|file| file.name == *name));
    let about = |all: Vec<&(&str, &str)>| {
        let named = all.into_iter().map(|(name, what)| format!("{name} ({what})"));
        named.collect::<Vec<_>>().join(", ")
    };
    let with = Some(about(is_there)).filter(|names| !names.is_empty());
    let without = Some(about(is_missing)).filter(|names| !names.is_empty());
    let with = with.map(|names| format!("About NUMA: {names}."));
    let without = without.filter(|_| !firmware.tables.is_empty());
    let without = without.map(|names| format!("Missing: {names}."));
    let answer = [Some(format!("{summary}.")), why_none(firmware), with, without];
    let answer = answer.into_iter().flatten();
    ScreenParts {
        answer: answer.collect(),
        to_do: to_do(firmware),
        sections: sections.iter().map(|section| printable::lines(section)).collect(),
        verdict: summary,
    }
    .screen()
}

fn is_empty(firmware: &Firmware) -> bool {
    firmware.tables.is_empty() && firmware.smbios.is_none() && firmware.device_tree.is_none()
}

/// Files of a machine without any table do not show what its firmware has.
fn why_none(firmware: &Firmware) -> Option<String> {
    let is_captured = is_empty(firmware) && firmware.origin != THIS_MACHINE;
    is_captured.then(|| {
        format!(
            "{} holds none, so what its firmware describes is unknown. 'sudo nearfar capture' on \
             that machine includes its tables.",
            firmware.origin
        )
    })
}

/// "Firmware: 4 ACPI tables, checksums good, no fault".
fn summary(firmware: &Firmware) -> String {
    if firmware.tables.is_empty() {
        let what = if is_empty(firmware) { "no tables" } else { "no ACPI tables" };
        return format!("Firmware: {what}");
    }
    let read: Vec<&AcpiTable> =
        firmware.tables.iter().filter_map(|file| file.state.decoded()).collect();
    let bad = read.iter().filter(|table| table.header().checksum_holds == Some(false)).count();
    let faults: usize = read.iter().map(|table| table.faults().len()).sum();
    let unread = firmware.tables.len() - read.len();
    let mut facts = vec![count(firmware.tables.len(), "ACPI table")];
    if unread > 0 {
        facts.push(format!("{unread} not read"));
    }
    if !read.is_empty() {
        facts.extend((bad > 0).then(|| count(bad, "bad checksum")));
        facts.push(fault_count(faults));
    }
    format!("Firmware: {}", facts.join(", "))
}

fn tables(firmware: &Firmware) -> String {
    if firmware.tables.is_empty() {
        return String::new();
    }
    let heads = ["table", ">revision", ">bytes", "checksum", "maker", ">faults", "where"];
    let lines = firmware.tables.iter().map(|file| line(file, &firmware.origin)).collect();
    fields::table(&format!("ACPI tables of {}", firmware.origin), heads, lines)
}

fn line(file: &TableFile, origin: &str) -> [String; 7] {
    let place = heading::place(file);
    // The title has named the folder.
    let within = place.strip_prefix(origin).and_then(|rest| rest.strip_prefix('/'));
    let place = within.unwrap_or(&place).to_owned();
    let unread = |why: &str| {
        let [revision, bytes, checksum] = ["-"; 3].map(str::to_owned);
        [
            file.name.clone(),
            revision,
            bytes,
            checksum,
            String::new(),
            String::new(),
            format!("{place}: {why}"),
        ]
    };
    match &file.state {
        ReadState::Denied => unread("unreadable: not root"),
        ReadState::Malformed { why } => unread(why),
        ReadState::Decoded(table) => {
            let header = table.header();
            [
                file.name.clone(),
                header.revision.to_string(),
                header.length_bytes.to_string(),
                heading::checksum(header).to_owned(),
                heading::maker(header),
                fields::or_empty(Some(table.faults().len()).filter(|&faults| faults > 0)),
                place,
            ]
        }
    }
}

fn others(firmware: &Firmware) -> String {
    let tree = firmware.device_tree.as_ref().map(|part| {
        other("device tree", part, |tree| {
            let named = if tree.names_a_node() { "names NUMA nodes" } else { "names no NUMA node" };
            format!(
                "{}, {}, {named}",
                count(tree.memory.len(), "memory node"),
                count(tree.cpus.len(), "CPU")
            )
        })
    });
    let smbios = firmware.smbios.as_ref().map(|part| {
        other("SMBIOS", part, |smbios| {
            let version = smbios
                .version
                .as_ref()
                .map(|version| format!("version {version}, "))
                .unwrap_or_default();
            let sockets = count(smbios.processors.len(), "socket");
            format!("{version}{sockets}, {} of memory", count(smbios.devices.len(), "slot"))
        })
    });
    [tree, smbios].into_iter().flatten().collect()
}

fn other<T>(name: &str, part: &FirmwareFile<T>, describe: impl Fn(&T) -> String) -> String {
    let what = match &part.state {
        ReadState::Decoded(found) => describe(found),
        ReadState::Denied => "unreadable: not root".to_owned(),
        ReadState::Malformed { why } => why.clone(),
    };
    format!("{name}: {what} ({})\n", part.path)
}

fn left_out(firmware: &Firmware) -> String {
    if firmware.skipped.is_empty() {
        return String::new();
    }
    let lines = firmware.skipped.iter().map(|left| format!("  {}: {}\n", left.path, left.why));
    format!("Looked at, and left out\n{}", lines.collect::<String>())
}

/// What to type next: the tables about nodes, then the others.
fn to_do(firmware: &Firmware) -> Vec<ToDo> {
    let mut all = Vec::new();
    if denied(firmware) {
        all.push(ToDo::new("sudo nearfar firmware", "the tables that only root may read"));
    }
    let mut names: Vec<String> =
        firmware.tables.iter().filter(|file| is_read(file)).map(short_name).collect();
    let smbios = firmware.smbios.as_ref().and_then(|part| part.state.decoded());
    names.extend(smbios.map(|_| "smbios".to_owned()));
    let tree = firmware.device_tree.as_ref().and_then(|part| part.state.decoded());
    names.extend(tree.map(|_| "device-tree".to_owned()));
    names.sort_unstable();
    names.dedup();
    names
        .sort_by_key(|name| !ABOUT_NODES.iter().any(|(about, _)| about.eq_ignore_ascii_case(name)));
    if let Some((first, others)) = names.split_first() {
        let why = match others {
            [] => "shows it".to_owned(),
            others => format!("shows it; also {}", others.join(", ")),
        };
        all.push(ToDo::new(format!("nearfar firmware {first}"), why));
    }
    if !is_empty(firmware) {
        all.push(ToDo::new("nearfar diagnose", "the nodes that the kernel makes of these tables"));
    }
    all
}

fn denied(firmware: &Firmware) -> bool {
    let smbios = firmware.smbios.as_ref().is_some_and(|part| part.state == ReadState::Denied);
    let tree = firmware.device_tree.as_ref().is_some_and(|part| part.state == ReadState::Denied);
    smbios || tree || firmware.denied().next().is_some()
}

fn is_read(file: &TableFile) -> bool {
    file.state.decoded().is_some_and(|table| !matches!(table, AcpiTable::Other(_)))
}

fn short_name(file: &TableFile) -> String {
    if file.name == "APIC" { "madt".to_owned() } else { file.name.to_lowercase() }
}
