//! Compares with the readings that come with the SMBIOS dumps of the corpus.

use std::fs;
use std::path::Path;

use nearfar_firmware::smbios::{MemoryDevice, Smbios};
use nearfar_firmware::{FaultKind, Firmware};
use serde_json::Value;

use crate::corpus_folder::{corpus, files_below};

/// Each dump's name, its decoded content, and its companion file's content.
fn dumps() -> Vec<(String, Smbios, Value)> {
    let Some(corpus) = corpus() else { return Vec::new() };
    let files = files_below(&corpus.join("smbios"));
    let dumps: Vec<_> = files
        .iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "dmi"))
        .collect();
    assert!(dumps.len() >= 6, "{} holds {} dumps", corpus.display(), dumps.len());
    dumps.into_iter().map(|path| read(path)).collect()
}

fn read(path: &Path) -> (String, Smbios, Value) {
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    let bytes = fs::read(path).unwrap();
    let smbios = Smbios::decode_file(&bytes).unwrap_or_else(|| Smbios::decode(&bytes));
    let json = fs::read_to_string(path.with_extension("json")).unwrap();
    (name, smbios, serde_json::from_str(&json).unwrap())
}

/// Their empty string, 0 or missing list means "unknown" here.
fn text(value: &Value) -> Option<String> {
    Some(value.as_str().unwrap_or_default().trim().to_owned()).filter(|text| !text.is_empty())
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

#[test]
fn sockets_agree_with_the_companion_file() {
    for (name, ours, theirs) in dumps() {
        let theirs = list(&theirs["ProcessorInformation"]);
        assert_eq!(ours.processors.len(), theirs.len(), "{name}");
        for (ours, theirs) in ours.processors.iter().zip(theirs) {
            assert_eq!(ours.socket, text(&theirs["SocketDesignation"]), "{name}");
            assert_eq!(ours.version, text(&theirs["ProcessorVersion"]), "{name}");
            assert_eq!(ours.manufacturer, text(&theirs["ProcessorManufacturer"]), "{name}");
            let status = number(&theirs["Status"]);
            assert_eq!(
                (ours.populated, ours.status),
                (Some(status & 64 != 0), Some((status & 7) as u8)),
                "{name}"
            );
            assert_eq!(ours.max_speed_mhz.map(u64::from), theirs["MaxSpeed"].as_u64(), "{name}");
            assert_eq!(
                ours.current_speed_mhz.map(u64::from),
                theirs["CurrentSpeed"].as_u64(),
                "{name}"
            );
            for (ours, field) in [
                (ours.cores, "CoreCount"),
                (ours.cores_enabled, "CoreEnabled"),
                (ours.threads, "ThreadCount"),
            ] {
                assert_eq!(u64::from(ours.unwrap_or(0)), number(&theirs[field]), "{name}: {field}");
            }
        }
    }
}

#[test]
fn slots_agree_with_the_companion_file() {
    for (name, ours, theirs) in dumps() {
        let theirs = list(&theirs["MemoryDevices"]);
        assert_eq!(ours.devices.len(), theirs.len(), "{name}");
        for (ours, theirs) in ours.devices.iter().zip(theirs) {
            assert_eq!(ours.locator, text(&theirs["DeviceLocator"]), "{name}");
            assert_eq!(ours.bank, text(&theirs["BankLocator"]), "{name}");
            assert_eq!(ours.manufacturer, text(&theirs["Manufacturer"]), "{name}");
            assert_eq!(ours.part_number, text(&theirs["PartNumber"]), "{name}");
            assert_eq!(
                ours.array.map(u64::from),
                theirs["PhysicalMemoryArrayHandle"].as_u64(),
                "{name}"
            );
            assert_eq!(ours.size_bytes, Some(size(theirs)), "{name}");
            assert_eq!(ours.memory_type.map(u64::from), theirs["MemoryType"].as_u64(), "{name}");
            assert_eq!(ours.form_factor.map(u64::from), theirs["FormFactor"].as_u64(), "{name}");
            assert_eq!(
                ours.total_width_bits.map(u64::from),
                theirs["TotalWidth"].as_u64(),
                "{name}"
            );
            assert_eq!(ours.data_width_bits.map(u64::from), theirs["DataWidth"].as_u64(), "{name}");
            assert_eq!(
                u64::from(ours.speed_mt_per_s.unwrap_or(0)),
                number(&theirs["Speed"]),
                "{name}"
            );
            let configured = ours.configured_speed_mt_per_s.unwrap_or(0);
            assert_eq!(u64::from(configured), number(&theirs["ConfiguredMemorySpeed"]), "{name}");
            assert_eq!(
                u64::from(ours.ranks.unwrap_or(0)),
                number(&theirs["Attributes"]) & 15,
                "{name}"
            );
        }
    }
}

/// Theirs has the raw field and the extended one.
fn size(theirs: &Value) -> u64 {
    match number(&theirs["Size"]) {
        0x7fff => number(&theirs["ExtendedSize"]) << 20,
        mib => mib << 20,
    }
}

#[test]
fn memory_arrays_agree_with_the_companion_file() {
    for (name, ours, theirs) in dumps() {
        let theirs = &theirs["PhysicalMemoryArray"];
        // Theirs has one of several.
        let Some(ours) = ours.arrays.last().filter(|_| number(&theirs["Use"]) != 0) else {
            continue;
        };
        assert_eq!(ours.purpose.map(u64::from), theirs["Use"].as_u64(), "{name}");
        assert_eq!(ours.location.map(u64::from), theirs["Location"].as_u64(), "{name}");
        assert_eq!(
            ours.error_correction.map(u64::from),
            theirs["MemoryErrorCorrection"].as_u64(),
            "{name}"
        );
        assert_eq!(ours.slots.map(u64::from), theirs["NumberOfMemoryDevices"].as_u64(), "{name}");
        let capacity = match number(&theirs["MaximumCapacity"]) {
            0x8000_0000 => number(&theirs["ExtendedMaximumCapacity"]),
            kib => kib << 10,
        };
        assert_eq!(ours.max_capacity_bytes, Some(capacity), "{name}");
    }
}

#[test]
fn serial_numbers_are_dropped() {
    for (name, ours, theirs) in dumps() {
        let json = serde_json::to_string(&ours).unwrap();
        let modules =
            list(&theirs["MemoryDevices"]).iter().chain(list(&theirs["ProcessorInformation"]));
        let serials =
            modules.flat_map(|part| ["SerialNumber", "AssetTag"].map(|field| text(&part[field])));
        let system = text(&theirs["SystemInformation"]["SerialNumber"]);
        for serial in serials
            .chain([system])
            .flatten()
            .filter(|serial| serial.len() > 6 && serial != "Unknown")
        {
            // Boards may write the same into both fields.
            let is_elsewhere =
                ["DeviceLocator", "PartNumber", "Manufacturer"].iter().any(|field| {
                    theirs["MemoryDevices"].to_string().contains(&format!("\"{field}\":\"{serial}"))
                });
            assert!(is_elsewhere || !json.contains(&serial), "{name}: {serial}");
        }
    }
}

#[test]
fn dual_socket_board_with_one_processor_is_recognised() {
    let Some((_, dell, _)) =
        dumps().into_iter().find(|(name, ..)| name.starts_with("Dell-PowerEdge-R630"))
    else {
        return;
    };
    let populated: Vec<_> = dell.processors.iter().map(|socket| socket.populated).collect();
    assert_eq!(populated, [Some(true), Some(false)]);
    let filled: Vec<&MemoryDevice> =
        dell.devices.iter().filter(|slot| slot.is_populated() == Some(true)).collect();
    let names: Vec<_> = filled.iter().map(|slot| slot.locator.as_deref().unwrap()).collect();
    assert_eq!((names, dell.devices.len()), (vec!["A3", "A4"], 24));
    assert!(filled.iter().all(|slot| slot.slot.socket.as_deref() == Some("A")));
}

#[test]
fn channels_are_parsed_from_names() {
    let Some((_, board, _)) = dumps().into_iter().find(|(name, ..)| name == "SuperMicro-Dual-Xeon")
    else {
        return;
    };
    let of = |device: &MemoryDevice| {
        (device.slot.node.clone().unwrap(), device.slot.channel.clone().unwrap())
    };
    let mut places: Vec<_> = board.devices.iter().map(of).collect();
    places.dedup();
    assert_eq!(places.len(), 8, "two nodes of four channels with two slots each: {places:?}");
}

#[test]
fn mostly_empty_dump_has_a_fault_and_no_memory() {
    let Some((_, hyperv, _)) = dumps().into_iter().find(|(name, ..)| name == "HyperV") else {
        return;
    };
    assert!(hyperv.devices.is_empty() && hyperv.processors.is_empty());
    assert_eq!(
        hyperv.faults.iter().map(|fault| fault.kind).collect::<Vec<_>>(),
        [FaultKind::Damaged]
    );
}

#[test]
fn dumps_are_recognised_by_content() {
    let Some(corpus) = corpus() else { return };
    for path in files_below(&corpus.join("smbios")) {
        let is_dump = path.extension().is_some_and(|ending| ending == "dmi");
        let opened = Firmware::open(&path);
        let found =
            opened.is_ok_and(|firmware| firmware.smbios.is_some() && firmware.tables.is_empty());
        assert_eq!(found, is_dump, "{}", path.display());
    }
}
