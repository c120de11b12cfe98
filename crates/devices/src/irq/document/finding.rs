//! Findings about interrupts. `docs/why/diagnosis.md` has what each code means and what to do.

use nearfar_model::{CpuId, CpuSet, NodeId, NodeSet};
use serde::{Deserialize, Serialize};

nearfar_model::findings! {
    /// A finding. Devices are named by their labels.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
    #[serde(tag = "code", rename_all = "kebab-case")]
    pub enum IrqFinding {
        "irq-far-from-device", Warning,
        "Active interrupts run on CPUs far from their device.",
        "Move them with 'nearfar irq set DEVICE --near', as root. Where irqbalance runs, exclude \
         them from it (--banirq).";
        IrqFarFromDevice {
            /// The device.
            device: String,
            /// Its node.
            #[schemars(with = "u32")]
            node: NodeId,
            /// The interrupts.
            interrupts: Vec<u32>,
            /// The nodes that serve them.
            #[schemars(with = "String")]
            nodes: NodeSet,
            /// How often far CPUs served them.
            far: u64,
            /// How often the device's interrupts were served.
            count: u64,
            /// Seconds of these counts; null: since boot.
            seconds: Option<f64>,
        }
        "irq-managed-far", Note,
        "Active interrupts run far from their device, and the kernel refuses to move them.",
        "Change the number of queues of the device, or keep managed interrupts off CPUs with \
         isolcpus=managed_irq.";
        IrqManagedFar {
            /// The device.
            device: String,
            /// Its node.
            #[schemars(with = "u32")]
            node: NodeId,
            /// The interrupts.
            interrupts: Vec<u32>,
            /// The nodes that serve them.
            #[schemars(with = "String")]
            nodes: NodeSet,
            /// How often far CPUs served them.
            far: u64,
            /// How often the device's interrupts were served.
            count: u64,
            /// Seconds of these counts; null: since boot.
            seconds: Option<f64>,
        }
        "irq-queues-on-one-cpu", Warning,
        "One CPU serves all active queues of a device, or served them since boot.",
        "Give each a CPU of its own with 'nearfar irq set DEVICE --spread near', as root, or start \
         irqbalance.";
        IrqQueuesOnOneCpu {
            /// The device.
            device: String,
            /// The interrupts of its active queues.
            interrupts: Vec<u32>,
            /// The CPU.
            #[schemars(with = "u32")]
            cpu: CpuId,
            /// How often it served them.
            count: u64,
            /// Seconds of this count; null: since boot.
            seconds: Option<f64>,
            /// Whether the count is between tables of a saved file; absent for others.
            #[serde(default, skip_serializing_if = "std::ops::Not::not")]
            between_tables: bool,
        }
        "irq-fewer-queues", Note,
        "A busy device has fewer queues than there are CPUs near it.",
        "Raise its number of queues: 'ethtool -L' for network cards, a parameter of the driver for \
         disks, the hypervisor's option in a guest.";
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
        }
        "irq-device-node-unknown", Warning,
        "The node of devices with active interrupts is unknown.",
        "See 'nearfar devices' for what firmware claims, and 'nearfar sweep' to find the node by \
         measuring.";
        IrqDeviceNodeUnknown {
            /// The devices.
            devices: Vec<String>,
        }
        "irq-line-shared", Warning,
        "Devices share an interrupt line, although at least one of them offers MSI.",
        "Look whether pci=nomsi is on the command line or an option of the driver turns MSI off. A \
         newer driver may use it.";
        IrqLineShared {
            /// The interrupt.
            interrupt: u32,
            /// All devices on it.
            devices: Vec<String>,
            /// Those that offer MSI or MSI-X.
            offer_messages: Vec<String>,
        }
        "irq-line-shared-unknown", Note,
        "Devices share an interrupt line, and whether they offer MSI is not readable.",
        "Run it as root: only root may read the capabilities of a PCI device.";
        IrqLineSharedUnknown {
            /// The interrupt.
            interrupt: u32,
            /// All devices on it.
            devices: Vec<String>,
        }
        "rps-across-nodes", Warning,
        "RPS hands received packets to CPUs of another node.",
        "Set it to near CPUs with 'nearfar irq set DEVICE --rps near', or turn it off with '--rps \
         off', as root.";
        RpsAcrossNodes {
            /// The device.
            device: String,
            /// Its interface.
            interface: String,
            /// The device's node.
            #[schemars(with = "u32")]
            node: NodeId,
            /// The receive queues.
            queues: Vec<u32>,
            /// The far CPUs.
            #[schemars(with = "String")]
            cpus: CpuSet,
        }
        "xps-across-nodes", Warning,
        "CPUs of one node send by queues whose interrupts another node serves.",
        "Set near CPUs with 'nearfar irq set DEVICE --near --xps near', as root, so that a queue \
         and its interrupt are on one node.";
        XpsAcrossNodes {
            /// The device.
            device: String,
            /// Its interface.
            interface: String,
            /// The transmit queues.
            queues: Vec<u32>,
            /// The nodes of the CPUs that send.
            #[schemars(with = "String")]
            send_nodes: NodeSet,
            /// The nodes that serve the interrupts.
            #[schemars(with = "String")]
            interrupt_nodes: NodeSet,
        }
        "irq-changed-under-irqbalance", Note,
        "The allowed CPUs of interrupts changed while they were counted, and irqbalance runs.",
        "If you set them yourself, exclude them from irqbalance (--banirq) or stop it.";
        IrqChangedUnderIrqbalance {
            /// The interrupts.
            interrupts: Vec<u32>,
            /// The allowed CPUs of the first of them before.
            #[schemars(with = "String")]
            before: CpuSet,
            /// And after.
            #[schemars(with = "String")]
            after: CpuSet,
            /// Seconds between the snapshots.
            seconds: f64,
        }
    }
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
}
