//! Machines that tests make, with links as sysfs has them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};

use nearfar_devices::{DeviceContext, DevicesDocument, MeasuredNode, SmiMatrix, assess};
use nearfar_firmware::Firmware;
use nearfar_firmware::linux::KernelLog;
use nearfar_machine::{Inventory, InventoryScope, PciNames, Source, Topology};
use nearfar_model::{CpuSet, NodeId, ProximityDomain};

/// A node of a machine.
pub(crate) struct MadeNode<'a> {
    pub(crate) id: u32,
    pub(crate) package: u32,
    pub(crate) cpus: &'a str,
}

/// A file or link.
enum MadeEntry {
    File(Vec<u8>),
    /// As captures keep files that no user may read: empty, with mode 000.
    Unreadable,
    Link(String),
}

/// A machine by the paths of its files. They go into one archive: that is faster than folders.
pub(crate) struct MadeMachine(RefCell<BTreeMap<String, MadeEntry>>);

impl MadeMachine {
    /// A machine with these nodes. Distances are 10 and 20.
    pub(crate) fn new(nodes: &[MadeNode<'_>]) -> Self {
        let machine = Self(RefCell::default());
        let mut all = CpuSet::new();
        for node in nodes {
            let cpus = CpuSet::parse_list(node.cpus).unwrap();
            let folder = format!("sys/devices/system/node/node{}", node.id);
            machine.file(&format!("{folder}/cpulist"), node.cpus);
            let distances = nodes.iter().map(|other| if other.id == node.id { "10" } else { "20" });
            machine.file(&format!("{folder}/distance"), distances.collect::<Vec<_>>().join(" "));
            for cpu in cpus.iter() {
                let file = format!("sys/devices/system/cpu/cpu{cpu}/topology/physical_package_id");
                machine.file(&file, node.package.to_string());
            }
            all.extend(cpus.iter());
        }
        let ids: Vec<String> = nodes.iter().map(|node| node.id.to_string()).collect();
        machine.file("sys/devices/system/node/online", ids.join(","));
        machine.file("sys/devices/system/cpu/online", all.to_string());
        machine
    }

    /// Two packages of one node each.
    pub(crate) fn two_nodes() -> Self {
        Self::new(&[
            MadeNode { id: 0, package: 0, cpus: "0-3" },
            MadeNode { id: 1, package: 1, cpus: "4-7" },
        ])
    }

    fn put(&self, path: &str, entry: MadeEntry) {
        self.0.borrow_mut().insert(path.to_owned(), entry);
    }

    pub(crate) fn file(&self, path: &str, content: impl Into<Vec<u8>>) {
        self.put(path, MadeEntry::File(content.into()));
    }

    pub(crate) fn unreadable(&self, path: &str) {
        self.put(path, MadeEntry::Unreadable);
    }

    /// A link to a path from the root.
    pub(crate) fn link(&self, link: &str, target: &str) {
        self.put(link, MadeEntry::Link(format!("/{target}")));
    }

    /// A function at a path below `/sys/devices`: class and `vendor:device` in hexadecimal.
    pub(crate) fn function(&self, path: &str, class: &str, id: &str, node: i32) {
        self.attribute(path, "uevent", &format!("PCI_CLASS={class}\nPCI_ID={id}\n"));
        self.attribute(path, "numa_node", &node.to_string());
        let address = path.rsplit('/').next().unwrap();
        self.link(&format!("sys/bus/pci/devices/{address}"), &format!("sys/devices/{path}"));
    }

    pub(crate) fn attribute(&self, path: &str, name: &str, content: &str) {
        self.file(&format!("sys/devices/{path}/{name}"), content);
    }

    /// The link of a function: speed and width now, then at most.
    pub(crate) fn pcie_link(&self, path: &str, now: (&str, u32), max: (&str, u32)) {
        for (which, (speed, lanes)) in [("current", now), ("max", max)] {
            self.attribute(path, &format!("{which}_link_speed"), &format!("{speed} GT/s PCIe"));
            self.attribute(path, &format!("{which}_link_width"), &lanes.to_string());
        }
    }

    pub(crate) fn source(&self) -> Source {
        let mut archive = tar::Builder::new(Vec::new());
        for (path, entry) in self.0.borrow().iter() {
            let mut header = tar::Header::new_gnu();
            header.set_mode(0o444);
            header.set_size(0);
            match entry {
                MadeEntry::File(content) => {
                    header.set_size(content.len() as u64);
                    archive.append_data(&mut header, path, content.as_slice()).unwrap();
                }
                MadeEntry::Unreadable => {
                    header.set_mode(0);
                    archive.append_data(&mut header, path, [].as_slice()).unwrap();
                }
                MadeEntry::Link(target) => {
                    header.set_entry_type(tar::EntryType::Symlink);
                    archive.append_link(&mut header, path, target).unwrap();
                }
            }
        }
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&archive.into_inner().unwrap()).unwrap();
        Source::open(file.path()).unwrap()
    }

    /// The machine in a folder.
    pub(crate) fn folder(&self) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, entry) in self.0.borrow().iter() {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            match entry {
                MadeEntry::File(content) => fs::write(path, content).unwrap(),
                MadeEntry::Unreadable => {
                    fs::write(&path, "").unwrap();
                    fs::set_permissions(path, PermissionsExt::from_mode(0o000)).unwrap();
                }
                MadeEntry::Link(target) => symlink(target, path).unwrap(),
            }
        }
        folder
    }

    /// The document of a machine that is no guest, without firmware's tables.
    pub(crate) fn document(&self) -> DevicesDocument {
        document(&self.source(), InventoryScope::Usual)
    }
}

/// What a document is made from, besides the machine's files.
#[derive(Default)]
pub(crate) struct OtherWitnesses {
    pub(crate) firmware: Firmware,
    pub(crate) log: KernelLog,
    pub(crate) is_guest: bool,
    pub(crate) smi: Option<Result<SmiMatrix, String>>,
    pub(crate) measured: Vec<MeasuredNode>,
}

impl OtherWitnesses {
    /// The document of a machine. Domains have the numbers of their nodes.
    pub(crate) fn document(&self, source: &Source, scope: InventoryScope) -> DevicesDocument {
        let topology = Topology::read(source).ok();
        let nodes: Vec<NodeId> = topology
            .iter()
            .flat_map(|topology| topology.nodes.iter().map(|node| node.id))
            .collect();
        let domains: BTreeMap<ProximityDomain, NodeId> =
            nodes.into_iter().map(|id| (ProximityDomain(id.0), id)).collect();
        let context = DeviceContext {
            topology: topology.as_ref(),
            firmware: &self.firmware,
            log: &self.log,
            domains: &domains,
            is_guest: self.is_guest,
            measured: &self.measured,
        };
        let inventory = Inventory::read(source, scope);
        assess(&inventory, scope, &PciNames::default(), &context, self.smi.as_ref())
    }
}

/// The document of a machine without other witnesses.
pub(crate) fn document(source: &Source, scope: InventoryScope) -> DevicesDocument {
    OtherWitnesses::default().document(source, scope)
}

/// The codes of a document's findings.
pub(crate) fn codes(document: &DevicesDocument) -> Vec<&'static str> {
    document.findings.iter().map(nearfar_devices::DeviceFinding::code).collect()
}
