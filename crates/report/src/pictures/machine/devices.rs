//! Devices of a plan: at their nodes, or in a note beneath it.

use std::collections::BTreeMap;

use nearfar_model::NodeId;
use nearfar_survey::{ClaimedDevice, Survey};

/// Names at a node, and in a sentence.
const MOST_AT_A_NODE: usize = 64;
const MOST_NAMED: usize = 8;

/// The devices of a survey by where they are.
pub(super) struct Devices<'s> {
    at: BTreeMap<NodeId, Vec<&'s str>>,
    /// At nodes that the survey does not have.
    at_unknown_nodes: Vec<String>,
    /// The kernel names no node of these.
    without_node: Vec<&'s str>,
}

impl<'s> Devices<'s> {
    /// Of a machine with one node all of them are there, of one without nodes at its only memory.
    pub(super) fn from_survey(survey: &'s Survey) -> Self {
        let mut devices =
            Self { at: BTreeMap::new(), at_unknown_nodes: Vec::new(), without_node: Vec::new() };
        let mut at: BTreeMap<NodeId, Vec<&str>> =
            survey.claims.nodes.iter().map(|node| (node.id, Vec::new())).collect();
        let only = match &survey.claims.nodes[..] {
            [only] => Some(only.id),
            _ => None,
        };
        for ClaimedDevice { name, node, .. } in &survey.claims.devices {
            match (node.or(only), node) {
                (Some(known), _) if at.contains_key(&known) => {
                    at.entry(known).or_default().push(name);
                }
                (_, Some(unknown)) => {
                    devices.at_unknown_nodes.push(format!("{name} (node {})", unknown.0));
                }
                (_, None) => devices.without_node.push(name),
            }
        }
        devices.at = at;
        devices
    }

    /// The names of those at a node.
    pub(super) fn at(&self, node: NodeId) -> Vec<String> {
        self.at.get(&node).map(|names| shortened(names)).unwrap_or_default()
    }

    /// The names of all without a node.
    pub(super) fn without_node(&self) -> Vec<String> {
        shortened(&self.without_node)
    }

    /// Notes on those that stand at no node of the plan.
    pub(super) fn elsewhere(&self) -> Vec<String> {
        let unknown: Vec<&str> = self.at_unknown_nodes.iter().map(String::as_str).collect();
        let without_node = if self.at.is_empty() { &[][..] } else { &self.without_node };
        let notes = [
            ("The kernel names no node for these devices", without_node),
            ("These devices are at nodes that this survey does not have", &unknown),
        ];
        notes
            .into_iter()
            .filter(|(_, names)| !names.is_empty())
            .map(|(what, names)| sentence(what, names))
            .collect()
    }
}

fn shortened(names: &[&str]) -> Vec<String> {
    let more = names.len().saturating_sub(MOST_AT_A_NODE);
    let named = names.iter().take(MOST_AT_A_NODE).map(|name| (*name).to_owned());
    named.chain((more > 0).then(|| format!("and {more} more"))).collect()
}

fn sentence(what: &str, names: &[&str]) -> String {
    let more = names.len().saturating_sub(MOST_NAMED);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{what}: {}{more}.", names[..names.len().min(MOST_NAMED)].join(", "))
}
