//! The links between bridges on the path from a root bus to a device.

use std::collections::BTreeMap;

use nearfar_machine::PciAddress;
use nearfar_machine::pci::{LinkState, PciHop, PciLink, PciPath};

use crate::document::Lanes;

/// A link between two bridges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LinkBetweenBridges {
    /// The bridge at its upper end: a root port, or a lower port of a switch.
    pub(crate) port: PciAddress,
    /// The bridge at its lower end: the upper port of a switch.
    pub(crate) bridge: PciAddress,
    /// What it runs at.
    pub(crate) now: Lanes,
    /// What the upper end supports.
    pub(crate) port_max: Lanes,
    /// What the lower end supports.
    pub(crate) bridge_max: Lanes,
}

/// The links between bridges above a device that has a link, nearest first.
///
/// Each port is at one end of one link: the device's own link ends at the last bridge, the next
/// two bridges are the ports of one link, and so on. The two ports between links are of one switch.
/// Both ends report the same width, else the tree is another one and nothing is known.
pub(crate) fn links_above(
    links: &BTreeMap<PciAddress, PciLink>,
    path: &PciPath,
) -> Vec<LinkBetweenBridges> {
    let mut bridges: Vec<PciAddress> = path
        .hops()
        .iter()
        .rev()
        .map_while(|hop| match hop {
            PciHop::Bridge(address) => Some(*address),
            PciHop::RootBus { .. } => None,
        })
        .skip(1)
        .collect();
    bridges.truncate(bridges.len() / 2 * 2);
    let link = |pair: &[PciAddress]| {
        let (bridge, port) = (*pair.first()?, *pair.last()?);
        let (lower, upper) = (links.get(&bridge)?, links.get(&port)?);
        (lower.now.lanes.is_some() && lower.now.lanes == upper.now.lanes).then(|| {
            LinkBetweenBridges {
                port,
                bridge,
                now: lanes(lower.now),
                port_max: lanes(upper.max),
                bridge_max: lanes(lower.max),
            }
        })
    };
    bridges.chunks(2).map_while(link).collect()
}

/// A link's state as the document has it.
pub(crate) fn lanes(state: LinkState) -> Lanes {
    Lanes { gt_s: state.gt_s, lanes: state.lanes }
}
