//! Compares with ACPI's own compiler and disassembler (Debian's acpica-tools).
//!
//! asl/ holds sources, and fuzz/seeds/acpi the tables that `iasl` makes of them. The tables are
//! decoded without the tool. With it, the sources are compiled again, and its disassembly of every
//! DSDT and SSDT has the same `_PXM` objects.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Once;
use std::time::{Duration, Instant};

use nearfar_firmware::acpi::{AcpiTable, AmlValue, Decoded, DefinitionBlock, decode};
use nearfar_firmware::{Firmware, FirmwareItem};

use crate::corpus_folder::{corpus, files_below};

static SKIPPED: Once = Once::new();

/// The claims of the DSDT, in the order of the scopes.
const DSDT: [(&str, &str); 9] = [
    ("\\_SB_.CPU0", "1"),
    ("\\_SB_.PC00", "0"),
    ("\\_SB_.PC20", "74565"),
    ("\\_SB_.PC40", "computed"),
    ("\\_SB_.PC60", "computed"),
    ("\\_SB_.PC60.PWR0", "65535"),
    ("\\_SB_.PC20.RP01", "computed"),
    ("\\_SB_.PC20.RP02", "computed"),
    ("\\_TZ_.THM0", "1"),
];
const SSDT: [(&str, &str); 2] = [("\\_SB_.CL00", "malformed"), ("\\_SB_.PC80", "3")];

fn seed(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/acpi");
    fs::read(folder.join(format!("{name}-iasl"))).unwrap()
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/it/asl/{name}.asl"))
}

/// Path and domain of each claim, by path.
fn claims(block: &DefinitionBlock) -> Vec<(String, String)> {
    let mut claims: Vec<_> =
        block.claims().map(|claim| (claim.path, claim.domain.to_string())).collect();
    claims.sort();
    claims
}

fn check(bytes: &[u8], expected: &[(&str, &str)]) -> Decoded<DefinitionBlock> {
    let block = decode::<DefinitionBlock>(bytes).unwrap();
    assert_eq!((&block.faults[..], block.content.undecoded().next()), (&[][..], None));
    let mut expected: Vec<_> =
        expected.iter().map(|&(path, domain)| (path.to_owned(), domain.to_owned())).collect();
    expected.sort();
    assert_eq!(claims(&block.content), expected);
    block
}

#[test]
fn blocks_of_iasl_have_the_claims_of_their_source() {
    let block = check(&seed("dsdt"), &DSDT).content;
    check(&seed("ssdt"), &SSDT);
    let devices: Vec<_> = block.devices().collect();
    assert_eq!((devices.len(), block.device_count()), (8, 8));
    let bridge = devices.iter().find(|device| device.path == "\\_SB_.PC20").unwrap();
    assert_eq!(bridge.uid, Some(AmlValue::Constant("P20".to_owned())));
    assert!(bridge.is_pci_host_bridge() && bridge.is_cxl_host_bridge());
    let roots: Vec<_> =
        devices.iter().map(|device| device.pci_root().map(|root| root.bus)).collect();
    assert_eq!(roots, [Some(0), None, None, Some(32), None, Some(0), None, None]);
}

#[test]
fn sources_compile_to_blocks_with_the_same_claims() {
    if !super::have("iasl", "acpica-tools", &SKIPPED) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (name, expected) in [("dsdt", &DSDT[..]), ("ssdt", &SSDT[..])] {
        let prefix = folder.path().join(name);
        let ran = Command::new("iasl").arg("-p").arg(&prefix).arg(source(name)).output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
        check(&fs::read(prefix.with_extension("aml")).unwrap(), expected);
    }
}

/// Number of `_PXM` objects that iasl shows outside of methods.
fn shown_by_iasl(bytes: &[u8], folder: &Path) -> usize {
    let (table, output) = (folder.join("table.dat"), folder.join("table.dsl"));
    let _ = fs::remove_file(&output);
    fs::write(&table, bytes).unwrap();
    Command::new("iasl").arg("-d").arg(&table).current_dir(folder).output().unwrap();
    let text = fs::read_to_string(&output).unwrap();
    let mut method: Option<usize> = None;
    let mut count = 0;
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        let code = line.trim_start();
        if method.is_some_and(|method| indent <= method && code.starts_with('}')) {
            method = None;
        } else if method.is_none() {
            count +=
                usize::from(code.starts_with("Name (_PXM") || code.starts_with("Method (_PXM"));
            method = code.starts_with("Method (").then_some(indent);
        }
    }
    count
}

#[test]
fn blocks_of_the_corpus_have_the_claims_that_iasl_shows() {
    let Some(corpus) = corpus() else { return };
    if !super::have("iasl", "acpica-tools", &SKIPPED) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (mut tables, mut bytes, mut whole, mut took) = (0, 0, 0, Duration::ZERO);
    let mut blocks = vec![seed("dsdt"), seed("ssdt")];
    for path in files_below(&corpus.join("acpi")) {
        let Ok(firmware) = Firmware::open(&path) else { continue };
        let found = firmware
            .tables
            .into_iter()
            .filter(|file| matches!(file.state.decoded(), Some(AcpiTable::DefinitionBlock(_))));
        blocks.extend(found.map(|file| file.bytes));
    }
    // This machine's own, where the user may read them.
    blocks.extend(fs::read("/sys/firmware/acpi/tables/DSDT"));
    for block in blocks {
        let start = Instant::now();
        let decoded = decode::<DefinitionBlock>(&block).unwrap().content;
        took += start.elapsed();
        (tables, bytes) = (tables + 1, bytes + block.len());
        if decoded.undecoded().next().is_none() {
            whole += 1;
            assert_eq!(decoded.claims().count(), shown_by_iasl(&block, folder.path()));
        }
    }
    println!("{tables} blocks, {whole} decoded to the end, {bytes} bytes in {took:?}");
}

#[test]
fn host_bridges_are_joined_over_the_blocks_of_iasl() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["dsdt", "ssdt"] {
        fs::write(folder.path().join(format!("{name}.dat")), seed(name)).unwrap();
    }
    let firmware = Firmware::open(folder.path()).unwrap();
    let namespace = FirmwareItem::acpi_namespace(&firmware).unwrap();
    let bridges = namespace.devices().filter(|device| device.is_pci_host_bridge()).count();
    assert_eq!((bridges, namespace.is_complete()), (4, true));
}
