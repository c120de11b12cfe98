//! Devices of a plan: at their nodes, or told beneath where the kernel does not know them.

use nearfar_model::NodeId;
use nearfar_survey::{ClaimedDevice, Survey};

/// Names in a sentence.
const MOST_NAMED: usize = 8;

/// The names of the devices at a node; of a machine with one node all of them are there.
pub(super) fn at(survey: &Survey, node: NodeId) -> Vec<String> {
    let is_here = |device: &&ClaimedDevice| node_of(survey, device) == Some(node);
    survey.claims.devices.iter().filter(is_here).map(|device| device.name.clone()).collect()
}

/// The names of all devices, of a machine whose kernel knows no nodes.
pub(super) fn all(survey: &Survey) -> Vec<String> {
    survey.claims.devices.iter().map(|device| device.name.clone()).collect()
}

/// What is to be said of devices that stand at no node of the plan.
pub(super) fn elsewhere(survey: &Survey) -> Option<String> {
    let nodes = &survey.claims.nodes;
    let is_drawn = |device: &&ClaimedDevice| {
        node_of(survey, device).is_some_and(|node| nodes.iter().any(|known| known.id == node))
    };
    let names: Vec<&str> =
        survey.claims.devices.iter().filter(|device| !is_drawn(device)).map(|device| device.name.as_str()).collect();
    if names.is_empty() || nodes.is_empty() {
        return None;
    }
    let more = names.len().saturating_sub(MOST_NAMED);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    let named = names.into_iter().take(MOST_NAMED).collect::<Vec<_>>().join(", ");
    Some(format!("The kernel does not tell at which node these devices are: {named}{more}."))
}

fn node_of(survey: &Survey, device: &ClaimedDevice) -> Option<NodeId> {
    let only = match &survey.claims.nodes[..] {
        [only] => Some(only.id),
        _ => None,
    };
    device.node.or(only)
}
