//! Which tables there are.

use nearfar_view::text::count;
use nearfar_view::text::sections;

use super::{fields, heading};
use crate::acpi::AcpiTable;
use crate::{Firmware, FirmwareFile, ReadState, TableFile};

pub(super) fn text(firmware: &Firmware) -> String {
    sections([tables(firmware), others(firmware), left_out(firmware), advice(firmware)])
}

fn tables(firmware: &Firmware) -> String {
    if firmware.tables.is_empty() {
        return format!("No ACPI table: {} shows none.\n", firmware.origin);
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

/// What to type next.
fn advice(firmware: &Firmware) -> String {
    let mut text = String::new();
    if denied(firmware) {
        text += "Firmware's tables are for root to read: sudo nearfar firmware; of another \
                 machine: sudo nearfar capture there\n";
    }
    let mut names: Vec<String> =
        firmware.tables.iter().filter(|file| is_read(file)).map(short_name).collect();
    names.extend(
        firmware.smbios.as_ref().and_then(|part| part.state.decoded()).map(|_| "smbios".to_owned()),
    );
    names.extend(
        firmware
            .device_tree
            .as_ref()
            .and_then(|part| part.state.decoded())
            .map(|_| "device-tree".to_owned()),
    );
    names.sort_unstable();
    names.dedup();
    if !names.is_empty() {
        text += &format!("Show one: nearfar firmware {}\n", names.join("|"));
    }
    text
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
