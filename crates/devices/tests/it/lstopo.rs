//! hwloc's machines: bridges, devices and localities as lstopo shows them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use nearfar_machine::pci::{PciFunction, PciHop, PciPath};
use nearfar_machine::{Inventory, InventoryScope, PciAddress, Source};
use nearfar_model::CpuSet;

use crate::corpus_folder::corpus;
use crate::made_machine::{codes, document};
use crate::{lstopo_console, lstopo_xml};

/// A function that lstopo shows.
pub(crate) struct ShownFunction {
    pub(crate) address: PciAddress,
    pub(crate) class: u32,
    /// `vendor:device`.
    pub(crate) id: String,
    /// From the root bus down.
    pub(crate) bridges: Vec<PciAddress>,
    pub(crate) host_bridge: ShownHostBridge,
}

/// A host bridge that lstopo shows.
pub(crate) struct ShownHostBridge {
    pub(crate) root_bus: PciHop,
    /// The CPUs of the object that it is in.
    pub(crate) cpus: CpuSet,
}

/// The first bus of "0000:[17-1e]".
pub(crate) fn root_bus(buses: &str) -> PciHop {
    let (domain, buses) = buses.split_once(":[").unwrap();
    let bus = buses.split('-').next().unwrap();
    PciHop::RootBus {
        domain: u32::from_str_radix(domain, 16).unwrap(),
        bus: u8::from_str_radix(bus, 16).unwrap(),
    }
}

/// Machines with PCI: name, and whether lstopo shows every function (`--whole-io`).
const MACHINES: [(&str, bool); 5] = [
    ("2pa-pcidomain32bits", false),
    ("32em64t-2n8c+dax+nvme+mic+dimms", true),
    ("32intel64-2p8co2t+8ve", false),
    ("40intel64-4n10c+pci-conflicts", false),
    ("fakepcilocalities", true),
];

/// Localities that differ: machine, root bus, reason. Each must differ.
const OTHER_LOCALITIES: [(&str, &str, &str); 4] = [
    ("2pa-pcidomain32bits", "pci0000:00", "its only node has two packages, local_cpus names one"),
    ("2pa-pcidomain32bits", "pci10000:00", "its only node has two packages, local_cpus names one"),
    ("fakepcilocalities", "pci0000:40", "HWLOC_PCI_LOCALITY in its .test replaces CPUs of 3f-40"),
    ("fakepcilocalities", "pci0000:80", "HWLOC_PCI_LOCALITY in its .test replaces CPUs of 82-c0"),
];

/// Functions that `lstopo --whole-io` leaves out.
const NOT_SHOWN: [(&str, &str); 1] = [
    // A bridge without buses: its config space has 0 for the bus below it.
    ("32em64t-2n8c+dax+nvme+mic+dimms", "0000:00:11.0"),
];

/// Findings of the machines with PCI.
const FINDINGS: [(&str, &str); 2] = [
    // Its disk 0000:00:02.0 has -1, other devices of the bus have 0.
    ("32em64t-2n8c+dax+nvme+mic+dimms", "device-without-node"),
    // All devices have -1, and there are four nodes.
    ("40intel64-4n10c+pci-conflicts", "device-without-node"),
];

fn hwloc() -> Option<std::path::PathBuf> {
    corpus().map(|corpus| corpus.join("sysfs/hwloc"))
}

fn source(folder: &Path, machine: &str) -> Source {
    Source::open(&folder.join(format!("{machine}.tar.bz2"))).unwrap()
}

fn shown(folder: &Path, machine: &str) -> Vec<ShownFunction> {
    let read = |ending: &str| fs::read_to_string(folder.join(format!("{machine}.{ending}")));
    match read("xml") {
        Ok(text) => lstopo_xml::functions(&text),
        Err(_) => lstopo_console::functions(&read("console").unwrap()),
    }
}

fn id(function: &PciFunction) -> String {
    format!("{:04x}:{:04x}", function.vendor.unwrap(), function.device.unwrap())
}

fn is_subsequence(part: &[PciAddress], path: &PciPath) -> bool {
    let mut bridges = path.bridges();
    part.iter().all(|wanted| bridges.any(|bridge| bridge == *wanted))
}

