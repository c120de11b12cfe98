//! A program against nearfar-place: a table on each node, and the proof that it is there.

use nearfar_model::Bytes;
use nearfar_place::{Memory, PlaceCall, PlaceError, Residence, allowed_nodes};

fn main() -> Result<(), PlaceError> {
    for call in PlaceCall::ALL {
        if let Err(error) = call.attempt() {
            println!("{}: {error}", call.name());
        }
    }
    for node in allowed_nodes()?.iter() {
        let mut table = Memory::on_node(Bytes::mib(4), node)?;
        table.fill(1);
        let pages = table.residences()?;
        let near = pages.iter().filter(|page| **page == Residence::Node(node)).count();
        println!("node {node}: {near} of {} pages", pages.len());
    }
    Ok(())
}
