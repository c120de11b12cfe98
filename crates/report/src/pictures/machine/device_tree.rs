//! The root buses and switches above devices, with equal devices together.

use std::borrow::Cow;

use nearfar_view::draw::{DeviceBranch, PlanDevice};

use super::equal_devices::{JudgedDevice, together};

/// Buses of a node, and devices of one; the table of devices has them all.
const MAX_BRANCHES: usize = 64;
const MAX_DEVICES: usize = 64;
const DEEPEST: usize = 5;

/// A device of a survey.
#[derive(Clone, Copy)]
pub(super) enum TreeDevice<'s> {
    Whole(JudgedDevice<'s>),
    Named(&'s str),
}

impl TreeDevice<'_> {
    /// "GPU0".
    pub(super) fn title(&self) -> &str {
        match self {
            Self::Whole(judged) => &judged.device.label,
            Self::Named(name) => name,
        }
    }

    /// Whether its line is thick.
    pub(super) fn has_thick_line(&self) -> bool {
        matches!(self, Self::Whole(judged) if judged.has_thick_line())
    }
}

/// A branch for each root bus, in order; devices without PCI last.
pub(super) fn branches(devices: &[TreeDevice<'_>]) -> Vec<DeviceBranch> {
    let (mut whole, mut names) = (Vec::new(), Vec::new());
    for device in devices {
        match device {
            TreeDevice::Whole(device) => whole.push(*device),
            TreeDevice::Named(name) => names.push(Cow::Borrowed(*name)),
        }
    }
    let (on_pci, others): (Vec<JudgedDevice<'_>>, Vec<JudgedDevice<'_>>) =
        whole.into_iter().partition(|judged| !judged.device.path.is_empty());
    let mut branches: Vec<DeviceBranch> = by_hop(&on_pci, 0)
        .into_iter()
        .map(|(bus, below)| branch(bus.unwrap_or_default().to_owned(), &below, 1, DEEPEST))
        .collect();
    let left_out = branches.split_off(branches.len().min(MAX_BRANCHES));
    if !left_out.is_empty() {
        names.push(Cow::Owned(format!("and {} more root buses", left_out.len())));
    }
    if !others.is_empty() {
        branches.push(branch("without PCI".to_owned(), &others, 0, 0));
    }
    if !names.is_empty() {
        let devices = shortened(names.iter().map(|name| named(name)));
        branches.push(DeviceBranch { devices, ..DeviceBranch::default() });
    }
    branches
}

/// What is below a hop; `depth` hops of the path are above.
fn branch(name: String, devices: &[JudgedDevice<'_>], depth: usize, deeper: usize) -> DeviceBranch {
    let (mut direct, mut branches) = (Vec::new(), Vec::new());
    for (hop, below) in by_hop(devices, depth) {
        let mut common = common_hops(&below);
        // Below a port is a switch: its upper port, and lower ports with devices.
        let is_switch = common >= depth + 2 && longest_path(&below) > depth + 2;
        if is_switch {
            common = depth + 2;
        }
        let is_direct = below.len() == 1 || is_one_card(&below, common);
        if hop.is_none() || deeper == 0 || (is_direct && !is_switch) {
            direct.extend(below);
            continue;
        }
        let what = if longest_path(&below) > common { "switch" } else { "bridge" };
        let name = format!("{what} {}", below[0].device.path[common - 1]);
        branches.push(branch(name, &below, common, deeper - 1));
    }
    DeviceBranch { name, devices: shortened(together(&direct).into_iter()), branches }
}

/// Devices with the hop that they share; none where their paths end before it.
type AtHop<'d> = (Option<&'d str>, Vec<JudgedDevice<'d>>);

/// Devices by a hop of their paths, in order.
fn by_hop<'d>(devices: &[JudgedDevice<'d>], depth: usize) -> Vec<AtHop<'d>> {
    let mut groups: Vec<AtHop<'d>> = Vec::new();
    for judged in devices {
        let hop = judged.device.path.get(depth).map(String::as_str);
        match groups.iter_mut().find(|(known, _)| *known == hop) {
            Some((_, group)) => group.push(*judged),
            None => groups.push((hop, vec![*judged])),
        }
    }
    groups
}

/// How many hops all paths have in common.
fn common_hops(devices: &[JudgedDevice<'_>]) -> usize {
    let first = &devices[0].device.path;
    let same = |judged: &JudgedDevice<'_>| {
        let hops = first.iter().zip(&judged.device.path);
        hops.take_while(|(one, other)| one == other).count()
    };
    devices.iter().map(same).min().unwrap_or(0)
}

fn longest_path(devices: &[JudgedDevice<'_>]) -> usize {
    devices.iter().map(|judged| judged.device.path.len()).max().unwrap_or(0)
}

/// Whether all are functions of one card, right below one port.
fn is_one_card(devices: &[JudgedDevice<'_>], common: usize) -> bool {
    let slot = |judged: &JudgedDevice<'_>| {
        let address = judged.device.address.as_ref()?;
        address.rsplit_once('.').map(|(slot, _)| slot.to_owned())
    };
    let first = slot(&devices[0]);
    let is_here = |one: &JudgedDevice<'_>| one.device.path.len() == common && slot(one) == first;
    first.is_some() && devices.iter().all(is_here)
}

fn shortened(devices: impl ExactSizeIterator<Item = PlanDevice>) -> Vec<PlanDevice> {
    let more = devices.len().saturating_sub(MAX_DEVICES);
    let rest = (more > 0).then(|| named(&format!("and {more} more")));
    devices.take(MAX_DEVICES).chain(rest).collect()
}

/// A device with a name and no other facts.
fn named(name: &str) -> PlanDevice {
    PlanDevice { label: name.to_owned(), ..PlanDevice::default() }
}
