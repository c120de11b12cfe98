//! Parses lists of nodes and CPUs in numactl's syntax, also with sparse node IDs.
//!
//! A list is `[!][+]item,item,...`. An item is a number (decimal, `0x` for hexadecimal, a leading
//! `0` for octal, as in `strtoul`), a range `2-5`, `all`, `same` (the last node list), or the node
//! of a device: `netdev:eth0`, `ip:HOST`, `file:PATH`, `block:sda`, `pci:0000:3b:00.0`. `!` inverts
//! the list within `all`; with `+` numbers are indexes into `all`, from 0.
//!
//! `all` depends on the purpose of the list, which has three functions:
//!
//! - [`node_list`]: memory. Nodes with memory, within the cpuset.
//! - [`cpu_node_list`]: the CPUs of nodes. Nodes with CPUs, within the cpuset; with or without
//!   memory.
//! - [`cpu_list`]: online CPUs that this process may use.
//!
//! A number must be usable. A range may have gaps, and what it names and cannot have is left out
//! with a note ([`ListContext::take_left_out`]); [`RangeRule`] decides about its ends, and an end
//! that does not exist is an error. Nothing is silently replaced: errors name the item and the
//! valid ones.

mod context;
mod grammar;
mod resolve;

use nearfar_model::{CpuSet, IdSet, NodeSet};

use crate::error::MachineError;
pub use context::{LeftOut, ListContext, RangeRule};
use grammar::NodeOrCpuList;
use resolve::{ListedCpus, ListedIds, ListedNodes};

/// Parses a list of nodes for memory (`-m`, `-i`, `-p`, ...).
///
/// # Errors
///
/// [`MachineError::MalformedList`] for text that is no list. [`MachineError::List`] for nodes that
/// do not exist, have no memory or are outside the cpuset, devices without a known node, and empty
/// lists.
///
/// # References
///
/// numactl(8)
///
/// ```
/// use nearfar_machine::{ListContext, Source, node_list};
///
/// let nodes = [("online", "0,2,5"), ("has_memory", "0,2,5")];
/// let folder = "/sys/devices/system/node";
/// let source =
///     Source::from_files(nodes.map(|(name, text)| (format!("{folder}/{name}"), text)));
/// let context = ListContext::new(&source);
/// assert_eq!(node_list("!0", &context)?.to_string(), "2,5");
/// assert_eq!(node_list("+1-2", &context)?.to_string(), "2,5");
/// assert_eq!(
///     node_list("3", &context).unwrap_err().to_string(),
///     "node list '3': node 3 does not exist: this machine has nodes 0,2,5"
/// );
/// # Ok::<(), nearfar_machine::MachineError>(())
/// ```
pub fn node_list(text: &str, context: &ListContext<'_>) -> Result<NodeSet, MachineError> {
    named("node", text, context, &ListedNodes { context, for_cpus: false })
}

/// Parses a list of nodes for their CPUs (`-N`). Nodes without memory are allowed; nodes without
/// CPUs add none, and a list of only those is an error.
///
/// # Errors
///
/// As [`node_list`].
///
/// # References
///
/// numactl(8)
pub fn cpu_node_list(text: &str, context: &ListContext<'_>) -> Result<NodeSet, MachineError> {
    named("node", text, context, &ListedNodes { context, for_cpus: true })
}

/// Parses a list of CPUs (`-C`). A device means the CPUs of its node.
///
/// # Errors
///
/// As [`node_list`].
///
/// # References
///
/// numactl(8)
pub fn cpu_list(text: &str, context: &ListContext<'_>) -> Result<CpuSet, MachineError> {
    named("CPU", text, context, &ListedCpus(context))
}

fn named<S: ListedIds>(
    noun: &'static str,
    text: &str,
    context: &ListContext<'_>,
    subject: &S,
) -> Result<IdSet<S::Id>, MachineError> {
    let list = crate::attribute::shorten(text);
    let malformed = |why| MachineError::MalformedList { noun, list: list.clone(), why };
    let items = NodeOrCpuList::parse(text, |path| context.file_exists(path)).map_err(malformed)?;
    if items.repeats() {
        subject.last().map_err(malformed)?;
    }
    items.resolve(subject).map_err(|fault| {
        let why = fault.text_in(&list);
        MachineError::List { noun, list: list.clone(), why }
    })
}

#[cfg(test)]
mod tests;
