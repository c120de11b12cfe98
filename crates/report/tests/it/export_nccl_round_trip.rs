//! Topology files of NCCL and RCCL, made into trees of sysfs and exported again.
//!
//! What differs, and why:
//!
//! - `<gpu>` with links: NCCL asks the driver for them.
//! - Attributes of networks other than the name: NCCL asks its network plugin.
//! - Networks right below a `<cpu>`: they have no PCI function.
//! - Speeds are written as newer kernels do ("8.0 GT/s PCIe" for "8 GT/s"), masks without leading
//!   zeros.
//! - Two `<cpu>` of one node are one; a `<cpu>` without devices, and a switch without a GPU or
//!   network card, are left out.
//! - The tree has invented CPUs where a file has no mask.
//! - Addresses that a file has twice are invented in the tree.

use nearfar_machine::{CpuFamily, Inventory, InventoryScope, Topology};
use nearfar_report::export::nccl::{self, NcclFlavour, NcclInput};
use roxmltree::{Document, Node};

use crate::corpus_folder::corpus;
use crate::nccl_topology::{NcclTopology, cpu_list, files, is_bridge, net_names};

/// A line for each element that both files should have, in order.
fn outline<'a>(xml: &'a Document<'_>, address: &dyn Fn(Node<'a, 'a>) -> String) -> Vec<String> {
    let mut cpus: Vec<Node<'_, '_>> =
        xml.descendants().filter(|node| node.has_tag_name("cpu")).collect();
    cpus.sort_by_key(|cpu| cpu.attribute("numaid").unwrap().parse::<i32>().unwrap());
    let mut lines: Vec<String> = Vec::new();
    for same in cpus.chunk_by(|a, b| a.attribute("numaid") == b.attribute("numaid")) {
        let below: Vec<String> =
            same.iter().flat_map(|cpu| branches(*cpu, address, "  ")).collect();
        if below.is_empty() {
            continue;
        }
        let words = ["numaid", "arch", "vendor", "familyid", "modelid"];
        let words = words.map(|name| same[0].attribute(name).unwrap_or("-"));
        lines.push(format!("{} {}", words.join(" "), cpu_list(same[0])));
        lines.extend(sorted(below));
    }
    lines
}

/// Trees below one element, each in one string, so that they can be sorted whole.
fn branches<'a>(
    above: Node<'a, 'a>,
    address: &dyn Fn(Node<'a, 'a>) -> String,
    indent: &str,
) -> Vec<String> {
    let functions = above.children().filter(|node| node.has_tag_name("pci"));
    let lines = functions.filter_map(|function| {
        let below = branches(function, address, &format!("{indent}  "));
        if below.is_empty() && is_bridge(function) {
            return None;
        }
        let word = |name: &str| function.attribute(name).unwrap_or("0xffff").to_owned();
        let class = if is_bridge(function) {
            "bridge"
        } else {
            function.attribute("class").unwrap_or("0x030200")
        };
        let subsystem = ["subsystem_vendor", "subsystem_device"]
            .map(|name| function.attribute(name).unwrap_or("-"));
        let speed = function.attribute("link_speed").unwrap_or("");
        let speed: Option<f64> =
            speed.split_once("GT/s").map(|(number, _)| number.trim().parse().unwrap());
        let mut names: Vec<&str> = net_names(function).collect();
        names.sort_unstable();
        Some(format!(
            "{indent}{} {class} {} {} {} {speed:?} {} {}\n{}",
            address(function),
            word("vendor"),
            word("device"),
            subsystem.join(" "),
            function.attribute("link_width").unwrap_or("0"),
            names.join(" "),
            sorted(below).concat()
        ))
    });
    lines.collect()
}

fn sorted(mut lines: Vec<String>) -> Vec<String> {
    lines.sort();
    lines
}

/// A file with the facts of its first `<cpu>` in `/proc`, exported.
fn exported(topology: &NcclTopology<'_>, flavour: NcclFlavour) -> String {
    let machine = topology.machine_with_ports();
    let first = topology.xml.descendants().find(|node| node.has_tag_name("cpu")).unwrap();
    let word = |name: &str| first.attribute(name).unwrap_or("");
    machine.file("proc/sys/kernel/arch", word("arch"));
    let (vendor, family, model) = (word("vendor"), word("familyid"), word("modelid"));
    machine.file(
        "proc/cpuinfo",
        format!("vendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t: {model}\n"),
    );
    let source = machine.source();
    let (topology, cpu) = (Topology::read(&source).ok(), CpuFamily::read(&source));
    let input = NcclInput {
        document: &crate::made_machine::document(&source, InventoryScope::Usual),
        inventory: &Inventory::read(&source, InventoryScope::All),
        topology: topology.as_ref(),
        cpu: cpu.as_ref(),
        survey: None,
    };
    nccl::text(&input, flavour).unwrap()
}

#[test]
fn corpus_files_come_back() {
    let Some(corpus) = corpus() else { return };
    let files = files(&corpus);
    assert_eq!(files.len(), 12);
    for (name, text) in files {
        let topology = NcclTopology::parse(&text);
        let is_nccl = text.contains("<system version=\"1\"");
        let flavour = if is_nccl { NcclFlavour::Nccl } else { NcclFlavour::Rccl };
        let exported = exported(&topology, flavour);
        let again = Document::parse(&exported).unwrap_or_else(|why| panic!("{name}: {why}"));
        let root = |xml: &Document<'_>| xml.root_element().attribute("version").map(str::to_owned);
        assert_eq!(root(&again), root(&topology.xml), "{name}");
        let expected = outline(&topology.xml, &|function| topology.address(function).to_string());
        let got = outline(&again, &|function| function.attribute("busid").unwrap().to_owned());
        assert_eq!(got, expected, "{name}\n{exported}");
    }
}
