//! Findings about interrupts. `docs/diagnosis.md` has what each code means and what to do.

use nearfar_model::{CpuId, CpuSet, NodeId, NodeSet};
use serde::{Deserialize, Serialize};

use crate::DeviceSeverity;

/// A finding. Devices are named by their labels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum IrqFinding {
    /// Active interrupts run far from their device, and can be moved or may be.
    IrqFarFromDevice {
        /// The device.
        device: String,
        /// Its node.
        #[cfg_attr(feature = "schema", schemars(with = "u32"))]
        node: NodeId,
        /// The interrupts.
        interrupts: Vec<u32>,
        /// The nodes that serve them.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        nodes: NodeSet,
        /// How often far CPUs served them.
        far: u64,
        /// How often the device's interrupts were served.
        count: u64,
        /// Seconds of these counts; null: since boot.
        seconds: Option<f64>,
    },
    /// Active interrupts run far from their device, and the kernel refuses to move them.
    IrqManagedFar {
        /// The device.
        device: String,
        /// Its node.
        #[cfg_attr(feature = "schema", schemars(with = "u32"))]
        node: NodeId,
        /// The interrupts.
        interrupts: Vec<u32>,
        /// The nodes that serve them.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        nodes: NodeSet,
        /// How often far CPUs served them.
        far: u64,
        /// How often the device's interrupts were served.
        count: u64,
        /// Seconds of these counts; null: since boot.
        seconds: Option<f64>,
    },
    /// One CPU serves all active queues of a device.
    IrqQueuesOnOneCpu {
        /// The device.
        device: String,
        /// The interrupts of its active queues.
        interrupts: Vec<u32>,
        /// The CPU.
        #[cfg_attr(feature = "schema", schemars(with = "u32"))]
        cpu: CpuId,
        /// How often it served them.
        count: u64,
        /// Seconds of this count; null: since boot.
        seconds: Option<f64>,
    },
    /// A busy device has fewer queues than there are CPUs near it.
    IrqFewerQueues {
        /// The device.
        device: String,
        /// Its queues.
        queues: usize,
        /// CPUs near it.
        near_cpus: usize,
        /// How often its interrupts were served.
        count: u64,
        /// Seconds of this count; null: since boot.
        seconds: Option<f64>,
    },
    /// The node of devices with active interrupts is unknown: near and far are, too.
    IrqDeviceNodeUnknown {
        /// The devices.
        devices: Vec<String>,
    },
    /// Devices share a line, and at least one of them offers messages.
    IrqLineShared {
        /// The interrupt.
        interrupt: u32,
        /// All devices on it.
        devices: Vec<String>,
        /// Those that offer MSI or MSI-X.
        offer_messages: Vec<String>,
    },
    /// Devices share a line. Whether they offer messages is not readable.
    IrqLineSharedUnknown {
        /// The interrupt.
        interrupt: u32,
        /// All devices on it.
        devices: Vec<String>,
    },
    /// RPS hands packets to CPUs of another node than the device's.
    RpsAcrossNodes {
        /// The device.
        device: String,
        /// Its interface.
        interface: String,
        /// The device's node.
        #[cfg_attr(feature = "schema", schemars(with = "u32"))]
        node: NodeId,
        /// The receive queues.
        queues: Vec<u32>,
        /// The far CPUs.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        cpus: CpuSet,
    },
    /// CPUs of one node send by queues whose interrupts another node serves.
    XpsAcrossNodes {
        /// The device.
        device: String,
        /// Its interface.
        interface: String,
        /// The transmit queues.
        queues: Vec<u32>,
        /// The nodes of the CPUs that send.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        send_nodes: NodeSet,
        /// The nodes that serve the interrupts.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        interrupt_nodes: NodeSet,
    },
    /// The allowed CPUs of interrupts changed between the two snapshots, while irqbalance runs
    /// and does not leave them alone.
    IrqChangedUnderIrqbalance {
        /// The interrupts.
        interrupts: Vec<u32>,
        /// The allowed CPUs of the first of them before.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        before: CpuSet,
        /// And after.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        after: CpuSet,
        /// Seconds between the snapshots.
        seconds: f64,
    },
}

impl IrqFinding {
    /// The labels of its devices.
    pub fn devices(&self) -> Vec<String> {
        match self {
            Self::IrqFarFromDevice { device, .. }
            | Self::IrqManagedFar { device, .. }
            | Self::IrqQueuesOnOneCpu { device, .. }
            | Self::IrqFewerQueues { device, .. }
            | Self::RpsAcrossNodes { device, .. }
            | Self::XpsAcrossNodes { device, .. } => vec![device.clone()],
            Self::IrqDeviceNodeUnknown { devices }
            | Self::IrqLineShared { devices, .. }
            | Self::IrqLineSharedUnknown { devices, .. } => devices.clone(),
            Self::IrqChangedUnderIrqbalance { .. } => Vec::new(),
        }
    }

    /// The numbers of its interrupts.
    pub fn interrupts(&self) -> Vec<u32> {
        match self {
            Self::IrqFarFromDevice { interrupts, .. }
            | Self::IrqManagedFar { interrupts, .. }
            | Self::IrqQueuesOnOneCpu { interrupts, .. }
            | Self::IrqChangedUnderIrqbalance { interrupts, .. } => interrupts.clone(),
            Self::IrqLineShared { interrupt, .. }
            | Self::IrqLineSharedUnknown { interrupt, .. } => {
                vec![*interrupt]
            }
            Self::IrqFewerQueues { .. }
            | Self::IrqDeviceNodeUnknown { .. }
            | Self::RpsAcrossNodes { .. }
            | Self::XpsAcrossNodes { .. } => Vec::new(),
        }
    }

    /// Its code, in kebab-case: never renamed.
    pub fn code(&self) -> &'static str {
        match self {
            Self::IrqFarFromDevice { .. } => "irq-far-from-device",
            Self::IrqManagedFar { .. } => "irq-managed-far",
            Self::IrqQueuesOnOneCpu { .. } => "irq-queues-on-one-cpu",
            Self::IrqFewerQueues { .. } => "irq-fewer-queues",
            Self::IrqDeviceNodeUnknown { .. } => "irq-device-node-unknown",
            Self::IrqLineShared { .. } => "irq-line-shared",
            Self::IrqLineSharedUnknown { .. } => "irq-line-shared-unknown",
            Self::RpsAcrossNodes { .. } => "rps-across-nodes",
            Self::XpsAcrossNodes { .. } => "xps-across-nodes",
            Self::IrqChangedUnderIrqbalance { .. } => "irq-changed-under-irqbalance",
        }
    }

    /// How bad it is.
    pub fn severity(&self) -> DeviceSeverity {
        match self {
            Self::IrqFarFromDevice { .. }
            | Self::IrqQueuesOnOneCpu { .. }
            | Self::IrqDeviceNodeUnknown { .. }
            | Self::IrqLineShared { .. }
            | Self::RpsAcrossNodes { .. }
            | Self::XpsAcrossNodes { .. } => DeviceSeverity::Warning,
            Self::IrqManagedFar { .. }
            | Self::IrqFewerQueues { .. }
            | Self::IrqLineSharedUnknown { .. }
            | Self::IrqChangedUnderIrqbalance { .. } => DeviceSeverity::Note,
        }
    }
}
