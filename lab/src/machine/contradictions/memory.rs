//! How much memory there is: enough for Linux, little enough for the lab.

use nearfar_model::Bytes;

use super::super::arch::Arch;
use super::super::description::{Describes, Description};
use super::{Checked, require};

/// Linux 6.1 of Debian boots with 96 MiB on x86_64 and leaves 16 MiB of it; arm64 sets 64 MiB aside
/// besides. With 192 MiB a command has room.
const LEAST: Bytes = Bytes::mib(192);

/// In 32 MiB a first node boots and keeps 9 MiB free.
const MIN_OF_A_NODE: Bytes = Bytes::mib(32);

/// Nodes begin and end between huge pages.
const PIECE: Bytes = Bytes::mib(2);

/// On x86_64 what is above 2 GiB may be moved behind the hole for PCI devices, and addresses would
/// not be where charges are defined.
fn most(arch: Arch) -> Bytes {
    match arch {
        Arch::X86_64 => Bytes::gib(2),
        Arch::Aarch64 => Bytes::gib(8),
    }
}

pub(super) fn check(description: &Description) -> Vec<Checked> {
    let nodes = description.nodes.iter().enumerate();
    let sizes =
        nodes.filter_map(|(index, node)| Some((format!("node[{index}].memory"), node.memory?)));
    let mut checks: Vec<Checked> = sizes.map(|(key, memory)| for_a_node(&key, memory)).collect();
    if checks.iter().all(Result::is_ok) {
        checks.push(together(description));
    }
    checks.push(interleaved(description));
    checks
}

fn together(description: &Description) -> Checked {
    let total: Bytes = description.memory_nodes().filter_map(|node| node.memory).sum();
    let wrong = format!("all nodes together have {total}, and Linux needs {LEAST}");
    require(total >= LEAST, "node", wrong, "give them more memory")?;
    let (arch, most) = (description.arch, most(description.arch));
    let wrong =
        format!("all nodes together have {total}, and the lab's {arch} machines {most} at most");
    require(total <= most, "node", wrong, "give them less memory")
}

fn for_a_node(key: &str, memory: Bytes) -> Checked {
    let wrong = format!("{memory} is less than the {MIN_OF_A_NODE} that Linux needs");
    require(
        memory >= MIN_OF_A_NODE,
        key,
        wrong,
        "give it more, or leave memory out for a node without",
    )?;
    let wrong = format!("{memory} is no multiple of a huge page ({PIECE})");
    require(memory.0 % PIECE.0 == 0, key, wrong, "round it to one")
}

fn interleaved(description: &Description) -> Checked {
    if description.interleave.is_none() {
        return Ok(());
    }
    let key = "interleave";
    let is_hidden = description.firmware.describes == Describes::OneNode;
    let wrong = "lines that alternate belong to no node, and firmware describes nodes";
    require(is_hidden, key, wrong, "set firmware.describes = \"one-node\"")?;
    let mut sizes: Vec<Bytes> = description.memory_nodes().filter_map(|node| node.memory).collect();
    let nodes = sizes.len();
    sizes.dedup();
    let wrong = "lines alternate among nodes of different size";
    require(sizes.len() <= 1, key, wrong, "give all nodes as much memory")?;
    let wrong = "lines cannot alternate among fewer than two nodes with memory";
    require(nodes >= 2, key, wrong, "leave it out")
}
