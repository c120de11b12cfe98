//! The fuzzer's seeds (fuzz/seeds) are the handmade tables.

use std::env;
use std::fs;
use std::path::Path;

use nearfar_firmware::acpi::AcpiTable;
use nearfar_firmware::device_tree::DeviceTree;
use nearfar_firmware::parse_acpidump;
use nearfar_firmware::smbios::Smbios;

use crate::make;

fn seeds() -> Vec<(&'static str, String, Vec<u8>)> {
    let mut seeds = Vec::new();
    for (name, bytes) in make::good() {
        seeds.push(("text", name.to_owned(), text(&bytes)));
        seeds.push(("acpi", name.to_owned(), bytes));
    }
    seeds.push(("smbios", "bare".to_owned(), make::hex(SMBIOS)));
    seeds.push((
        "smbios",
        "entry-point".to_owned(),
        [make::hex(ENTRY_POINT), make::hex(SMBIOS)].concat(),
    ));
    seeds.push(("device_tree", "two-nodes".to_owned(), tree(&make::hex(TREE))));
    seeds
}

fn text(bytes: &[u8]) -> Vec<u8> {
    let mut text = format!("{} @ 0x00000000DF7F1000\n", String::from_utf8_lossy(&bytes[..4]));
    for (line, bytes) in bytes.chunks(16).enumerate() {
        let digits: String = bytes.iter().map(|byte| format!(" {byte:02X}")).collect();
        text += &format!("    {:04X}:{digits:<48}  ................\n", line * 16);
    }
    text.into_bytes()
}

/// A socket, a memory array, a module, END.
const SMBIOS: &str = "
    04 1a 01 00  01 03 b3 02 00 00 00 00 00 00 00 00 03 00 00 00 a0 0f 60 09 41 00   43 50 55 31 \
                      00 49 6e 74 65 6c 00 58 65 6f 6e 00 00
    10 0f 02 00  03 03 06 00 00 00 08 fe ff 18 00  00 00
    11 22 03 00  02 00 fe ff 48 00 40 00 00 40 09 01 01 02 1a 80 00 60 09 00 00 00 00 01 00 00 00 \
                      00 4a 07
          50 31 2d 44 49 4d 4d 41 31 00 50 30 5f 4e 6f 64 65 30 00 00
    7f 04 04 00  00 00
";

const ENTRY_POINT: &str = "
    5f 53 4d 33 5f 67 18 03 03 00 01 00 00 10 00 00 20 00 00 00 00 00 00 00    # the table is at \
                           0x20
    00 00 00 00 00 00 00 00
";

/// /cpus/cpu@1 of node 1, memory@0 of node 0, and a map of distances.
const TREE: &str = "
    00 00 00 01 00 00 00 00
    00 00 00 01 63 70 75 73 00 00 00 00
    00 00 00 01 63 70 75 40 31 00 00 00
    00 00 00 03 00 00 00 04 00 00 00 00 00 00 00 01    # numa-node-id
    00 00 00 03 00 00 00 04 00 00 00 0d 00 00 00 01    # reg
    00 00 00 02 00 00 00 02
    00 00 00 01 6d 65 6d 6f 72 79 40 30 00 00 00 00
    00 00 00 03 00 00 00 04 00 00 00 00 00 00 00 00
    00 00 00 03 00 00 00 0c 00 00 00 0d 00 00 00 00 80 00 00 00 40 00 00 00
    00 00 00 02
    00 00 00 01 6d 61 70 00
    00 00 00 03 00 00 00 15 00 00 00 11 6e 75 6d 61 2d 64 69 73 74 61 6e 63 65 2d 6d 61 70 2d 76 \
                    31 00 00 00 00    # compatible
    00 00 00 03 00 00 00 0c 00 00 00 1c 00 00 00 00 00 00 00 01 00 00 00 15    # distance-matrix
    00 00 00 02 00 00 00 02 00 00 00 09
";

const NAMES: &[u8] = b"numa-node-id\0reg\0compatible\0distance-matrix\0";

/// A flattened tree with these tokens.
fn tree(tokens: &[u8]) -> Vec<u8> {
    let names_at = 40 + tokens.len() as u32;
    let total = names_at + NAMES.len() as u32;
    let header =
        [0xd00d_feed, total, 40, names_at, 40, 17, 16, 0, NAMES.len() as u32, tokens.len() as u32];
    let header: Vec<u8> = header.iter().flat_map(|number: &u32| number.to_be_bytes()).collect();
    [&header, tokens, NAMES].concat()
}

#[test]
fn seeds_are_the_handmade_tables() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
    for (target, name, bytes) in seeds() {
        let path = folder.join(target).join(name);
        if env::var_os("NEARFAR_WRITE_SEEDS").is_some() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, &bytes).unwrap();
        }
        let there = fs::read(&path).unwrap_or_default();
        assert!(
            there == bytes,
            "{} is another: write it anew with NEARFAR_WRITE_SEEDS=1",
            path.display()
        );
    }
}

#[test]
fn seeds_are_read_without_faults() {
    for (target, name, bytes) in seeds() {
        let faults = match target {
            "acpi" => AcpiTable::decode(&bytes).unwrap().faults().to_vec(),
            "text" => {
                AcpiTable::decode(&parse_acpidump(&bytes)[0].bytes).unwrap().faults().to_vec()
            }
            "smbios" => {
                let smbios = Smbios::decode_file(&bytes).unwrap();
                assert_eq!(
                    (smbios.processors.len(), smbios.arrays.len(), smbios.devices.len()),
                    (1, 1, 1),
                    "{name}"
                );
                smbios
                    .faults
                    .into_iter()
                    .filter(|fault| !fault.what.contains("entry point"))
                    .collect()
            }
            _ => {
                let tree = DeviceTree::decode(&bytes).unwrap();
                assert!(
                    tree.names_a_node()
                        && tree.distance_map.is_some_and(|map| map.entries.len() == 1)
                );
                tree.faults
            }
        };
        assert_eq!(faults, [], "{target}/{name}");
    }
}
