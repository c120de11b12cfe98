//! SMBIOS: sockets, and slots of memory by socket and channel.

use std::collections::BTreeMap;

use nearfar_model::Bytes;
use nearfar_view::text::count;

use super::fields::{or_dash, or_empty, size, table};
use super::remains;
use crate::smbios::{MemoryDevice, Processor, SlotLocation, Smbios};

pub(super) fn sections(smbios: &Smbios, path: &str) -> Vec<String> {
    vec![
        heading(smbios, path),
        sockets(smbios),
        channels(smbios),
        slots(smbios),
        remains::faults(&smbios.faults),
    ]
}

fn heading(smbios: &Smbios, path: &str) -> String {
    let version = smbios.version.as_deref().unwrap_or("of unknown version");
    let sockets = smbios.processors.iter().filter(|socket| socket.populated != Some(false)).count();
    let filled = smbios.devices.iter().filter(|device| device.is_populated() == Some(true)).count();
    let memory: Bytes =
        smbios.devices.iter().filter_map(|device| device.size_bytes.map(Bytes)).sum();
    format!(
        "SMBIOS {version}, {}: {sockets} of {} filled, {filled} of {} of memory filled with \
         {memory}\n{path}\n",
        count(smbios.structures, "structure"),
        count(smbios.processors.len(), "socket"),
        count(smbios.devices.len(), "slot"),
    )
}

fn sockets(smbios: &Smbios) -> String {
    let heads = ["socket", "processor", ">cores", ">enabled", ">threads", ">MHz", "state"];
    table("Sockets", heads, smbios.processors.iter().map(socket).collect())
}

fn socket(socket: &Processor) -> [String; 7] {
    let state = match (socket.populated, socket.status) {
        (Some(false), _) => "empty",
        (_, Some(1)) => "enabled",
        (_, Some(2)) => "disabled by the user",
        (_, Some(3)) => "disabled by the BIOS",
        (_, Some(4)) => "idle",
        _ => "unknown",
    };
    [
        or_dash(socket.socket.as_ref()),
        or_empty(socket.version.as_ref().or(socket.manufacturer.as_ref())),
        or_empty(socket.cores),
        or_empty(socket.cores_enabled),
        or_empty(socket.threads),
        or_empty(socket.current_speed_mhz.filter(|&mhz| mhz > 0)),
        state.to_owned(),
    ]
}

/// Filled slots of each channel, if the names of slots contain the channel.
fn channels(smbios: &Smbios) -> String {
    let mut channels: BTreeMap<[&str; 3], Vec<&MemoryDevice>> = BTreeMap::new();
    for device in &smbios.devices {
        let SlotLocation { socket, node, channel } = &device.slot;
        if channel.is_some() {
            let key = [socket, node, channel].map(|part| part.as_deref().unwrap_or_default());
            channels.entry(key).or_default().push(device);
        }
    }
    let line = |([socket, node, channel], devices): ([&str; 3], Vec<&MemoryDevice>)| {
        let filled = devices.iter().filter(|device| device.is_populated() == Some(true)).count();
        let memory: Bytes = devices.iter().filter_map(|device| device.size_bytes.map(Bytes)).sum();
        let [socket, node, channel] = [socket, node, channel].map(str::to_owned);
        [socket, node, channel, devices.len().to_string(), filled.to_string(), memory.to_string()]
    };
    let heads = ["socket", "node", "channel", ">slots", ">filled", ">memory"];
    table("Channels, from the names of slots", heads, channels.into_iter().map(line).collect())
}

fn slots(smbios: &Smbios) -> String {
    let heads = [
        "slot", "bank", "socket", "node", "channel", ">memory", "kind", ">MT/s", ">ranks", "maker",
        "part",
    ];
    table("Slots of memory", heads, smbios.devices.iter().map(slot).collect())
}

fn slot(device: &MemoryDevice) -> [String; 11] {
    let memory = match device.size_bytes {
        None => "unknown".to_owned(),
        Some(0) => "empty".to_owned(),
        Some(bytes) => size(bytes),
    };
    // Tables describe empty slots, too.
    let filled = device.is_populated() != Some(false);
    let only_filled = |text: String| if filled { text } else { String::new() };
    let speed = device.configured_speed_mt_per_s.or(device.speed_mt_per_s);
    [
        or_empty(device.locator.as_ref()),
        or_empty(device.bank.as_ref()),
        or_empty(device.slot.socket.as_ref()),
        or_empty(device.slot.node.as_ref()),
        or_empty(device.slot.channel.as_ref()),
        memory,
        only_filled(or_empty(device.memory_type.map(kind))),
        only_filled(or_empty(speed)),
        only_filled(or_empty(device.ranks)),
        only_filled(or_empty(device.manufacturer.as_ref())),
        only_filled(or_empty(device.part_number.as_ref())),
    ]
}

/// The names of DSP0134 3.7, table 78.
fn kind(number: u8) -> String {
    let name = match number {
        2 => "",
        15 => "SDRAM",
        18 => "DDR",
        19 => "DDR2",
        20 => "DDR2 FB-DIMM",
        24 => "DDR3",
        26 => "DDR4",
        27..=30 => "LPDDR",
        31 => "non-volatile",
        32 => "HBM",
        33 => "HBM2",
        34 => "DDR5",
        35 => "LPDDR5",
        other => return format!("type {other}"),
    };
    name.to_owned()
}
