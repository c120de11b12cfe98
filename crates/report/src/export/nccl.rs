//! A topology file for NCCL or RCCL, which `NCCL_TOPO_FILE` names.
//!
//! It holds what their own search of sysfs finds: `<cpu>` elements with switches, GPUs and network
//! cards. Numbers and links of GPUs are left to NCCL, which asks the driver. NCCL reads neither an
//! XML declaration nor entities, and ends a comment's first word at a blank.

mod tree;
mod write;

use nearfar_devices::DevicesDocument;
use nearfar_machine::{CpuFamily, Inventory, Topology};
use nearfar_model::Unit;
use nearfar_survey::Survey;

use crate::export::figures;
use crate::export::figures::KERNEL;
use write::Writer;

/// The library that reads the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NcclFlavour {
    /// NVIDIA's.
    Nccl,
    /// AMD's.
    Rccl,
}

impl NcclFlavour {
    /// The only version of the format that the library accepts (`NCCL_TOPO_XML_VERSION`).
    fn version(self) -> u32 {
        match self {
            Self::Nccl => 1,
            Self::Rccl => 2,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Nccl => "NCCL",
            Self::Rccl => "RCCL",
        }
    }
}

/// What [`cards_without_node`] mean for the library.
pub fn without_node_warning(cards: &[&str], flavour: NcclFlavour) -> String {
    let (name, cards) = (flavour.name(), cards.join(", "));
    format!(
        "warning: no node is known for {cards} (numa_node is -1), and GPUs have one: {name} takes \
         them as far from all GPUs. Write the node to numa_node in sysfs, or to numaid here"
    )
}

/// What a topology file is made of.
#[derive(Clone, Copy, Debug)]
pub struct NcclInput<'a> {
    /// The usual devices, with their nodes.
    pub document: &'a DevicesDocument,
    /// All functions ([`nearfar_machine::InventoryScope::All`]), for the switches.
    pub inventory: &'a Inventory,
    /// CPUs of the nodes.
    pub topology: Option<&'a Topology>,
    /// The CPUs, on x86.
    pub cpu: Option<&'a CpuFamily>,
    /// Measurements of this machine.
    pub survey: Option<&'a Survey>,
}

/// Network cards without a node beside GPUs with one: the library takes them as far from all GPUs.
pub fn cards_without_node<'a>(input: &NcclInput<'a>) -> Vec<&'a str> {
    tree::Tree::new(input).cards_without_node()
}

/// The file; `None` without a GPU or network card on PCI.
pub fn text(input: &NcclInput<'_>, flavour: NcclFlavour) -> Option<String> {
    let tree = tree::Tree::new(input);
    if tree.cpus.is_empty() {
        return None;
    }
    let mut writer = Writer::default();
    let name = flavour.name();
    let machine = input.document.machine.as_deref().unwrap_or("an unknown machine");
    writer
        .comment(0, &format!("Topology of {machine} for {name}: set NCCL_TOPO_FILE to this file"));
    writer.comment(0, &format!("{name} adds numbers and links of GPUs, and speeds of networks"));
    for address in &tree.left_out {
        let why = format!("{address} is left out: {name} reads domains of four digits");
        writer.comment(0, &why);
    }
    let without_node = tree.cards_without_node();
    if !without_node.is_empty() {
        writer.comment(0, &without_node_warning(&without_node, flavour));
    }
    if let Some(survey) = input.survey {
        comments(survey, &mut writer);
    }
    writer.system(flavour.version(), &tree, input);
    Some(writer.into_text())
}

fn comments(survey: &Survey, writer: &mut Writer) {
    let started = &survey.provenance.started;
    writer.comment(0, &format!("Measured by nearfar, {started}: bandwidth of kernel '{KERNEL}'"));
    for cell in figures::bandwidth(survey) {
        let from = format!("CPUs {} from node {}", cell.row.cpus, cell.node);
        writer.comment(
            0,
            &match cell.figure {
                Ok(figure) => {
                    let [low, high] = figure.ci95.map(|end| Unit::BytesPerSecond.shown(end));
                    let median = Unit::BytesPerSecond.shown(figure.median);
                    format!("{from}: {median:.1} GB/s (95 % interval {low:.1} to {high:.1})")
                }
                Err(why) => format!("{from}: undetermined, {why}"),
            },
        );
    }
}
