//! What keeps pages from moving, in sentences.

use nearfar_explain::{ExplainedProcess, Obstacle};

use crate::paragraph;

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
            "the cpuset of process {pid} allows memory on nodes {allowed} only: change that of its \
             control group first"
        ),
        Obstacle::NoRoom { node, free, needed } => {
            format!("node {node} has {free} of free memory, and {needed} would move there")
        }
        Obstacle::Balancing => {
            "the kernel moves pages by itself (kernel.numa_balancing), and may move these back"
                .to_owned()
        }
    }
}
