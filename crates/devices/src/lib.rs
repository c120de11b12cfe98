//! Where a machine's devices are.
//!
//! [`assess`] joins the [`Inventory`](nearfar_machine::Inventory) with what firmware and the
//! kernel's log claim, in a [`DevicesDocument`]:
//!
//! - each device with its label (`GPU0`), path, link, interrupts and node;
//! - the node by the witnesses (sysfs, `_PXM`, the kernel's log, the SRAT, amdkfd, measured
//!   copies), with "unknown" as an answer ([`DeviceNode`]);
//! - the [`Level`] of each pair: the words of `nvidia-smi topo -m`;
//! - findings: devices without a node, narrow links, witnesses that disagree.
//!
//! [`irq`] has who serves the devices' interrupts, [`irq_set`] plans and sets who shall.
//!
//! A second witness of pairs is [`SmiMatrix`], the output of `nvidia-smi topo -m`.
//!
//! Pure, but for [`irq_set`]: the inventory, tables and log are arguments. Sentences stand in
//! [`text`].

mod assess;
mod context;
mod document;
mod findings;
pub mod irq;
pub mod irq_set;
mod level;
mod links_above;
mod node_claims;
mod pairs;
mod smi_matrix;
#[cfg(test)]
mod testing;
pub mod text;

pub use assess::{MAX_IN_A_MATRIX, assess, wanted_names};
pub use context::{DeviceContext, MeasuredNode};
pub use document::{
    ClaimedNode, Device, DeviceFinding, DeviceNode, DevicesDocument, InterruptKind, Interrupts,
    Lanes, LevelMatrix, Link, LinkAbove, NarrowLink, NodeClaim, NodeVerdict, NodeWitness, SCHEMA,
    SmiColumn,
};
pub use level::{Level, path_level};
pub use smi_matrix::{NotAMatrix, SmiMatrix, SmiPlace};
