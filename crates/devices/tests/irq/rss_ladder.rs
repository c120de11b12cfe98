//! Captured `/proc/interrupts` with the queues that rss-ladder (netutils-linux) finds in them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use nearfar_devices::irq::{IrqDocument, SavedInterrupts, assess_saved};

use crate::corpus_folder::corpus;

/// The document of a captured machine.
fn document(folder: &Path) -> IrqDocument {
    let text = fs::read(folder.join("interrupts")).unwrap();
    let document = assess_saved(&SavedInterrupts::parse(&text).unwrap(), &[]);
    assert_eq!(document.saved.unwrap().ignored, 0, "{}", folder.display());
    document
}

fn folders() -> Vec<std::path::PathBuf> {
    let Some(folder) = corpus().map(|corpus| corpus.join("irq")) else { return Vec::new() };
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<_> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    assert!(folders.len() >= 4);
    folders
}

/// Handler and number of "queue eth0-TxRx-0 (irq 60) bound to CPU0".
fn listed(line: &str) -> Option<(String, u32)> {
    let (_, rest) = line.split_once("queue ")?;
    let (handler, rest) = rest.split_once(" (irq ")?;
    Some((handler.to_owned(), rest.split_once(')')?.0.parse().ok()?))
}

#[test]
fn queues_are_those_that_rss_ladder_binds() {
    for folder in folders() {
        let Ok(expected) = fs::read_to_string(folder.join("expected")) else { continue };
        let params = fs::read_to_string(folder.join("params")).unwrap();
        let name = params.split_whitespace().next().unwrap().trim_start_matches("pci:");
        let document = document(&folder);
        let device = document.devices.iter().find(|device| device.label == name).unwrap();
        let found: BTreeSet<(String, u32)> = device
            .interrupts
            .iter()
            .filter(|irq| irq.queue.is_some())
            .map(|irq| (irq.actions[0].clone(), irq.number))
            .collect();
        let bound: BTreeSet<(String, u32)> = expected.lines().filter_map(listed).collect();
        assert!(!bound.is_empty());
        assert_eq!(found, bound, "{}", folder.display());
    }
}

#[test]
fn all_lines_of_captured_machines_are_taken_apart() {
    for folder in folders() {
        let document = document(&folder);
        let device_interrupts = document.devices.iter().flat_map(|device| &device.interrupts);
        for irq in device_interrupts.chain(&document.others) {
            assert!(irq.chip.is_some() && irq.trigger.is_some(), "{irq:?}");
        }
        assert!(document.cpu_interrupts.iter().any(|interrupt| interrupt.name == "LOC"));
    }
}

/// One CPU served nearly all interrupts of these queues since boot, wherever they run now.
#[test]
fn queues_on_one_cpu_since_boot() {
    let found: Vec<(String, Vec<String>)> = folders()
        .iter()
        .map(|folder| {
            let document = document(folder);
            let devices =
                document.findings.iter().flat_map(nearfar_devices::irq::IrqFinding::devices);
            (folder.file_name().unwrap().to_str().unwrap().to_owned(), devices.collect())
        })
        .filter(|(_, devices): &(String, Vec<String>)| !devices.is_empty())
        .collect();
    if !folders().is_empty() {
        let expected: [(&str, &[&str]); 3] = [
            ("2xI350.i5-6400", &["eth1"]),
            ("igb.E5606", &["eth0", "eth1", "eth3"]),
            ("ixgbe.E5645", &["eth0", "hpsa6"]),
        ];
        let owned = |(folder, names): (&str, &[&str])| {
            (folder.to_owned(), names.iter().map(|&name| name.to_owned()).collect())
        };
        assert_eq!(found, expected.map(owned));
    }
}
