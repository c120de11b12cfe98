//! Which message is it? One file for each part of the kernel that speaks.

mod boot;
mod hmat;
mod nodes;
mod srat;
mod tree;

use super::event::EventKind;

/// What a line of the kernel's means; none for the many that are not about NUMA.
pub(super) fn event(text: &str) -> Option<EventKind> {
    boot::event(text)
        .or_else(|| srat::event(text))
        .or_else(|| nodes::event(text))
        .or_else(|| hmat::event(text))
        .or_else(|| tree::event(text))
}
