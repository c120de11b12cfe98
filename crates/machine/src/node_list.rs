//! Which nodes, or which CPUs, a text of the user names: the list language of numactl, right also
//! where node ids have gaps.
//!
//! A list is `[!][+]item,item,...`. An item is a number (decimal, `0x` for hexadecimal, a leading
//! `0` for octal, as `strtoul` has them), a range `2-5`, `all`, `same` (the last node list), or the
//! node of a device: `netdev:eth0`, `ip:HOST`, `file:PATH`, `block:sda`, `pci:0000:3b:00.0`. `!`
//! takes everything that `all` means except the items; with `+` numbers count through what `all`
//! means, from 0.
//!
//! What `all` means depends on what the list is for, and the three are three functions:
//!
//! - [`node_list`]: memory. Nodes that have memory, within the cpuset.
//! - [`cpu_node_list`]: the CPUs of nodes. Nodes that have CPUs, within the cpuset; their memory
//!   does not matter.
//! - [`cpu_list`]: CPUs that are online and that this process may run on.
//!
//! A number names something that exists, or the list is refused; a range may run over gaps. Nothing
//! is ever taken silently for something else: the error names the item and what there is.

mod context;
mod grammar;
mod resolve;

use nearfar_model::{CpuSet, IdSet, NodeSet};

use crate::error::MachineError;
pub use context::ListContext;
use grammar::NodeOrCpuList;
use resolve::{ListedCpus, ListedIds, ListedNodes};

/// The nodes of a list that asks for memory (`-m`, `-i`, `-p`, ...).
///
/// Fails on text that is no list, on nodes that do not exist, have no memory or are outside the
/// cpuset, on devices whose node nobody knows, and on a list that leaves nothing.
///
/// ```
/// use nearfar_machine::{ListContext, Source, node_list};
///
/// let nodes = [("online", "0,2,5"), ("has_memory", "0,2,5")];
/// let source = Source::from_files(nodes.map(|(name, text)| (format!("/sys/devices/system/node/{name}"), text)));
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

/// The nodes of a list that asks for their CPUs (`-N`). Nodes without memory are welcome here;
/// nodes without CPUs add none, and a list of nothing else is refused.
pub fn cpu_node_list(text: &str, context: &ListContext<'_>) -> Result<NodeSet, MachineError> {
    named("node", text, context, &ListedNodes { context, for_cpus: true })
}

/// The CPUs of a list of CPUs (`-C`). A device stands for the CPUs of its node.
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
    items.resolve(subject).map_err(|why| {
        // A list of one device is not named twice.
        let why = why.strip_prefix(&format!("{list}: ")).map(str::to_owned).unwrap_or(why);
        MachineError::List { noun, list: list.clone(), why }
    })
}

#[cfg(test)]
mod tests;
