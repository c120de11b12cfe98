//! What keeps pages from moving, in sentences.

use nearfar_model::NodeSet;
use nearfar_view::terminal::printable;
use nearfar_view::text::{named_nodes, paragraph};

use crate::explain::{ExplainedProcess, Obstacle};

/// All of a process.
pub(super) fn text(process: &ExplainedProcess) -> String {
    if process.obstacles.is_empty() {
        return String::new();
    }
    let lines = process
        .obstacles
        .iter()
        .map(|one| paragraph::of(&(obstacle(process.pid, one) + "."), "  !  ", "     "));
    "Before pages move\n".to_owned() + &lines.collect::<String>()
}

/// One, with what to do.
pub fn obstacle(pid: u32, obstacle: &Obstacle) -> String {
    match obstacle {
        Obstacle::OtherUser => {
            format!("process {pid} belongs to another user: only root moves its pages")
        }
        Obstacle::LockedMemory { bytes } => format!(
            "process {pid} has locked {bytes} (mlock), and wants no page faults: --move-locked \
             moves them all the same"
        ),
        Obstacle::PinnedMemory { bytes } => {
            format!(
                "{bytes} of process {pid} are pinned for devices: the kernel does not move them"
            )
        }
        Obstacle::Cpuset { allowed } => format!(
            "the cpuset of process {pid} allows memory on {} only: change that of its control \
             group first",
            for_nodes(allowed)
        ),
        Obstacle::NoRoom { node, free, needed } => {
            format!("node {node} has {free} of free memory, and {needed} would move there")
        }
        Obstacle::Policy { policy, nodes, wanted } => format!(
            "new pages still go to {}: the policy of process {pid} is {}, and no other process can \
             change that. Start it with 'nearfar run -m {wanted}'",
            for_nodes(nodes),
            printable::line(policy)
        ),
        Obstacle::Balancing => {
            "the kernel moves pages by itself (kernel.numa_balancing), and may move these back"
                .to_owned()
        }
    }
}

/// "node 1", "nodes 0-1".
fn for_nodes(nodes: &NodeSet) -> String {
    if nodes.is_empty() { "nodes that it names".to_owned() } else { named_nodes(nodes) }
}