#[test]
fn functions_and_bridges_agree_with_lstopo() {
    let Some(folder) = hwloc() else { return };
    for (machine, shows_all) in MACHINES {
        let inventory = Inventory::read(&source(&folder, machine), InventoryScope::All);
        assert!(inventory.oddities.is_empty(), "{machine}: {:?}", inventory.oddities);
        let shown = shown(&folder, machine);
        assert!(!shown.is_empty(), "{machine}");
        for one in &shown {
            let place = format!("{machine}, {}", one.address);
            let ours = inventory.function(one.address).unwrap_or_else(|| panic!("{place}"));
            assert_eq!(
                (ours.class.unwrap() >> 8, id(ours)),
                (one.class, one.id.clone()),
                "{place}"
            );
            assert_eq!(ours.path.hops().first(), Some(&one.host_bridge.root_bus), "{place}");
            let bridges: Vec<PciAddress> = ours.path.bridges().collect();
            assert!(
                is_subsequence(&one.bridges, &ours.path),
                "{place}: {:?} {bridges:?}",
                one.bridges
            );
            if shows_all {
                assert_eq!(bridges, one.bridges, "{place}");
            }
        }
        if shows_all {
            let ours: BTreeSet<_> =
                inventory.functions.iter().map(|function| function.address).collect();
            let theirs: BTreeSet<_> = shown.iter().map(|one| one.address).collect();
            let differing = ours.symmetric_difference(&theirs).map(ToString::to_string);
            let expected = NOT_SHOWN.iter().filter(|(of, _)| *of == machine);
            let expected: Vec<String> =
                expected.map(|(_, address)| (*address).to_owned()).collect();
            assert_eq!(differing.collect::<Vec<_>>(), expected, "{machine}");
        }
    }
}

#[test]
fn localities_agree_with_lstopo() {
    let Some(folder) = hwloc() else { return };
    let mut differing = BTreeSet::new();
    let mut compared = 0;
    for (machine, _) in MACHINES {
        let document = document(&source(&folder, machine), InventoryScope::All);
        for one in shown(&folder, machine) {
            let address = one.address.to_string();
            let ours =
                document.devices.iter().find(|device| device.address == Some(address.clone()));
            // A device without node has no CPUs to compare.
            let Some(cpus) = ours.and_then(|device| device.cpus.as_ref()) else { continue };
            compared += 1;
            if *cpus != one.host_bridge.cpus {
                differing.insert((machine, one.host_bridge.root_bus.to_string()));
            }
        }
    }
    let listed: BTreeSet<_> =
        OTHER_LOCALITIES.iter().map(|(machine, bus, _)| (*machine, (*bus).to_owned())).collect();
    assert_eq!(differing, listed);
    assert!(compared > 50, "{compared}");
}

#[test]
fn machines_with_pci_have_the_listed_findings() {
    let Some(folder) = hwloc() else { return };
    let mut found = BTreeSet::new();
    for (machine, _) in MACHINES {
        let document = document(&source(&folder, machine), InventoryScope::Usual);
        let codes = codes(&document).into_iter();
        found.extend(codes.map(|code| (machine, code)));
    }
    assert_eq!(found, FINDINGS.into());
}

#[test]
fn machines_without_pci_have_no_findings() {
    let Some(folder) = hwloc() else { return };
    let with_pci: BTreeSet<&str> = MACHINES.iter().map(|(machine, _)| *machine).collect();
    let mut read = 0;
    for file in crate::corpus_folder::files_below(&folder) {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let Some(machine) = name.strip_suffix(".tar.bz2") else { continue };
        if with_pci.contains(machine) {
            continue;
        }
        // Some archives are no machines of Linux.
        let Ok(source) = Source::open(&file) else { continue };
        let document = document(&source, InventoryScope::Usual);
        read += 1;
        assert!(document.findings.is_empty(), "{machine}: {:?}", document.findings);
        assert!(document.oddities.is_empty(), "{machine}: {:?}", document.oddities);
    }
    assert!(read > 20, "{read}");
}
