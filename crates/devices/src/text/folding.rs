//! Equal functions: text has the first of them, and the number of the others.

use std::collections::{BTreeMap, BTreeSet};

use nearfar_machine::DeviceKind;
use nearfar_view::text::first_lines::shows_all;
use nearfar_view::text::paragraph;
use nearfar_view::text::table;

use super::Addresses;
use super::rows::{self, HEADS};
use crate::{Device, DevicesDocument};

/// The smallest number of equal functions that are folded.
const FEWEST: usize = 4;

/// The devices that text lists, and how many equal ones each has.
pub(super) struct FoldedDevices<'d> {
    pub(super) shown: Vec<&'d Device>,
    others: BTreeMap<&'d str, EqualFunctions>,
}

struct EqualFunctions {
    number: usize,
    /// "virtual functions of NIC0"
    what: String,
}

/// What functions have in common: virtual functions by their physical function, parts of the
/// chipset by root bus, vendor and class; and the cells of the table behind the address.
type Alike<'d> = (Group<'d>, Vec<String>);

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Group<'d> {
    Virtual { physical: &'d str, path: &'d [String], id: Option<&'d str> },
    WithoutDriver { root_bus: &'d str, vendor: Option<&'d str>, class: &'d str },
}

impl<'d> FoldedDevices<'d> {
    pub(super) fn new(document: &'d DevicesDocument, addresses: Addresses) -> Self {
        let mut groups: BTreeMap<Alike<'d>, Vec<&'d Device>> = BTreeMap::new();
        for device in &document.devices {
            if let Some(group) = Group::of(device) {
                let cells = rows::cells(device, addresses)[rows::ADDRESS + 1..].to_vec();
                groups.entry((group, cells)).or_default().push(device);
            }
        }
        let labels: BTreeMap<&str, &str> = document
            .devices
            .iter()
            .filter_map(|device| Some((device.address.as_deref()?, device.label.as_str())))
            .collect();
        let mut others = BTreeMap::new();
        let mut hidden = BTreeSet::new();
        for ((group, _), devices) in groups {
            if devices.len() < FEWEST || shows_all() {
                continue;
            }
            let what = match group {
                Group::Virtual { physical, .. } => {
                    let physical =
                        labels.get(physical).copied().unwrap_or(addresses.short(physical));
                    format!("virtual functions of {physical}")
                }
                Group::WithoutDriver { root_bus, .. } => {
                    let class = devices[0].class_name.as_deref().unwrap_or("functions");
                    format!("without driver on {root_bus} ({class})")
                }
            };
            let number = devices.len() - 1;
            others.insert(devices[0].label.as_str(), EqualFunctions { number, what });
            hidden.extend(devices[1..].iter().map(|device| device.label.as_str()));
        }
        let shown = document.devices.iter();
        let shown = shown.filter(|device| !hidden.contains(device.label.as_str())).collect();
        Self { shown, others }
    }

    /// "... and 63 more virtual functions of NIC0".
    pub(super) fn more(&self, device: &Device) -> Option<String> {
        let others = self.others.get(device.label.as_str())?;
        Some(format!("... and {} more {}", others.number, others.what))
    }
}

impl<'d> Group<'d> {
    fn of(device: &'d Device) -> Option<Self> {
        if let Some(physical) = &device.physical_function {
            let (path, id) = (device.path.as_slice(), device.id.as_deref());
            return Some(Self::Virtual { physical, path, id });
        }
        let is_part = matches!(device.kind, DeviceKind::Bridge | DeviceKind::Other);
        if !is_part || device.driver.is_some() || !device.names.is_empty() {
            return None;
        }
        Some(Self::WithoutDriver {
            root_bus: device.path.first()?,
            vendor: device.id.as_deref().and_then(|id| id.split(':').next()),
            class: device.class.as_deref()?,
        })
    }
}

/// The table of devices, and what is folded.
pub(super) fn text(devices: &FoldedDevices<'_>, addresses: Addresses) -> String {
    let rows = devices.shown.iter().map(|device| rows::cells(device, addresses)).collect();
    let table = table("Devices (labels count by PCI address; names are the kernel's)", HEADS, rows);
    let more = devices.shown.iter().filter_map(|device| {
        let more = format!("{}: --verbose lists them", devices.more(device)?);
        Some(paragraph::of(&more, &format!("{} ", device.label), "  "))
    });
    let more: String = more.collect();
    if more.is_empty() { table } else { format!("{table}\n{more}") }
}
