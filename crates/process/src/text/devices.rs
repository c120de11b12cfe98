//! The devices that a process has open, as a table.

use nearfar_view::terminal::table::{Align, headed};
use nearfar_view::text::count;
use nearfar_view::text::or_dash;
use nearfar_view::text::paragraph;

use super::cut::cut_front;
use crate::{DeviceNearness, DevicesState, Nearness, ProcessDevices};

/// Devices at most, unless all are requested.
const MAX_DEVICES: usize = 12;
/// Characters of a path at most.
const MAX_OF_A_PATH: usize = 40;

/// The table and the advice; a line if the devices are unknown; nothing without devices.
pub(super) fn text(devices: &ProcessDevices, all: bool) -> String {
    let reason = match devices.state {
        DevicesState::Known => return known(devices, all),
        DevicesState::NotReadable => "not readable as this user",
        DevicesState::NotCaptured => "not captured",
        DevicesState::Ended => "unknown: the process ended",
    };
    paragraph::of(reason, "devices: ", "  ")
}

fn known(devices: &ProcessDevices, all: bool) -> String {
    let most = if all { usize::MAX } else { MAX_DEVICES };
    let mut text = String::new();
    if !devices.open.is_empty() {
        let lines = devices.open.iter().take(most).map(line);
        let head = ["device", "address", "node", "threads", "files", "open"];
        let aligns =
            [Align::Left, Align::Left, Align::Right, Align::Left, Align::Right, Align::Left];
        text += &headed(head, lines, &aligns);
    }
    if devices.open.len() > most {
        let more = count(devices.open.len() - most, "more device");
        text += &paragraph::of(&format!("and {more}: --mappings shows all"), "", "  ");
    }
    if devices.skipped_files > 0 {
        let files = count(devices.skipped_files, "open file");
        text += &paragraph::of(&files, "not looked at: ", "  ");
    }
    if let Some(advice) = &devices.advice {
        text += &paragraph::of(advice, "", "");
    }
    text
}

fn line(device: &DeviceNearness) -> [String; 6] {
    [
        device.names.join(", "),
        or_dash(device.address.map(|address| address.to_string())),
        device.node.map_or_else(|| "?".to_owned(), |node| node.to_string()),
        nearness(device),
        device.files.to_string(),
        cut_front(&device.example, MAX_OF_A_PATH),
    ]
}

fn nearness(device: &DeviceNearness) -> String {
    let share = device.near_share.unwrap_or_default() * 100.0;
    match (device.verdict, device.bound) {
        (Nearness::Near, Some(false)) => "near, not bound".to_owned(),
        (Nearness::Near, _) => "near".to_owned(),
        (Nearness::Far, _) => "far".to_owned(),
        (Nearness::Partly, _) => format!("partly ({share:.0} %)"),
        (Nearness::Unknown, _) => "unknown".to_owned(),
    }
}
