//! Links below what their ends support.

use std::collections::BTreeMap;

use nearfar_machine::pci::{PciHop, PciPath};
use nearfar_machine::{Inventory, PciAddress};

use crate::document::{Device, DeviceFinding, Lanes, LinkAbove};
use crate::links_above::{LinkBetweenBridges, links_above};

/// A link, and the card whose path it is on.
struct JudgedLink<'d> {
    device: &'d Device,
    now: Lanes,
    /// What the lower end supports: the device, or a bridge.
    device_max: Lanes,
    port_max: Option<Lanes>,
    port: Option<String>,
    above: Option<LinkAbove>,
}

/// Narrow and slow links, from the devices up to their root ports. Without a port above (a root
/// complex's own device) nothing is known about the other end.
pub(super) fn all(inventory: &Inventory, devices: &[&Device]) -> Vec<DeviceFinding> {
    let own = devices.iter().filter_map(|device| JudgedLink::for_device(device));
    own.chain(between_bridges(inventory, devices)).flat_map(|link| link.findings()).collect()
}

/// The links between bridges, once each, with all cards below.
fn between_bridges<'d>(inventory: &Inventory, devices: &[&'d Device]) -> Vec<JudgedLink<'d>> {
    let mut links: BTreeMap<PciAddress, (LinkBetweenBridges, Vec<&Device>)> = BTreeMap::new();
    for device in devices.iter().filter(|device| device.link.is_some()) {
        for link in links_above(&inventory.bridges, &path(inventory, device)) {
            links.entry(link.bridge).or_insert((link, Vec::new())).1.push(device);
        }
    }
    let judged = |(link, below): (LinkBetweenBridges, Vec<&'d Device>)| {
        let devices = below.iter().map(|device| device.label.clone()).collect();
        Some(JudgedLink {
            device: below.first()?,
            now: link.now,
            device_max: link.bridge_max,
            port_max: Some(link.port_max),
            port: Some(link.port.to_string()),
            above: Some(LinkAbove { bridge: link.bridge.to_string(), devices }),
        })
    };
    links.into_values().filter_map(judged).collect()
}

fn path(inventory: &Inventory, device: &Device) -> PciPath {
    let address = device.address.as_deref().and_then(|address| PciAddress::parse(address).ok());
    let function = address.and_then(|address| inventory.function(address));
    function.map_or_else(|| PciPath::new(Vec::<PciHop>::new()), |function| function.path.clone())
}

impl<'d> JudgedLink<'d> {
    fn for_device(device: &'d Device) -> Option<Self> {
        let link = device.link?;
        Some(Self {
            device,
            now: link.now,
            device_max: link.device_max,
            port_max: link.port_max,
            port: device.path.last().cloned(),
            above: None,
        })
    }

    fn findings(&self) -> impl Iterator<Item = DeviceFinding> + use<> {
        self.narrow().into_iter().chain(self.slow())
    }

    fn narrow(&self) -> Option<DeviceFinding> {
        let (now, device_lanes) = (self.now.lanes?, self.device_max.lanes?);
        let port_lanes = self.port_max.and_then(|port| port.lanes);
        if now >= device_lanes {
            return None;
        }
        let (device, above) = (self.device.label.clone(), self.above.clone());
        match (port_lanes, &self.port) {
            (Some(port_lanes), Some(port)) if port_lanes < device_lanes && now == port_lanes => {
                let port = port.clone();
                Some(DeviceFinding::PortNarrow { device, device_lanes, port_lanes, port, above })
            }
            // How many lanes the other end has is unknown: so is the reason.
            (None, _) => None,
            _ => Some(DeviceFinding::LinkNarrow {
                device,
                now: self.now,
                device_max: self.device_max,
                port_max: self.port_max,
                above,
            }),
        }
    }

    fn slow(&self) -> Option<DeviceFinding> {
        let (now, most) = (self.now.gt_s?, self.device_max.gt_s?);
        let port = self.port_max?.gt_s?;
        (now < most.min(port)).then(|| DeviceFinding::LinkSlow {
            device: self.device.label.clone(),
            now: self.now,
            device_max: self.device_max,
            port_max: self.port_max,
            above: self.above.clone(),
        })
    }
}
