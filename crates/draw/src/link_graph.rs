//! Nodes on a circle and the links between them.

mod circle;
mod drawing;

use std::collections::BTreeSet;

use crate::machine_plan::written;
use crate::{Drawing, Heading, Picture, PlanLink, Screen, Source, Table};

/// Which nodes are connected directly.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkGraph {
    /// Title and description.
    pub heading: Heading,
    /// The nodes: number and name; neighbours of one package stand beside each other in this order.
    pub nodes: Vec<GraphNode>,
    /// The links.
    pub links: Vec<PlanLink>,
}

/// A node of the graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphNode {
    /// Its number.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// What it belongs to (nodes of one package are drawn as one arc), or nothing.
    pub group: String,
}

impl Picture for LinkGraph {
    fn heading(&self) -> &Heading {
        &self.heading
    }

    fn drawing(&self) -> Drawing {
        drawing::drawn(self)
    }

    /// A row a link; then a row a node that has none.
    fn table(&self) -> Table {
        let columns = ["link", "from", "to", "label", "source"].map(str::to_owned).to_vec();
        let mut rows: Vec<Vec<String>> = self.links.iter().map(|link| self.link_row(link)).collect();
        let linked: BTreeSet<u32> = self.links.iter().flat_map(|link| link.ends).collect();
        let lone = self.nodes.iter().filter(|node| !linked.contains(&node.id));
        rows.extend(
            lone.map(|node| vec!["none".to_owned(), node.named(), String::new(), String::new(), String::new()]),
        );
        Table { columns, rows }
    }

    fn in_terminal(&self, screen: &Screen) -> Option<String> {
        let lines = self.links.iter().map(|link| {
            let claimed = if link.source == Source::Claimed { "  claimed" } else { "" };
            written(&format!("{} – {}  {}{claimed}", link.ends[0], link.ends[1], link.label), screen)
        });
        Some(lines.collect())
    }
}

impl LinkGraph {
    fn link_row(&self, link: &PlanLink) -> Vec<String> {
        let named =
            |id: u32| self.nodes.iter().find(|node| node.id == id).map_or_else(|| id.to_string(), GraphNode::named);
        let source = link.source.name();
        let [a, b] = link.ends;
        vec![format!("{a} – {b}"), named(a), named(b), link.label.clone(), source.to_owned()]
    }
}

impl GraphNode {
    /// "node 4, package 1".
    fn named(&self) -> String {
        if self.group.is_empty() { self.name.clone() } else { format!("{}, {}", self.name, self.group) }
    }

    /// Whether its name says more than its number.
    fn says_more(&self) -> bool {
        !self.name.is_empty() && self.name != self.id.to_string() && self.name != format!("node {}", self.id)
    }
}
