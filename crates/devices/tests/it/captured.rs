//! Captures have no code of firmware: its claims are the same nevertheless.

use nearfar_devices::{ClaimedNode, DevicesDocument, NodeWitness};
use nearfar_machine::capture::{Capture, Privacy};
use nearfar_machine::{Inventory, InventoryScope, Source, firmware_tables};
use nearfar_model::NodeId;

use crate::made_machine::{MadeMachine, OtherWitnesses};

const TABLES: &str = "sys/firmware/acpi/tables";

/// A table with a header.
fn table(signature: &str, content: &[u8]) -> Vec<u8> {
    let mut table = signature.as_bytes().to_vec();
    table.extend(u32::try_from(36 + content.len()).unwrap().to_le_bytes());
    table.push(2);
    table.resize(36, 0);
    table.extend(content);
    table[9] = table.iter().fold(0u8, |sum, &byte| sum.wrapping_sub(byte));
    table
}

/// An opcode with a package of less than 4 KiB.
fn package(opcode: &[u8], body: &[u8]) -> Vec<u8> {
    let length = u16::try_from(body.len() + 2).unwrap();
    let length = [0x40 | (length & 0xf) as u8, (length >> 4) as u8];
    [opcode, &length, body].concat()
}

/// A host bridge with its bus as number, and `_PXM` if there is one.
fn bridge(name: &[u8; 4], bus: u8, domain: Option<&[u8]>) -> Vec<u8> {
    let mut body = name.to_vec();
    body.extend(b"\x08_HID\x0c\x41\xd0\x0a\x08\x08_UID\x0a");
    body.extend([bus]);
    body.extend(b"\x08_BBN\x0a");
    body.extend([bus]);
    if let Some(domain) = domain {
        body.extend(b"\x08_PXM");
        body.extend(domain);
    }
    package(&[0x5b, 0x82], &body)
}

/// Four root buses: a constant, code, no `_PXM`, and one that the SRAT names by its ACPI device.
fn machine() -> MadeMachine {
    let machine = MadeMachine::two_nodes();
    for (bus, node) in [(0x00, -1), (0x40, 1), (0x80, 0), (0xc0, 1)] {
        let path = format!("pci0000:{bus:02x}/0000:{bus:02x}:01.0");
        machine.function(&path, "20000", "8086:1572", node);
    }
    machine.attribute("pci0000:80/0000:80:01.0", "firmware_node/path", "\\_SB_.PC80.S08_\n");
    let add = [0x72, 1, 1, 0];
    let bridges = [
        bridge(b"PC00", 0, Some(&[0x0a, 1])),
        bridge(b"PC40", 0x40, Some(&add)),
        bridge(b"PC80", 0x80, None),
        bridge(b"PCC0", 0xc0, Some(&[0x0a, 0])),
        b"\x08KEY0\x0dSECRET\0".to_vec(),
    ];
    let dsdt = package(&[0x10], &[b"\\_SB_".to_vec(), bridges.concat()].concat());
    machine.file(&format!("{TABLES}/DSDT"), table("DSDT", &dsdt));
    let initiator = [
        &[0; 12][..],
        &[5, 32, 0, 0, 1, 0, 0, 0],
        b"PNP0A08\0",
        &[0xc0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0],
    ];
    machine.file(&format!("{TABLES}/SRAT"), table("SRAT", &initiator.concat()));
    machine
}

fn document(source: &Source) -> DevicesDocument {
    let firmware = firmware_tables::read(source);
    OtherWitnesses { firmware, ..OtherWitnesses::default() }.document(source, InventoryScope::Usual)
}

fn captured(source: Source) -> Source {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let capture = Capture::read(source, Privacy::Removed, |source| {
        Inventory::read(source, InventoryScope::All);
    });
    capture.write(file.as_file_mut()).unwrap();
    Source::open(file.path()).unwrap()
}

fn claims(document: &DevicesDocument, witness: NodeWitness) -> Vec<ClaimedNode> {
    let claims = document.devices.iter().flat_map(|device| &device.node.claims);
    claims.filter(|claim| claim.witness == witness).map(|claim| claim.claimed).collect()
}

#[test]
fn captures_keep_the_claims_of_firmware() {
    let live = document(&machine().source());
    let node = |node| ClaimedNode::Node { node: NodeId(node) };
    assert_eq!(
        claims(&live, NodeWitness::Pxm),
        [node(1), ClaimedNode::NotEvaluated, ClaimedNode::Silent, node(0)]
    );
    assert_eq!(claims(&live, NodeWitness::Srat)[3], node(1));

    let once = captured(machine().source());
    assert_eq!(document(&once).devices, live.devices);
    let kept = String::from_utf8(once.read("/nearfar/acpi-claims").unwrap()).unwrap();
    assert!(kept.starts_with("\\_SB_.PC00 1\n\\_SB_.PC40 not-evaluated\n"), "{kept}");
    assert!(!once.read(&format!("/{TABLES}/DSDT")).unwrap().windows(6).any(|six| six == b"SECRET"));

    let twice = captured(once);
    assert_eq!(document(&twice).devices, live.devices);
}

#[test]
fn captures_without_claims_are_not_decoded() {
    let machine = machine();
    machine.file(&format!("{TABLES}/DSDT"), table("DSDT", &[0; 100]));
    for claims_file in [None, Some("\\_SB_.PC00 domain 1\n")] {
        if let Some(text) = claims_file {
            machine.file("nearfar/acpi-claims", text);
        }
        let found = claims(&document(&machine.source()), NodeWitness::Pxm);
        assert_eq!(found, [ClaimedNode::Malformed; 4]);
    }
    let again = document(&captured(machine.source()));
    assert_eq!(claims(&again, NodeWitness::Pxm), [ClaimedNode::Malformed; 4]);
}
