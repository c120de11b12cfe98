//! Links below what their ends support.

use crate::document::{Device, DeviceFinding, Link};

/// Narrow and slow links. Without a port above (a root complex's own device) nothing is known about
/// the other end.
pub(super) fn all(devices: &[&Device]) -> Vec<DeviceFinding> {
    devices.iter().flat_map(|device| of(device)).collect()
}

fn of(device: &Device) -> Vec<DeviceFinding> {
    let Some(link) = device.link else { return Vec::new() };
    let mut findings = Vec::new();
    findings.extend(narrow(device, link));
    findings.extend(slow(device, link));
    findings
}

fn narrow(device: &Device, link: Link) -> Option<DeviceFinding> {
    let (now, device_lanes) = (link.now.lanes?, link.device_max.lanes?);
    let port_lanes = link.port_max.and_then(|port| port.lanes);
    if now >= device_lanes {
        return None;
    }
    match (port_lanes, device.path.last()) {
        (Some(port_lanes), Some(port)) if port_lanes < device_lanes && now == port_lanes => {
            Some(DeviceFinding::PortNarrow {
                device: device.label.clone(),
                device_lanes,
                port_lanes,
                port: port.clone(),
            })
        }
        // How many lanes the other end has is unknown: so is the reason.
        (None, _) => None,
        _ => Some(DeviceFinding::LinkNarrow {
            device: device.label.clone(),
            now: link.now,
            device_max: link.device_max,
            port_max: link.port_max,
        }),
    }
}

fn slow(device: &Device, link: Link) -> Option<DeviceFinding> {
    let (now, most) = (link.now.gt_s?, link.device_max.gt_s?);
    let port = link.port_max?.gt_s?;
    (now < most.min(port)).then(|| DeviceFinding::LinkSlow {
        device: device.label.clone(),
        now: link.now,
        device_max: link.device_max,
        port_max: link.port_max,
    })
}
