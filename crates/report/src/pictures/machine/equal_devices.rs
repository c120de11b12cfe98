//! Devices of one bus in few boxes: equal ones share one.

use nearfar_devices::{Device, Lanes, Link, NodeVerdict};
use nearfar_draw::{DeviceShape, PlanDevice};
use nearfar_machine::DeviceKind;

/// Fewer equal GPUs, accelerators and network cards have a box each.
const FEW: usize = 5;
/// Names that are listed.
const MOST_NAMES: usize = 2;

/// The devices in boxes: GPUs first, small ones last.
pub(super) fn together(devices: &[&Device]) -> Vec<PlanDevice> {
    let mut groups: Vec<Vec<&Device>> = Vec::new();
    for device in devices {
        match groups.iter_mut().find(|group| are_equal(group[0], device)) {
            Some(group) => group.push(device),
            None => groups.push(vec![device]),
        }
    }
    groups.sort_by_key(|group| group[0].kind);
    let is_single = |group: &[&Device]| {
        shape(group[0].kind) != DeviceShape::Small
            && group[0].kind <= DeviceKind::Network
            && group.len() < FEW
    };
    let boxes = groups.iter().flat_map(|group| match is_single(group) {
        true => group.iter().map(|one| plan_device(&[one])).collect(),
        false => vec![plan_device(group)],
    });
    boxes.collect()
}

fn are_equal(one: &Device, other: &Device) -> bool {
    let is_small = shape(one.kind) == DeviceShape::Small;
    one.kind == other.kind
        && (is_small
            || (link(one) == link(other)
                && one.id == other.id
                && one.node.verdict == other.node.verdict))
}

fn plan_device(group: &[&Device]) -> PlanDevice {
    let first = group[0];
    let shape = shape(first.kind);
    let (link, is_narrow) = link(first);
    let names: Vec<&str> = group.iter().flat_map(|one| &one.names).map(String::as_str).collect();
    let doubt = match first.node.verdict {
        NodeVerdict::Disputed => Some("node disputed".to_owned()),
        NodeVerdict::FirmwareOnly => Some("node by firmware".to_owned()),
        _ => None,
    };
    let names = Some(range(&names)).filter(|names| !names.is_empty()).into_iter().chain(doubt);
    let is_small = shape == DeviceShape::Small;
    PlanDevice {
        shape,
        label: labels(first.kind, group),
        names: if is_small { String::new() } else { names.collect::<Vec<_>>().join(", ") },
        link: if is_small { String::new() } else { link },
        is_narrow: is_narrow && !is_small,
    }
}

fn shape(kind: DeviceKind) -> DeviceShape {
    match kind {
        DeviceKind::Gpu | DeviceKind::Accelerator => DeviceShape::Processor,
        DeviceKind::Network => DeviceShape::Network,
        DeviceKind::Disk => DeviceShape::Disk,
        DeviceKind::Cxl => DeviceShape::Memory,
        DeviceKind::Usb | DeviceKind::Display | DeviceKind::Bridge | DeviceKind::Other => {
            DeviceShape::Small
        }
    }
}

/// "x8 of 16, 32 GT/s", and whether it is narrower than both ends support. Idle devices lower
/// their speed: a low speed is shown, and not marked.
pub(super) fn link(device: &Device) -> (String, bool) {
    let Some(Link { now, device_max, port_max }) = device.link else {
        return (String::new(), false);
    };
    let port = port_max.unwrap_or(device_max);
    let most = Lanes {
        lanes: device_max.lanes.zip(port.lanes).map(|(one, other)| one.min(other)),
        gt_s: device_max.gt_s.zip(port.gt_s).map(|(one, other)| one.min(other)),
    };
    let is_narrow = now.lanes.zip(most.lanes).is_some_and(|(now, most)| now < most);
    let lanes = now.lanes.map(|lanes| match most.lanes {
        Some(most) if is_narrow => format!("x{lanes} of {most}"),
        _ => format!("x{lanes}"),
    });
    let speed = now.gt_s.map(|now| match most.gt_s {
        Some(most) if now < most => format!("{now} of {most} GT/s"),
        _ => format!("{now} GT/s"),
    });
    (
        lanes.into_iter().chain(speed).collect::<Vec<_>>().join(if is_narrow { ", " } else { " " }),
        is_narrow,
    )
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
    if names.len() <= MOST_NAMES {
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
