//! Places memory by each policy and counts on which node its pages are.
//!
//!     cargo run -p nearfar-place --example interleaved

use nearfar_model::{Bytes, NodeSet};
use nearfar_place::{Memory, PlaceError, Policy, Residence, allowed_nodes};

fn main() -> Result<(), PlaceError> {
    let nodes = allowed_nodes()?;
    let mut policies = vec![Policy::Local, Policy::Interleave(nodes.clone())];
    policies.extend(
        nodes
            .iter()
            .flat_map(|node| [Policy::Bind(NodeSet::from_id(node)), Policy::Preferred(node)]),
    );
    for policy in &policies {
        let mut memory = Memory::with_policy(Bytes::mib(8), policy)?;
        memory.fill(1);
        let pages = memory.residences()?;
        println!("{} {}", policy.name(), policy.nodes());
        for node in nodes.iter() {
            let here = pages.iter().filter(|page| **page == Residence::Node(node)).count();
            println!("    node {node}: {here} of {} pages", pages.len());
        }
    }
    Ok(())
}
