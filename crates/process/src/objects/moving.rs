//! Moves one object of processes to nodes.

use std::collections::BTreeMap;

use nearfar_machine::{PageSizes, Source};
use nearfar_model::{Bytes, NodeSet};
use serde::Serialize;

use crate::by_node::BytesByNode;
use crate::error::ProcessError;
use crate::objects::{MemoryObject, ObjectKind, ProcessObjects};
use crate::page_layout::{PageLayout, SharedPages};

/// The document's name. Parts may be added, never changed, within a number.
pub const OBJECT_MOVE_SCHEMA: &str = "nearfar.object-move/1";

/// One object that was moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct ObjectMoveDocument {
    schema: &'static str,
    /// The requested nodes.
    pub nodes: NodeSet,
    /// The object.
    #[serde(flatten)]
    pub object: MovedObject,
}

/// What moving it did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct MovedObject {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: ObjectKind,
    /// Its memory before.
    pub before: BytesByNode,
    /// Its memory now.
    pub after: BytesByNode,
    /// Memory that is on other nodes than the requested ones now.
    #[serde(rename = "elsewhere_bytes")]
    pub elsewhere: Bytes,
}

impl ObjectMoveDocument {
    /// Whether all of it is on the requested nodes.
    pub fn is_complete(&self) -> bool {
        self.object.elsewhere.0 == 0
    }
}

/// Moves the object that a word names.
///
/// # Errors
///
/// No such object, one that does not move, or addresses without memory; a process has ended or
/// belongs to another user, or its cpuset excludes a node.
pub fn move_object(
    source: &Source,
    pids: &[u32],
    word: &str,
    nodes: &NodeSet,
) -> Result<ObjectMoveDocument, ProcessError> {
    let first = (pids.first(), nodes.iter().next());
    let shared = match first {
        (Some(pid), Some(node)) => SharedPages::allowed(*pid, node),
        _ => SharedPages::Stay,
    };
    let object = ProcessObjects::named(source, pids, word, shared)?;
    let page = PageSizes::read(source).base.unwrap_or(Bytes::kib(4));
    let layouts = layouts(&object, page)?;
    let total = |layouts: &[(u32, PageLayout)]| -> BytesByNode {
        let sizes = layouts.iter().map(|(_, layout)| layout.by_node());
        sizes.flat_map(|by_node| by_node.iter().collect::<Vec<_>>()).collect()
    };
    let before = total(&layouts);
    if before.total().0 == 0 {
        return Err(ProcessError::EmptyObject { word: word.to_owned() });
    }
    for (pid, layout) in &layouts {
        layout.on_nodes(nodes).carry_out_with(*pid, shared)?;
    }
    let after = total(&self::layouts(&object, page)?);
    let elsewhere = Bytes(after.total().0.saturating_sub(after.on_any(nodes).0));
    let (name, kind) = (object.name, object.kind);
    let object = MovedObject { name, kind, before, after, elsewhere };
    Ok(ObjectMoveDocument { schema: OBJECT_MOVE_SCHEMA, nodes: nodes.clone(), object })
}

/// Its pages in each process.
fn layouts(object: &MemoryObject, page: Bytes) -> Result<Vec<(u32, PageLayout)>, ProcessError> {
    let mut by_process: BTreeMap<u32, Vec<[u64; 2]>> = BTreeMap::new();
    for part in &object.parts {
        by_process.entry(part.pid).or_default().push([part.start, part.end]);
    }
    let read = |(pid, ranges)| Ok((pid, PageLayout::read_within(pid, page, ranges)?));
    by_process.into_iter().map(read).collect()
}
