//! Every table and every captured machine of the corpus, shown in every way: nothing panics,
//! nothing is obeyed by a terminal.

use nearfar_firmware::Firmware;
use nearfar_firmware::linux::KernelLog;
use nearfar_firmware::text as firmware;
use nearfar_machine::physical_map::PhysicalMap;
use nearfar_machine::{FirmwareDocument, Source, firmware_tables};

use crate::corpus_folder::{corpus, files_below};

/// All that can be shown of tables and a machine; how many tables were read.
fn show(firmware: &Firmware, source: Option<&Source>, name: &str) -> usize {
    let map = PhysicalMap::read(firmware, source, &KernelLog::default());
    let mut texts =
        vec![firmware::list(firmware).plain(), nearfar_machine::text::physical_map(&map).plain()];
    texts.extend(firmware.tables.iter().map(|file| firmware::table(file, firmware)));
    texts.extend(firmware.smbios.iter().map(|part| firmware::smbios(part).plain()));
    texts.extend(firmware.device_tree.iter().map(|part| firmware::device_tree(part).plain()));
    for text in &texts {
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{name}: {text:?}");
        assert!(!text.lines().any(|line| line.ends_with(' ')), "{name}: {text}");
    }
    for document in [FirmwareDocument::new(firmware), FirmwareDocument::from_map(firmware, &map)] {
        let json = serde_json::to_value(&document).unwrap();
        assert_eq!(json["schema"], "nearfar.firmware/1");
    }
    firmware.tables.iter().filter(|file| file.state.decoded().is_some()).count()
}

#[test]
fn every_table_is_shown() {
    let Some(corpus) = corpus() else { return };
    let files =
        ["acpi", "smbios", "oracle"].map(|folder| files_below(&corpus.join(folder))).concat();
    let mut shown = 0;
    for file in &files {
        if let Ok(firmware) = firmware_tables::open(file) {
            shown += show(&firmware, None, &file.display().to_string());
        }
    }
    assert!(shown > 100, "only {shown} tables in {} files", files.len());
}

#[test]
fn every_captured_machine_is_shown() {
    let Some(corpus) = corpus() else { return };
    let mut archives = files_below(&corpus.join("sysfs"));
    archives.retain(|path| path.to_string_lossy().contains(".tar"));
    assert!(!archives.is_empty());
    for archive in &archives {
        let source = Source::open(archive).unwrap();
        show(&firmware_tables::read(&source), Some(&source), &archive.display().to_string());
    }
}
