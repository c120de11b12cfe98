//! Nodes and the CPUs in them.

use nearfar_model::{CpuId, CpuSet};

use super::super::arch::Arch;
use super::super::description::{Describes, Description};
use super::{Checked, DescriptionContradiction, require};

/// Two cores of the host run all of them.
const MAX_CPUS: usize = 128;

/// Debian's arm64 kernel knows 16 nodes (CONFIG_NODES_SHIFT=4); QEMU's x86_64 machines have at most
/// 128.
fn most_nodes(arch: Arch) -> u32 {
    match arch {
        Arch::Aarch64 => 16,
        Arch::X86_64 => 128,
    }
}

pub(super) fn check(description: &Description) -> Checked {
    ids(description)?;
    each_in_one_node(description)?;
    numbered_without_gaps(description)
}

fn ids(description: &Description) -> Checked {
    let nodes = &description.nodes;
    require(!nodes.is_empty(), "node", "there is none", "add a [[node]] with CPUs and memory")?;
    for (index, pair) in nodes.windows(2).enumerate() {
        let (first, second) = (pair[0].id, pair[1].id);
        let key = format!("node[{}].id", index + 1);
        require(
            first != second,
            &key,
            format!("node {first} is there twice"),
            "give each node an id of its own",
        )?;
        let wrong = format!("node {second} stands behind node {first}");
        require(first < second, key, wrong, "list nodes by rising id")?;
    }
    for (index, node) in nodes.iter().enumerate() {
        let holds_any = node.has_cpus() || node.memory.is_some();
        let wrong = format!("node {} has neither CPUs nor memory", node.id);
        require(holds_any, format!("node[{index}]"), wrong, "give it cpus, memory or both")?;
    }
    ids_that_the_kernel_takes_over(description)
}

fn ids_that_the_kernel_takes_over(description: &Description) -> Checked {
    let Description { arch, nodes, .. } = description;
    let most = most_nodes(*arch);
    let dense = *arch == Arch::X86_64 && description.firmware.describes == Describes::Nodes;
    for (index, node) in nodes.iter().enumerate() {
        let (key, id) = (format!("node[{index}].id"), node.id);
        let wrong =
            format!("{id} is too large: the lab's {arch} machines have {most} nodes at most");
        require(id.0 < most, &key, wrong, "choose smaller ids")?;
        let wrong = format!(
            "node {id} follows {index} nodes, and Linux numbers an x86_64 machine's without gaps"
        );
        let remedy = "number them from 0, or describe an aarch64 machine";
        require(!dense || id.0 as usize == index, key, wrong, remedy)?;
    }
    Ok(())
}

fn each_in_one_node(description: &Description) -> Checked {
    let nodes = &description.nodes;
    for (index, node) in nodes.iter().enumerate() {
        for earlier in &nodes[..index] {
            if let Some(cpu) = node.cpus.intersection(&earlier.cpus).first() {
                let wrong = format!("CPU {cpu} is in node {} already", earlier.id);
                return Err(DescriptionContradiction::new(
                    format!("node[{index}].cpus"),
                    wrong,
                    "put each CPU into one node",
                ));
            }
        }
    }
    Ok(())
}

fn numbered_without_gaps(description: &Description) -> Checked {
    let all = all(description);
    require(!all.is_empty(), "node", "no node has CPUs", "give one of them cpus = \"0\"")?;
    let wrong = format!("there are {} CPUs, and the lab has {MAX_CPUS} at most", all.len());
    require(all.len() <= MAX_CPUS, "node", wrong, "describe fewer")?;
    (0..).map(CpuId).zip(all.iter()).try_for_each(|(wanted, found)| {
        let wrong = format!("CPU {wanted} is in no node, and there are CPUs with higher numbers");
        require(wanted == found, "node", wrong, "number CPUs from 0 without gaps")
    })
}

fn all(description: &Description) -> CpuSet {
    description.nodes.iter().flat_map(|node| node.cpus.iter()).collect()
}

pub(super) fn cores_and_packages(description: &Description) -> Checked {
    let Description { packages, threads_per_core: threads, arch, nodes, .. } = description;
    let one_thread = "the lab's aarch64 cores (Cortex-A53) have one thread";
    let remedy = "leave it out, or describe an x86_64 machine";
    require(*threads <= 1 || *arch == Arch::X86_64, "threads_per_core", one_thread, remedy)?;
    let cpus = all(description).len();
    let divides =
        packages.checked_mul(*threads).is_some_and(|parts| parts > 0 && cpus % parts == 0);
    let wrong = format!(
        "{cpus} CPUs do not divide over {packages} packages of cores with {threads} threads"
    );
    require(divides, "packages", wrong, "let CPUs be a multiple of packages x threads_per_core")?;
    for (index, node) in nodes.iter().enumerate() {
        let core = |cpu: CpuId| cpu.0 as usize / threads;
        for cpu in node.cpus.iter() {
            let is_whole =
                node.cpus.iter().filter(|&other| core(other) == core(cpu)).count() == *threads;
            let wrong = format!("CPU {cpu} is without the other threads of its core");
            let remedy = format!(
                "give nodes whole cores: CPUs of a core are neighbours, {threads} at a time"
            );
            require(is_whole, format!("node[{index}].cpus"), wrong, remedy)?;
        }
    }
    Ok(())
}
