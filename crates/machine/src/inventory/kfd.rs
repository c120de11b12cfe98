//! The topology of AMD's compute driver (amdkfd): GPUs and the links between them.
//!
//! Reference: drivers/gpu/drm/amd/amdkfd/kfd_topology.c, include/uapi/linux/kfd_sysfs.h.

use serde::Serialize;

use crate::attribute::{Attributes, counter};
use crate::pci::PciAddress;
use crate::source::numbers;

const FOLDER: &str = "/sys/class/kfd/kfd/topology/nodes";
/// `CRAT_IOLINK_TYPE_XGMI`.
const XGMI: u32 = 11;
/// Cost of a hop of XGMI (`kfd_fill_gpu_xgmi_link_to_gpu` in kfd_crat.c).
const XGMI_HOP: u32 = 15;
/// Largest number of the driver's nodes that are read.
const MAX_NODES: usize = 1024;

/// A GPU of AMD's compute driver, or a NUMA node as it lists them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KfdNode {
    /// The driver's number.
    pub id: u32,
    /// Its function; `None` for CPUs.
    pub address: Option<PciAddress>,
    /// CPUs of a node of CPUs or memory; `None` for GPUs.
    pub cpus: Option<u32>,
    /// Links to other nodes.
    pub links: Vec<KfdLink>,
}

impl KfdNode {
    /// Its folder in sysfs.
    pub fn folder(&self) -> String {
        format!("{FOLDER}/{}", self.id)
    }
}

/// A link of one of the driver's nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct KfdLink {
    /// The other end's number.
    pub to: u32,
    /// Whether it is an XGMI link, between GPUs or to the CPU, and not PCIe.
    pub is_xgmi: bool,
    /// The driver's cost: 15 for each hop of XGMI, 20 and more for PCIe.
    pub weight: Option<u32>,
    /// Smallest bandwidth in MB/s: of one XGMI link; `None` if unknown.
    pub min_mb_s: Option<u32>,
    /// Largest bandwidth in MB/s; `None` if unknown.
    pub max_mb_s: Option<u32>,
}

impl KfdLink {
    /// The XGMI links in a row to the other end: 1 if it is linked directly; `None` if unknown.
    pub fn xgmi_hops(&self) -> Option<u32> {
        let weight = self.weight.filter(|weight| *weight > 0 && weight % XGMI_HOP == 0)?;
        self.is_xgmi.then_some(weight / XGMI_HOP)
    }

    /// The XGMI links side by side to a GPU that is linked directly; `None` if unknown.
    pub fn xgmi_links(&self) -> Option<u32> {
        let (most, one) = (self.max_mb_s?, self.min_mb_s?);
        (self.xgmi_hops() == Some(1) && most % one == 0).then_some(most / one)
    }
}

/// The driver's nodes; empty without the driver.
pub(super) fn read(read: &Attributes<'_>) -> Vec<KfdNode> {
    let ids = numbers(&read.names(FOLDER), "");
    ids.into_iter().take(MAX_NODES).map(|id| node(read, id)).collect()
}

fn node(read: &Attributes<'_>, id: u32) -> KfdNode {
    let folder = format!("{FOLDER}/{id}");
    let properties = read.text(&format!("{folder}/properties")).unwrap_or_default();
    let number = |name| property(&properties, name);
    let is_gpu = number("simd_count").is_some_and(|count| count > 0);
    let address = || {
        // Bus, device and function as the PCI specification packs them. Guests have GPUs at 0 of a
        // domain of their own.
        let location = number("location_id")?;
        Some(PciAddress {
            domain: number("domain").unwrap_or(0),
            bus: u8::try_from(location >> 8 & 0xff).ok()?,
            device: u8::try_from(location >> 3 & 0x1f).ok()?,
            function: u8::try_from(location & 7).ok()?,
        })
    };
    let links = numbers(&read.names(&format!("{folder}/io_links")), "");
    let bandwidth = |text: &str, name| property(text, name).filter(|bandwidth| *bandwidth > 0);
    let link = |number: u32| {
        let text = read.text(&format!("{folder}/io_links/{number}/properties"))?;
        Some(KfdLink {
            to: property(&text, "node_to")?,
            is_xgmi: property(&text, "type") == Some(XGMI),
            weight: property(&text, "weight"),
            min_mb_s: bandwidth(&text, "min_bandwidth"),
            max_mb_s: bandwidth(&text, "max_bandwidth"),
        })
    };
    KfdNode {
        id,
        address: if is_gpu { address() } else { None },
        cpus: (!is_gpu).then(|| number("cpu_cores_count").unwrap_or(0)),
        links: links.into_iter().take(MAX_NODES).filter_map(link).collect(),
    }
}

/// A property of a node or link; values of more than 32 bits are none that is read here.
fn property(text: &str, name: &str) -> Option<u32> {
    u32::try_from(counter(text, name)?).ok()
}
