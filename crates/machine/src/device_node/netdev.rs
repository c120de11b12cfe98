//! Network interfaces, down to hardware: a VLAN, bond or bridge is on others (`lower_*` links).

use super::parents::{HardwareNode, merge, node_of_parents};
use crate::attribute::shorten;
use crate::hardware_error::HardwareError;
use crate::source::Source;

const FOLDER: &str = "/sys/class/net";

/// The hardware of an interface.
pub(super) fn locate(
    source: &Source,
    name: &str,
    layers: u32,
) -> Result<Vec<HardwareNode>, HardwareError> {
    if layers == 0 {
        return Err(HardwareError::TooDeep { name: name.to_owned() });
    }
    let folder = format!("{FOLDER}/{name}");
    let entries = source.list(&folder);
    if entries.is_empty() {
        let known =
            source.list(FOLDER).into_iter().filter(|name| name != "bonding_masters").collect();
        let (kind, name) = ("network", shorten(name));
        return Err(HardwareError::NoSuchDevice { kind, name, folder: FOLDER, known });
    }
    // Stacked interfaces first: their own parents may be another device, as with a VF's VLAN or a
    // bond of two cards.
    let lower = entries.iter().filter_map(|entry| entry.strip_prefix("lower_"));
    if let Some(found) = merge(lower.map(|lower| locate(source, lower, layers - 1))) {
        return found;
    }
    node_of_parents(source, name, &format!("{folder}/device"))
        .or_else(|| node_of_parents(source, name, &folder))
        .map(|one| vec![one])
        .ok_or(HardwareError::SoftwareInterface)
}
