//! Nodes on a circle and the links between them.

mod circle;
mod drawing;

use std::collections::BTreeSet;

use crate::draw::machine_plan::written;
use crate::draw::{Drawing, FigureTable, Heading, LinkSource, Picture, PlanLink, Screen};

/// Which nodes are connected directly.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkGraph {
    /// Title and description.
    pub heading: Heading,
    /// The nodes: number and name; neighbours of one package stand beside each other in this
    /// order.
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

    fn heading_mut(&mut self) -> &mut Heading {
        &mut self.heading
    }

    fn drawing(&self) -> Drawing {
        drawing::drawn(self)
    }

    /// A row a link; then a row a node that has none.
    fn table(&self) -> FigureTable {
        let named = |id: u32| {
            let node = self.nodes.iter().find(|node| node.id == id);
            node.map_or_else(|| id.to_string(), GraphNode::named)
        };
        let links = self.links.iter().map(|link| {
            let [a, b] = link.ends;
            vec![
                format!("{a} – {b}"),
                named(a),
                named(b),
                link.label.clone(),
                link.source.name().to_owned(),
            ]
        });
        let linked: BTreeSet<u32> = self.links.iter().flat_map(|link| link.ends).collect();
        let lone = self.nodes.iter().filter(|node| !linked.contains(&node.id));
        let lone = lone.map(|node| ["none", &node.named(), "", "", ""].map(str::to_owned).to_vec());
        FigureTable::new(&["link", "from", "to", "label", "source"], links.chain(lone).collect())
    }

    fn in_terminal(&self, screen: &Screen) -> Option<String> {
        let lines = self.links.iter().map(|link| {
            let claimed = if link.source == LinkSource::Claimed { "  claimed" } else { "" };
            written(
                &format!("{} – {}  {}{claimed}", link.ends[0], link.ends[1], link.label),
                screen,
            )
        });
        Some(lines.collect())
    }
}

impl GraphNode {
    /// "node 4, package 1".
    fn named(&self) -> String {
        if self.group.is_empty() {
            self.name.clone()
        } else {
            format!("{}, {}", self.name, self.group)
        }
    }

    /// Whether its name holds more than its number.
    fn has_longer_name(&self) -> bool {
        !self.name.is_empty()
            && self.name != self.id.to_string()
            && self.name != format!("node {}", self.id)
    }
}
