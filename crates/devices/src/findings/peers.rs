//! One of several equal devices at another package.

use std::collections::BTreeMap;

use nearfar_model::NodeSet;

use crate::context::DeviceContext;
use crate::document::{Device, DeviceFinding};

/// Fewer equal devices have no majority.
const MIN_PEERS: usize = 3;

/// Devices that are alone at a package, while all equal ones are together at another. Devices that
/// are spread over packages are as their builder wanted them.
pub(super) fn apart(context: &DeviceContext<'_>, devices: &[&Device]) -> Vec<DeviceFinding> {
    let mut equal: BTreeMap<&str, Vec<&Device>> = BTreeMap::new();
    for device in devices {
        if let Some(id) = device.id.as_deref() {
            equal.entry(id).or_default().push(device);
        }
    }
    equal.values().filter_map(|peers| one_apart(context, peers)).collect()
}

fn one_apart(context: &DeviceContext<'_>, equal: &[&Device]) -> Option<DeviceFinding> {
    let mut by_package: BTreeMap<usize, Vec<&Device>> = BTreeMap::new();
    for device in equal {
        // One whose package is unknown may be anywhere.
        let package = context.package_of(device.node.node?)?;
        by_package.entry(package).or_default().push(device);
    }
    let (alone, together) = match by_package.values().collect::<Vec<_>>()[..] {
        [one, others] if one.len() == 1 && others.len() >= MIN_PEERS => (one[0], others),
        [others, one] if one.len() == 1 && others.len() >= MIN_PEERS => (one[0], others),
        _ => return None,
    };
    let peer_nodes: NodeSet = together.iter().filter_map(|peer| peer.node.node).collect();
    Some(DeviceFinding::DeviceApartFromPeers {
        device: alone.label.clone(),
        node: alone.node.node?,
        peers: together.iter().map(|peer| peer.label.clone()).collect(),
        peer_nodes,
    })
}
