//! Network interfaces, down to hardware: a VLAN, bond or bridge stands on others (`lower_*` links).

use super::parents::{DeviceNodes, merge, no_such, node_of_parents, too_deep};
use crate::source::Source;

const FOLDER: &str = "/sys/class/net";

/// What an interface sits at.
pub(super) fn locate(source: &Source, name: &str, layers: u32) -> Result<DeviceNodes, String> {
    if layers == 0 {
        return Err(too_deep(name));
    }
    let folder = format!("{FOLDER}/{name}");
    let entries = source.list(&folder);
    if entries.is_empty() {
        let known: Vec<String> =
            source.list(FOLDER).into_iter().filter(|name| name != "bonding_masters").collect();
        return Err(no_such("network", name, FOLDER, &known));
    }
    // What stands on others has no hardware of its own, and asking it would find the wrong one: a
    // VF's VLAN, a bond of two cards.
    let lower = entries.iter().filter_map(|entry| entry.strip_prefix("lower_"));
    if let Some(found) = merge(lower.map(|lower| locate(source, lower, layers - 1))) {
        return found;
    }
    node_of_parents(source, &format!("{folder}/device")).or_else(|| node_of_parents(source, &folder)).ok_or_else(|| {
        "it is made of software and stands on no hardware, so no node is nearer to it: give the \
         node by its number"
            .to_owned()
    })
}
