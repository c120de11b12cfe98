//! A PCIe link in few columns.

use crate::{Device, Lanes, Link};

/// The device's link, and a narrower one above it: "x16, 16 GT/s (x8 above)".
pub(super) fn cell(device: &Device) -> String {
    let own = device.link.map(for_link);
    own.into_iter().chain(narrower_above(device)).collect::<Vec<_>>().join(" ")
}

/// A link above that has less than the device's own: "(x8 above)".
pub fn narrower_above(device: &Device) -> Option<String> {
    let above = device.narrow_link.as_ref()?.now;
    let has_fewer_lanes = device.link.is_some_and(|link| above.lanes < link.now.lanes);
    match (above.lanes, above.gt_s) {
        (Some(lanes), _) if has_fewer_lanes => Some(format!("(x{lanes} above)")),
        (_, Some(gt_s)) => Some(format!("({gt_s} GT/s above)")),
        _ => None,
    }
}

/// "x16, 16 GT/s"; what it runs at and what the device supports: "x8/16, 8/16 GT/s".
fn for_link(link: Link) -> String {
    let number = |lanes: Lanes| lanes.lanes.map(|lanes| lanes.to_string());
    let speed = |lanes: Lanes| lanes.gt_s.map(|gt_s| gt_s.to_string());
    let width = part(number(link.now), number(link.device_max)).map(|width| format!("x{width}"));
    let speed = part(speed(link.now), speed(link.device_max)).map(|speed| format!("{speed} GT/s"));
    width.into_iter().chain(speed).collect::<Vec<_>>().join(", ")
}

/// Whether a part of it is below what the device supports, or unknown.
pub(super) fn has_two_values(link: Link) -> bool {
    let (now, most) = (link.now, link.device_max);
    (most.lanes.is_some() && now.lanes != most.lanes)
        || (most.gt_s.is_some() && now.gt_s != most.gt_s)
}

fn part(now: Option<String>, most: Option<String>) -> Option<String> {
    match (now, most) {
        (Some(now), Some(most)) if now != most => Some(format!("{now}/{most}")),
        (Some(now), _) => Some(now),
        (None, Some(most)) => Some(format!("?/{most}")),
        (None, None) => None,
    }
}
