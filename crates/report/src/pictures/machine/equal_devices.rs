//! Devices of one bus in few boxes: equal ones share one.

use nearfar_devices::text::link::narrower_above;
use nearfar_devices::{Device, Lanes, Link, NodeVerdict};
use nearfar_machine::DeviceKind;
use nearfar_view::draw::{DeviceShape, PlanDevice};

use super::interrupts::{self, DeviceInterrupts};

/// Fewer equal GPUs, accelerators and network cards have a box each.
const FEW: usize = 5;
/// Names that are listed.
const MAX_NAMES: usize = 2;

/// A device, whether a finding calls its link narrow, and its interrupts.
#[derive(Clone, Copy)]
pub(super) struct JudgedDevice<'s> {
    pub(super) device: &'s Device,
    pub(super) is_narrow: bool,
    pub(super) interrupts: Option<DeviceInterrupts<'s>>,
}

impl JudgedDevice<'_> {
    /// Whether its line is thick: small devices have none.
    pub(super) fn has_thick_line(self) -> bool {
        self.is_narrow && shape(self.device.kind) != DeviceShape::Small
    }
}

/// The devices in boxes: GPUs first, small ones last.
pub(super) fn together(devices: &[JudgedDevice<'_>]) -> Vec<PlanDevice> {
    let mut groups: Vec<Vec<JudgedDevice<'_>>> = Vec::new();
    for &device in devices {
        match groups.iter_mut().find(|group| are_equal(group[0], device)) {
            Some(group) => group.push(device),
            None => groups.push(vec![device]),
        }
    }
    groups.sort_by_key(|group| group[0].device.kind);
    let is_single = |group: &[JudgedDevice<'_>]| {
        let kind = group[0].device.kind;
        shape(kind) != DeviceShape::Small && kind <= DeviceKind::Network && group.len() < FEW
    };
    let boxes = groups.iter().flat_map(|group| match is_single(group) {
        true => group.iter().map(|one| plan_device(&[*one])).collect(),
        false => vec![plan_device(group)],
    });
    boxes.collect()
}

fn are_equal(a: JudgedDevice<'_>, b: JudgedDevice<'_>) -> bool {
    let (one, other) = (a.device, b.device);
    let is_small = shape(one.kind) == DeviceShape::Small;
    one.kind == other.kind
        && doubt(one) == doubt(other)
        && (is_small
            || (link(one) == link(other)
                && a.is_narrow == b.is_narrow
                && one.id == other.id
                && one.bytes == other.bytes))
}

fn plan_device(group: &[JudgedDevice<'_>]) -> PlanDevice {
    let first = group[0];
    let devices: Vec<&Device> = group.iter().map(|one| one.device).collect();
    let shape = shape(first.device.kind);
    let names: Vec<&str> =
        devices.iter().flat_map(|device| &device.names).map(String::as_str).collect();
    let is_small = shape == DeviceShape::Small;
    PlanDevice {
        shape,
        label: labels(first.device.kind, &devices) + doubt(first.device),
        names: if is_small { String::new() } else { with_facts(range(&names), &devices) },
        link: if is_small { String::new() } else { link(first.device) },
        is_narrow: first.has_thick_line(),
        interrupts: interrupts::together(group.iter().filter_map(|one| one.interrupts)),
    }
}

/// "nvme0, 1.75 TiB, 02:00.0"; several devices have no address, which the table of devices has.
fn with_facts(names: String, devices: &[&Device]) -> String {
    let size = devices[0].bytes.map(|bytes| bytes.to_string());
    let address = match devices {
        [only] => only.address.as_deref().map(short_address),
        _ => None,
    };
    let parts = [names].into_iter().chain(size).chain(address.map(str::to_owned));
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// Without the domain that most machines have alone, as `lspci` writes it.
fn short_address(address: &str) -> &str {
    address.strip_prefix("0000:").unwrap_or(address)
}

/// Why a device may be at another node.
fn doubt(device: &Device) -> &'static str {
    match device.node.verdict {
        NodeVerdict::Disputed => " (node disputed)",
        NodeVerdict::FirmwareOnly => " (node by firmware)",
        _ => "",
    }
}

fn shape(kind: DeviceKind) -> DeviceShape {
    match kind {
        DeviceKind::Gpu | DeviceKind::Accelerator => DeviceShape::Processor,
        DeviceKind::Network => DeviceShape::Network,
        DeviceKind::Disk => DeviceShape::Disk,
        DeviceKind::Cxl | DeviceKind::Dax => DeviceShape::Memory,
        DeviceKind::Usb | DeviceKind::Display | DeviceKind::Bridge | DeviceKind::Other => {
            DeviceShape::Small
        }
    }
}

/// "x8 of 16, 32 GT/s (x4 above)". Idle devices lower their speed.
fn link(device: &Device) -> String {
    let own = device.link.map(own_link);
    own.into_iter().chain(narrower_above(device)).collect::<Vec<_>>().join(" ")
}

fn own_link(Link { now, device_max, port_max }: Link) -> String {
    let port = port_max.unwrap_or(device_max);
    let most = Lanes {
        lanes: device_max.lanes.zip(port.lanes).map(|(one, other)| one.min(other)),
        gt_s: device_max.gt_s.zip(port.gt_s).map(|(one, other)| one.min(other)),
    };
    let fewer = now.lanes.zip(most.lanes).filter(|(now, most)| now < most);
    let lanes = now.lanes.map(|lanes| match fewer {
        Some((now, most)) => format!("x{now} of {most}"),
        None => format!("x{lanes}"),
    });
    let speed = now.gt_s.map(|now| match most.gt_s {
        Some(most) if now < most => format!("{now} of {most} GT/s"),
        _ => format!("{now} GT/s"),
    });
    let between = if fewer.is_some() { ", " } else { " " };
    lanes.into_iter().chain(speed).collect::<Vec<_>>().join(between)
}

/// "DISK0-7", "NIC0,2".
fn labels(kind: DeviceKind, group: &[&Device]) -> String {
    let prefix = kind.label();
    let numbers: Option<Vec<u32>> =
        group.iter().map(|one| one.label.strip_prefix(prefix)?.parse().ok()).collect();
    match numbers {
        Some(numbers) => format!("{prefix}{}", runs(&numbers)),
        None => group.iter().map(|one| one.label.as_str()).collect::<Vec<_>>().join(", "),
    }
}

/// "0-3,8".
fn runs(numbers: &[u32]) -> String {
    let mut runs: Vec<[u32; 2]> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some([_, last]) if last.checked_add(1) == Some(number) => *last = number,
            _ => runs.push([number, number]),
        }
    }
    let written = runs.iter().map(|[first, last]| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    });
    written.collect::<Vec<_>>().join(",")
}

/// "nvme0-nvme7"; a few names, or their number, where they are no run.
fn range(names: &[&str]) -> String {
    if names.len() <= MAX_NAMES {
        return names.join(", ");
    }
    let split = |name: &&str| {
        let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
        Some((name[prefix.len()..].parse::<u32>().ok()?, prefix))
    };
    let parts: Option<Vec<(u32, String)>> = names.iter().map(split).collect();
    let is_run = |parts: &Vec<(u32, String)>| {
        parts
            .windows(2)
            .all(|two| two[0].1 == two[1].1 && two[0].0.checked_add(1) == Some(two[1].0))
    };
    match parts.filter(is_run) {
        Some(_) => format!("{}-{}", names[0], names[names.len() - 1]),
        None => format!("{}, {} and {} more", names[0], names[1], names.len() - 2),
    }
}
