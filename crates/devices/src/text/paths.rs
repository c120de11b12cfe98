//! Paths of devices, by root bus, and what the devices are.

use std::collections::BTreeMap;

use nearfar_view::text::count;
use nearfar_view::text::or_empty;
use nearfar_view::text::paragraph;

use super::Addresses;
use super::folding::FoldedDevices;
use crate::Device;

/// A line for each root bus, and one below it for each device: the bridges from the top down, and
/// what the device is.
pub(super) fn text(devices: &FoldedDevices<'_>, addresses: Addresses) -> String {
    let mut buses: BTreeMap<&str, Vec<&Device>> = BTreeMap::new();
    for &device in &devices.shown {
        if let Some(bus) = device.path.first() {
            buses.entry(bus).or_default().push(device);
        }
    }
    // Sorted by text: 0001:00 stands before 10000:00 and after 0000:ff.
    let mut buses: Vec<(&str, Vec<&Device>)> = buses.into_iter().collect();
    buses.sort_by_key(|(bus, _)| (bus.len(), *bus));
    let lines: String =
        buses.iter().map(|(bus, below)| for_bus(bus, below, devices, addresses)).collect();
    if lines.is_empty() { String::new() } else { format!("Paths from the root buses\n{lines}") }
}

fn for_bus(
    bus: &str,
    below: &[&Device],
    devices: &FoldedDevices<'_>,
    addresses: Addresses,
) -> String {
    let widest = below.iter().map(|device| device.label.len()).max().unwrap_or_default();
    let line = |device: &&Device| {
        let bridges = device.path.iter().skip(1).map(String::as_str);
        let path = bridges.chain(device.address.as_deref()).map(|bridge| addresses.short(bridge));
        let text = format!("{}: {}", path.collect::<Vec<_>>().join(" > "), what(device, addresses));
        let indent = " ".repeat(widest + 4);
        let more = devices.more(device).map(|more| paragraph::of(&more, &indent, &indent));
        paragraph::of(&text, &format!("  {:widest$}  ", device.label), &indent)
            + &more.unwrap_or_default()
    };
    format!("{bus}\n{}", below.iter().map(line).collect::<String>())
}

/// What it is, as well as it is known: vendor and model, else class, else numbers.
fn what(device: &Device, addresses: Addresses) -> String {
    let class = device
        .class_name
        .clone()
        .or_else(|| device.class.as_ref().map(|class| format!("class {class}")));
    let mut what = match (&device.vendor, &device.model) {
        (Some(vendor), Some(model)) => format!("{vendor} {model}"),
        (Some(vendor), None) => {
            format!("{vendor} {}", or_empty(class.or_else(|| device.id.clone())))
        }
        (None, _) => [class, device.id.clone()].into_iter().flatten().collect::<Vec<_>>().join(" "),
    };
    if what.is_empty() {
        what = "unknown".to_owned();
    }
    if device.virtual_functions > 0 {
        what += &format!(", {}", count(device.virtual_functions as usize, "virtual function"));
    }
    if let Some(physical) = &device.physical_function {
        what += &format!(", virtual function of {}", addresses.short(physical));
    }
    what
}
