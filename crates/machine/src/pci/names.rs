//! Names of vendors, devices and classes, from the list of the PCI ID project (pci.ids), else
//! built in.
//!
//! References: <https://pci-ids.ucw.cz/>, pci.ids(5).

mod built_in;

use std::collections::{BTreeMap, BTreeSet};

use crate::source::Source;
use built_in::{BASE_CLASSES, CLASSES, VENDORS};

/// Where distributions install the list.
const FILES: [&str; 3] =
    ["/usr/share/misc/pci.ids", "/usr/share/hwdata/pci.ids", "/usr/share/pci.ids"];

/// Names of some vendors and devices, and of the common classes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PciNames {
    vendors: BTreeMap<u16, String>,
    devices: BTreeMap<(u16, u16), String>,
    /// The file that has the names; `None` if only built-in ones are known.
    pub file: Option<&'static str>,
}

impl PciNames {
    /// The names of these vendors and devices, from the source's list, else from this host's: the
    /// numbers mean the same on all machines.
    pub fn read(source: &Source, wanted: &BTreeSet<(u16, u16)>) -> Self {
        let host = Source::live();
        let found = [source, &host]
            .into_iter()
            .find_map(|source| FILES.iter().find_map(|file| Some((*file, source.read(file)?))));
        match found {
            Some((file, bytes)) => {
                Self { file: Some(file), ..Self::parse(&String::from_utf8_lossy(&bytes), wanted) }
            }
            None => Self::default(),
        }
    }

    /// The names of these vendors and devices in the text of a list.
    pub fn parse(text: &str, wanted: &BTreeSet<(u16, u16)>) -> Self {
        let mut names = Self::default();
        let mut vendor = None;
        for line in text.lines() {
            // The classes at the end are built in.
            if line.starts_with("C ") {
                break;
            }
            if line.starts_with('#') || line.starts_with("\t\t") {
                continue;
            }
            match (line.strip_prefix('\t'), vendor) {
                (Some(device), Some(of)) => {
                    let Some((id, name)) = id_and_name(device) else { continue };
                    if wanted.contains(&(of, id)) {
                        names.devices.insert((of, id), name.to_owned());
                    }
                }
                (Some(_), None) => {}
                (None, _) => {
                    vendor = id_and_name(line).and_then(|(id, name)| {
                        let is_wanted = wanted.range((id, 0)..=(id, u16::MAX)).next().is_some();
                        is_wanted.then(|| {
                            names.vendors.insert(id, name.to_owned());
                            id
                        })
                    });
                }
            }
        }
        names
    }

    /// A vendor's name.
    pub fn vendor(&self, vendor: u16) -> Option<&str> {
        self.vendors
            .get(&vendor)
            .map(String::as_str)
            .or_else(|| VENDORS.iter().find(|(id, _)| *id == vendor).map(|(_, name)| *name))
    }

    /// A device's name.
    pub fn device(&self, vendor: u16, device: u16) -> Option<&str> {
        self.devices.get(&(vendor, device)).map(String::as_str)
    }

    /// The name of a class: of its subclass, else of the class alone.
    pub fn class(class: u32) -> Option<&'static str> {
        let name =
            |wanted: u32| CLASSES.iter().find(|(id, _)| *id == wanted).map(|(_, name)| *name);
        let base = || {
            let found = BASE_CLASSES.iter().find(|(id, _)| *id == class >> 16);
            found.map(|(_, name)| *name)
        };
        name(class >> 8).or_else(base)
    }
}

fn id_and_name(line: &str) -> Option<(u16, &str)> {
    let (id, name) = line.split_once("  ")?;
    Some((u16::from_str_radix(id, 16).ok()?, name.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "# comment\n\
        10de  NVIDIA Corporation\n\
        \t2330  GH100 [H100 SXM5 80GB]\n\
        \t\t10de 16c1  H100\n\
        \t2331  GH100 [H100 PCIe]\n\
        15b3  Mellanox Technologies\n\
        \t1021  MT2910 Family [ConnectX-7]\n\
        zzzz  Malformed\n\
        \t0001  Of no vendor\n\
        C 02  Network controller\n\
        \t00  Ethernet controller\n";

    #[test]
    fn wanted_names_are_found() {
        let names = PciNames::parse(LIST, &[(0x10de, 0x2330), (0x10de, 0x9999)].into());
        assert_eq!(names.vendor(0x10de), Some("NVIDIA Corporation"));
        assert_eq!(names.device(0x10de, 0x2330), Some("GH100 [H100 SXM5 80GB]"));
        assert_eq!(names.device(0x10de, 0x2331), None);
        assert_eq!(names.device(0x15b3, 0x1021), None);
    }

    #[test]
    fn common_vendors_and_classes_are_built_in() {
        let names = PciNames::default();
        assert_eq!(names.vendor(0x1af4), Some("Red Hat (virtio)"));
        assert_eq!(names.vendor(0xfffe), None);
        assert_eq!(PciNames::class(0x01_08_02), Some("NVMe controller"));
        assert_eq!(PciNames::class(0x02_77_00), Some("network controller"));
        assert_eq!(PciNames::class(0xfe_00_00), None);
        assert!(VENDORS.windows(2).all(|two| two[0].0 < two[1].0));
        assert!(CLASSES.windows(2).all(|two| two[0].0 < two[1].0));
    }
}
