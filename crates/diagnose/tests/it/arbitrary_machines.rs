//! Arbitrary machines: tables and logs with any content.

use nearfar_diagnose::Witnesses;
use nearfar_machine::Source;
use proptest::prelude::*;

/// A table with a valid start and any content.
fn table(signature: &'static str) -> impl Strategy<Value = (String, Vec<u8>)> {
    proptest::collection::vec(any::<u8>(), 0..400).prop_map(move |content| {
        let mut bytes = signature.as_bytes().to_vec();
        bytes.extend((36 + content.len() as u32).to_le_bytes());
        bytes.resize(36, 2);
        bytes.extend(content);
        (format!("/sys/firmware/acpi/tables/{signature}"), bytes)
    })
}

/// Lines that the kernel prints, with any numbers.
fn log() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("Linux version 6.1.0 (x)".to_owned()),
        Just("No NUMA configuration found".to_owned()),
        Just("NUMA turned off".to_owned()),
        Just("ACPI: SRAT: SRAT not used.".to_owned()),
        Just("acpi/hmat: Ignoring: Invalid table".to_owned()),
        any::<(u8, u8, u32, u32)>().prop_map(|(node, domain, first, last)| {
            format!("ACPI: SRAT: Node {node} PXM {domain} [mem {first:#010x}-{last:#010x}]")
        }),
        ".*",
    ];
    proptest::collection::vec(line, 0..12).prop_map(|lines| lines.join("\n"))
}

/// The data of one machine.
pub(super) fn witnesses() -> impl Strategy<Value = Witnesses> {
    let tables = (table("SRAT"), table("SLIT"), table("HMAT"), table("APIC"));
    let smbios = proptest::collection::vec(any::<u8>(), 0..200);
    let words = "(numa=(off|fake=[0-9]{1,3}|noacpi) ?)?(acpi=off)?";
    (tables, smbios, log(), words).prop_map(|((srat, slit, hmat, madt), smbios, log, words)| {
        Witnesses::read(&Source::from_files([
            srat,
            slit,
            hmat,
            madt,
            ("/sys/firmware/dmi/tables/DMI".to_owned(), smbios),
            ("/var/log/dmesg".to_owned(), log.into_bytes()),
            ("/proc/cmdline".to_owned(), words.into_bytes()),
            ("/sys/devices/system/cpu/online".to_owned(), b"0-3".to_vec()),
            ("/sys/devices/system/node/node0/cpulist".to_owned(), b"0-3".to_vec()),
        ]))
    })
}
