//! What is known of GPUs and their driver beside figures.

use nearfar_model::NodeId;
use nearfar_probe::gpu::GpuInventory;
use serde::{Deserialize, Serialize};

/// The driver, and the program that worked with it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct GpuDriverFacts {
    /// Its interface: "CUDA" or "HIP".
    pub interface: String,
    /// The version of the interface that it implements.
    pub version: String,
    /// The name that its library was loaded by.
    pub library: String,
    /// The program that loaded it: this program, a copy in memory, or a file.
    pub helper: String,
}

impl GpuDriverFacts {
    /// From the list of its GPUs.
    pub fn new(inventory: &GpuInventory, helper: &str) -> Self {
        Self {
            interface: inventory.api.name().to_owned(),
            version: inventory.version.clone(),
            library: inventory.library.clone(),
            helper: helper.to_owned(),
        }
    }
}

/// A GPU, or a slice of one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct GpuFacts {
    /// Its label: that of `nearfar devices`, with a number behind a dot for slices of one GPU; its
    /// PCI address where the kernel lists no such device.
    pub label: String,
    /// The driver's number of it.
    pub index: usize,
    /// The driver's name of it.
    pub name: String,
    /// Its PCI address; null if the driver does not report it.
    pub address: Option<String>,
    /// Its memory.
    pub memory_bytes: u64,
    /// Whether it is a slice of a GPU (MIG), which shares the link with others.
    pub is_mig: bool,
    /// The node in sysfs; null if there is none.
    #[schemars(with = "Option<u32>")]
    pub kernel_node: Option<NodeId>,
    /// The node that the driver claims; -1 is none, null that it does not know the question.
    pub driver_node: Option<i32>,
    /// Index of the package near it; null if unknown.
    pub package: Option<u32>,
}
