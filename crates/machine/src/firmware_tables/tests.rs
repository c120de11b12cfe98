use std::collections::BTreeSet;
use std::fs;

use nearfar_firmware::acpi::Slit;
use nearfar_model::NodeId;

use super::*;

/// A SLIT of two domains with a valid checksum.
fn slit() -> Vec<u8> {
    let mut bytes = b"SLIT".to_vec();
    bytes.extend(48u32.to_le_bytes());
    bytes.resize(36, 0);
    bytes.extend(2u64.to_le_bytes());
    bytes.extend([10, 21, 21, 10]);
    bytes[9] = 0u8.wrapping_sub(bytes.iter().fold(0, |sum: u8, &byte| sum.wrapping_add(byte)));
    bytes
}

fn distance(firmware: &Firmware) -> Option<u8> {
    firmware.first::<Slit>()?.1.content.distance(0, 1)
}

#[test]
fn a_machine_shows_its_tables() {
    let source = Source::from_files([
        ("/sys/firmware/acpi/tables/SLIT", slit()),
        ("/sys/firmware/acpi/tables/dynamic/SSDT1", b"SSDT too short".to_vec()),
        ("/sys/firmware/acpi/tables/data/BERT", vec![1, 2, 3]),
        ("/sys/firmware/dmi/tables/DMI", vec![127, 4, 0, 0, 0, 0]),
    ]);
    let firmware = read(&source);
    assert_eq!((distance(&firmware), firmware.tables.len()), (Some(21), 2));
    assert_eq!(firmware.first::<Slit>().unwrap().0.path, "/sys/firmware/acpi/tables/SLIT");
    let ReadState::Malformed { why } = &firmware.tables[1].state else {
        panic!("{:?}", firmware.tables[1])
    };
    assert_eq!(why, "14 bytes are too few for an ACPI table: its header has 36");
    assert_eq!(firmware.smbios.unwrap().state.decoded().unwrap().structures, 1);
    assert_eq!(firmware.device_tree, None);
    assert!(read(&Source::from_files([("/sys/x", "")])).is_empty());
}

#[test]
fn unreadable_tables_are_denied() {
    use std::os::unix::fs::PermissionsExt;
    let place = tempfile::tempdir().unwrap();
    let tables = place.path().join("sys/firmware/acpi/tables");
    fs::create_dir_all(&tables).unwrap();
    fs::write(tables.join("SLIT"), slit()).unwrap();
    fs::set_permissions(tables.join("SLIT"), fs::Permissions::from_mode(0o000)).unwrap();
    // One of SMBIOS: its end.
    let entry = place.path().join("sys/firmware/dmi/entries/127-0");
    fs::create_dir_all(&entry).unwrap();
    fs::write(entry.join("raw"), [127, 4, 0, 0, 0, 0]).unwrap();
    fs::set_permissions(entry.join("raw"), fs::Permissions::from_mode(0o000)).unwrap();
    let firmware = open(place.path()).unwrap();
    // Root can read it anyway.
    let is_root = fs::read(tables.join("SLIT")).is_ok();
    assert_eq!(
        (distance(&firmware).is_some(), firmware.denied().count()),
        (is_root, usize::from(!is_root))
    );
    assert!(firmware.has::<Slit>());
    let smbios = firmware.smbios.unwrap().state;
    assert_eq!(smbios == ReadState::Denied, !is_root);
}

#[test]
fn live_machine_is_read() {
    let firmware = read(&Source::live());
    assert_eq!((firmware.origin.as_str(), firmware.skipped.len()), ("this machine", 0));
    assert!(
        firmware
            .tables
            .iter()
            .all(|file| file.path.ends_with(&file.name) || file.state.decoded().is_some())
    );
}

#[test]
fn captured_machine_is_found_in_a_folder() {
    let place = tempfile::tempdir().unwrap();
    let tables = place.path().join("machine/sys/firmware/acpi/tables");
    fs::create_dir_all(&tables).unwrap();
    fs::write(tables.join("SLIT"), slit()).unwrap();
    for path in [place.path().to_owned(), place.path().join("machine")] {
        assert_eq!(distance(&open(&path).unwrap()), Some(21), "{}", path.display());
    }
}

#[test]
fn device_tree_folder_is_read() {
    let cells =
        |cells: &[u32]| -> Vec<u8> { cells.iter().flat_map(|cell| cell.to_be_bytes()).collect() };
    let base = "/sys/firmware/devicetree/base";
    let mut files = vec![
        (format!("{base}/model"), b"Hand Made\0".to_vec()),
        (format!("{base}/compatible"), b"hand,made\0hand\0".to_vec()),
        (format!("{base}/#address-cells"), cells(&[2])),
        (format!("{base}/#size-cells"), cells(&[2])),
    ];
    for name in ["cpus", "memory@80000000", "memory@200000000", "pcie@1", "distance-map"] {
        files.push((format!("{base}/{name}/name"), name.as_bytes().to_vec()));
    }
    for number in 0..4 {
        let folder = format!("{base}/cpus/cpu@{number}");
        files.push((format!("{folder}/name"), b"cpu\0".to_vec()));
        files.push((format!("{folder}/device_type"), b"cpu\0".to_vec()));
        files.push((format!("{folder}/reg"), cells(&[number])));
        files.push((format!("{folder}/numa-node-id"), cells(&[number / 2])));
    }
    for (name, property, value) in [
        ("memory@80000000", "device_type", b"memory\0".to_vec()),
        ("memory@80000000", "reg", cells(&[0, 0x8000_0000, 1, 0])),
        ("memory@80000000", "numa-node-id", cells(&[0])),
        ("memory@200000000", "reg", cells(&[2, 0, 0, 0x4000_0000, 3, 0, 0, 0x1000])),
        ("memory@200000000", "numa-node-id", cells(&[1])),
        ("memory@200000000", "status", b"disabled\0".to_vec()),
        ("pcie@1", "numa-node-id", cells(&[1])),
        ("distance-map", "compatible", b"numa-distance-map-v1\0".to_vec()),
        ("distance-map", "distance-matrix", cells(&[0, 0, 10, 0, 1, 21, 1, 1, 10])),
    ] {
        files.push((format!("{base}/{name}/{property}"), value));
    }
    let part = read(&Source::from_files(files)).device_tree.unwrap();
    let tree = part.state.decoded().unwrap();
    assert_eq!((part.path.as_str(), tree.faults.len()), (base, 0));
    assert_eq!(
        (tree.model.as_deref(), tree.compatible.join(" ").as_str()),
        (Some("Hand Made"), "hand,made hand")
    );
    let cpus: BTreeSet<_> =
        tree.cpus.iter().map(|cpu| (cpu.path.as_str(), cpu.node.unwrap().0)).collect();
    let expected = [("/cpus/cpu@0", 0), ("/cpus/cpu@1", 0), ("/cpus/cpu@2", 1), ("/cpus/cpu@3", 1)];
    assert_eq!(cpus, expected.into());
    let memory: BTreeSet<_> =
        tree.memory.iter().map(|memory| (memory.node.unwrap().0, memory.ranges.len())).collect();
    assert_eq!(memory, [(0, 1), (1, 2)].into());
    assert_eq!((tree.others[0].path.as_str(), tree.others.len()), ("/pcie@1", 1));
    assert_eq!(tree.distance_map.as_ref().unwrap().between(NodeId(1), NodeId(0)), Some(21));
}
