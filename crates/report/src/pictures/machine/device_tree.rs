//! The root buses and switches above devices, with equal devices together.

use nearfar_devices::Device;
use nearfar_draw::{DeviceBranch, PlanDevice};

use super::devices::named;
use super::equal_devices::{link, together};

/// Buses of a node, and devices of one; the table of devices has them all.
const MOST_BRANCHES: usize = 64;
const MOST_DEVICES: usize = 64;
/// Switches below switches.
const DEEPEST: usize = 3;

/// A device of a survey.
#[derive(Clone, Copy)]
pub(super) enum TreeDevice<'s> {
    /// With its path.
    Whole(&'s Device),
    /// Its name only.
    Named(&'s str),
}

impl TreeDevice<'_> {
    /// "GPU0".
    pub(super) fn title(&self) -> &str {
        match self {
            Self::Whole(device) => &device.label,
            Self::Named(name) => name,
        }
    }

    /// Whether its link is narrower than both ends support.
    pub(super) fn has_narrow_link(&self) -> bool {
        matches!(self, Self::Whole(device) if link(device).1)
    }
}

/// A branch for each root bus, in order; devices without PCI last.
pub(super) fn branches(devices: &[TreeDevice<'_>]) -> Vec<DeviceBranch> {
    let (mut whole, mut names) = (Vec::new(), Vec::new());
    for device in devices {
        match device {
            TreeDevice::Whole(device) => whole.push(*device),
            TreeDevice::Named(name) => names.push(named(name)),
        }
    }
    let (on_pci, others): (Vec<&Device>, Vec<&Device>) =
        whole.into_iter().partition(|device| !device.path.is_empty());
    let mut branches: Vec<DeviceBranch> = by_hop(&on_pci, 0)
        .into_iter()
        .map(|(bus, below)| branch(bus.unwrap_or_default().to_owned(), &below, 1, DEEPEST))
        .collect();
    let left_out = branches.split_off(branches.len().min(MOST_BRANCHES));
    if !left_out.is_empty() {
        names.push(named(&format!("and {} more root buses", left_out.len())));
    }
    if !others.is_empty() {
        branches.push(branch("without PCI".to_owned(), &others, 0, 0));
    }
    if !names.is_empty() {
        branches.push(DeviceBranch { devices: shortened(names), ..DeviceBranch::default() });
    }
    branches
}

/// What is below a hop; `depth` hops of the path are above.
fn branch(name: String, devices: &[&Device], depth: usize, deeper: usize) -> DeviceBranch {
    let (mut direct, mut branches) = (Vec::new(), Vec::new());
    for (hop, below) in by_hop(devices, depth) {
        let common = common_hops(&below);
        if hop.is_none() || deeper == 0 || below.len() == 1 || is_one_card(&below, common) {
            direct.extend(below);
            continue;
        }
        let is_switch = below.iter().any(|device| device.path.len() > common);
        let what = if is_switch { "switch" } else { "bridge" };
        let name = format!("{what} {}", below[0].path[common - 1]);
        branches.push(branch(name, &below, common, deeper - 1));
    }
    DeviceBranch { name, devices: shortened(together(&direct)), branches }
}

/// Devices by a hop of their paths, in order; those whose paths end before have none.
fn by_hop<'d>(devices: &[&'d Device], depth: usize) -> Vec<(Option<&'d str>, Vec<&'d Device>)> {
    let mut groups: Vec<(Option<&str>, Vec<&Device>)> = Vec::new();
    for device in devices {
        let hop = device.path.get(depth).map(String::as_str);
        match groups.iter_mut().find(|(known, _)| *known == hop) {
            Some((_, group)) => group.push(device),
            None => groups.push((hop, vec![device])),
        }
    }
    groups
}

/// How many hops all paths have in common.
fn common_hops(devices: &[&Device]) -> usize {
    let first = &devices[0].path;
    let same = |device: &&Device| {
        first.iter().zip(&device.path).take_while(|(one, other)| one == other).count()
    };
    devices.iter().map(same).min().unwrap_or(0)
}

/// Whether all are functions of one card, right below one port.
fn is_one_card(devices: &[&Device], common: usize) -> bool {
    let slot = |device: &Device| {
        device.address.as_ref()?.rsplit_once('.').map(|(slot, _)| slot.to_owned())
    };
    let first = slot(devices[0]);
    first.is_some() && devices.iter().all(|one| one.path.len() == common && slot(one) == first)
}

fn shortened(mut devices: Vec<PlanDevice>) -> Vec<PlanDevice> {
    let more = devices.len().saturating_sub(MOST_DEVICES);
    if more > 0 {
        devices.truncate(MOST_DEVICES);
        devices.push(named(&format!("and {more} more")));
    }
    devices
}
