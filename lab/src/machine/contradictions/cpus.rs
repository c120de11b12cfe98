//! Nodes and the CPUs in them.

use nearfar_model::{CpuId, CpuSet, NodeId};

use super::super::arch::Arch;
use super::super::description::{Describes, Description};
use super::{Checked, Contradiction};

/// Two cores of the host run all of them.
const MOST_CPUS: usize = 128;

/// Debian's arm64 kernel knows 16 nodes (CONFIG_NODES_SHIFT=4); QEMU's x86_64 machines have at most 128.
const MOST_NODES: [(Arch, u32); 2] = [(Arch::Aarch64, 16), (Arch::X86_64, 128)];

pub(super) fn check(description: &Description) -> Checked {
    ids(description)?;
    each_in_one_node(description)?;
    numbered_without_gaps(description)
}

fn ids(description: &Description) -> Checked {
    let nodes = &description.nodes;
    if nodes.is_empty() {
        return Err(Contradiction::new("node", "there is none", "add a [[node]] with CPUs and memory"));
    }
    for (index, pair) in nodes.windows(2).enumerate() {
        let (first, second) = (pair[0].id, pair[1].id);
        if first == second {
            let wrong = format!("node {first} is there twice");
            return Err(Contradiction::new(
                format!("node[{}].id", index + 1),
                wrong,
                "give each node an id of its own",
            ));
        }
        if first > second {
            let wrong = format!("node {second} stands behind node {first}");
            return Err(Contradiction::new(format!("node[{}].id", index + 1), wrong, "list nodes by rising id"));
        }
    }
    for (index, node) in nodes.iter().enumerate() {
        if !node.has_cpus() && node.memory.is_none() {
            let wrong = format!("node {} has neither CPUs nor memory", node.id);
            return Err(Contradiction::new(format!("node[{index}]"), wrong, "give it cpus, memory or both"));
        }
    }
    ids_that_the_kernel_takes_over(description)
}

fn ids_that_the_kernel_takes_over(description: &Description) -> Checked {
    let Description { arch, nodes, .. } = description;
    let most = MOST_NODES.iter().find(|(of, _)| of == arch).map_or(u32::MAX, |(_, most)| *most);
    for (index, node) in nodes.iter().enumerate() {
        let key = format!("node[{index}].id");
        if node.id.0 >= most {
            let wrong = format!("{} is too large: the lab's {arch} machines have {most} nodes at most", node.id);
            return Err(Contradiction::new(key, wrong, "choose smaller ids"));
        }
        let dense = *arch == Arch::X86_64 && description.firmware.describes == Describes::Nodes;
        if dense && node.id != NodeId(u32::try_from(index).unwrap_or(u32::MAX)) {
            let wrong =
                format!("node {} follows {index} nodes, and Linux numbers an x86_64 machine's without gaps", node.id);
            return Err(Contradiction::new(key, wrong, "number them from 0, or describe an aarch64 machine"));
        }
    }
    Ok(())
}

fn each_in_one_node(description: &Description) -> Checked {
    let nodes = &description.nodes;
    for (index, node) in nodes.iter().enumerate() {
        for earlier in &nodes[..index] {
            if let Some(cpu) = node.cpus.intersection(&earlier.cpus).first() {
                let wrong = format!("CPU {cpu} is in node {} already", earlier.id);
                return Err(Contradiction::new(format!("node[{index}].cpus"), wrong, "put each CPU into one node"));
            }
        }
    }
    Ok(())
}

fn numbered_without_gaps(description: &Description) -> Checked {
    let all = all(description);
    if all.is_empty() {
        return Err(Contradiction::new("node", "no node has CPUs", "give one of them cpus = \"0\""));
    }
    if all.len() > MOST_CPUS {
        let wrong = format!("there are {} CPUs, and the lab has {MOST_CPUS} at most", all.len());
        return Err(Contradiction::new("node", wrong, "describe fewer"));
    }
    match (0..).map(CpuId).zip(all.iter()).find(|(wanted, found)| wanted != found) {
        None => Ok(()),
        Some((wanted, _)) => {
            let wrong = format!("CPU {wanted} is in no node, and there are CPUs with higher numbers");
            Err(Contradiction::new("node", wrong, "number CPUs from 0 without gaps"))
        }
    }
}

fn all(description: &Description) -> CpuSet {
    description.nodes.iter().flat_map(|node| node.cpus.iter()).collect()
}

pub(super) fn cores_and_packages(description: &Description) -> Checked {
    let Description { packages, threads_per_core: threads, arch, nodes, .. } = description;
    if *threads > 1 && *arch == Arch::Aarch64 {
        let wrong = "the lab's aarch64 cores (Cortex-A53) have one thread";
        return Err(Contradiction::new("threads_per_core", wrong, "leave it out, or describe an x86_64 machine"));
    }
    let cpus = all(description).len();
    let divides = packages.checked_mul(*threads).is_some_and(|parts| parts > 0 && cpus % parts == 0);
    if !divides {
        let wrong = format!("{cpus} CPUs do not divide over {packages} packages of cores with {threads} threads");
        return Err(Contradiction::new("packages", wrong, "let CPUs be a multiple of packages x threads_per_core"));
    }
    for (index, node) in nodes.iter().enumerate() {
        let part = |cpu: CpuId| cpu.0 as usize / threads;
        let torn = node
            .cpus
            .iter()
            .find(|&cpu| node.cpus.iter().filter(|&other| part(other) == part(cpu)).count() != *threads);
        if let Some(cpu) = torn {
            let wrong = format!("CPU {cpu} is without the other threads of its core");
            let remedy = format!("give nodes whole cores: CPUs of a core are neighbours, {threads} at a time");
            return Err(Contradiction::new(format!("node[{index}].cpus"), wrong, remedy));
        }
    }
    Ok(())
}
