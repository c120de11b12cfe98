//! Devices of a plan: at their nodes, or told beneath where that cannot be.

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
    at_strange_nodes: Vec<String>,
    /// Of which the kernel tells no node.
    untold: Vec<&'s str>,
}

impl<'s> Devices<'s> {
    /// Of a machine with one node all of them are there, of one without nodes at its only memory.
    pub(super) fn of(survey: &'s Survey) -> Self {
        let mut devices =
            Self { at: BTreeMap::new(), at_strange_nodes: Vec::new(), untold: Vec::new() };
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
                (_, Some(strange)) => {
                    devices.at_strange_nodes.push(format!("{name} (node {})", strange.0));
                }
                (_, None) => devices.untold.push(name),
            }
        }
        devices.at = at;
        devices
    }

    /// The names of those at a node.
    pub(super) fn at(&self, node: NodeId) -> Vec<String> {
        self.at.get(&node).map(|names| shortened(names)).unwrap_or_default()
    }

    /// The names of all whose node is not told.
    pub(super) fn untold(&self) -> Vec<String> {
        shortened(&self.untold)
    }

    /// What is to be said of those that stand at no node of the plan.
    pub(super) fn elsewhere(&self) -> Vec<String> {
        let strange: Vec<&str> = self.at_strange_nodes.iter().map(String::as_str).collect();
        let untold = if self.at.is_empty() { &[][..] } else { &self.untold };
        let said = [
            ("The kernel does not tell at which node these devices are", untold),
            ("These devices are at nodes that this survey does not have", &strange),
        ];
        said.into_iter()
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
