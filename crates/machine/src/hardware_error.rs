//! Why a device leads to no hardware.

use std::io;
use std::net::IpAddr;

use nearfar_model::NodeSet;
use thiserror::Error;

/// Where NVIDIA's driver lists its GPUs.
pub(crate) const NVIDIA_GPUS: &str = "/proc/driver/nvidia/gpus";

/// Why a device leads to no hardware.
#[derive(Debug, Error)]
pub enum HardwareError {
    /// A device of the kernel's own, with a class in sysfs.
    #[error("it is a software device without hardware")]
    Software,
    /// A network interface of the kernel's own.
    #[error("it is a software device without hardware and without a node")]
    SoftwareInterface,
    /// A block device in RAM or on the network.
    #[error("{name} is a software device (RAM or network) without hardware")]
    SoftwareDisk {
        /// The kernel's name, shortened.
        name: String,
    },
    /// A character device of the kernel's own.
    #[error("character device{} has no hardware", shown(*numbers))]
    SoftwareCharDevice {
        /// Major and minor number; `None` on a captured machine.
        numbers: Option<(u32, u32)>,
    },
    /// The kernel was built without NUMA.
    #[error("the kernel reports no nodes of PCI devices")]
    NoPciNodes,
    /// A file in memory, or of the kernel.
    #[error("it is in {kind}, which has no device")]
    FileSystemWithoutDevice {
        /// The type of the file system.
        kind: String,
    },
    /// A file on a file system whose source is no device.
    #[error("it is in {kind} ({origin}), which has no known device")]
    FileSystemWithoutKnownDevice {
        /// The type of the file system.
        kind: String,
        /// Its source.
        origin: String,
    },
    /// An overlay of folders that this namespace does not have.
    #[error("the folders of the overlay file system at {point} are outside this container")]
    OverlayOutside {
        /// Its mount point.
        point: String,
    },
    /// A file system that names no device.
    #[error("it is in {kind} on no device")]
    FileSystemOnNoDevice {
        /// The type of the file system.
        kind: String,
    },
    /// ZFS drives its disks itself.
    #[error(
        "it is in the ZFS pool {pool}, whose disks the kernel does not list: name one of those \
         that 'zpool list -v {pool}' shows"
    )]
    ZfsPool {
        /// The pool.
        pool: String,
    },
    /// A network file system without the name of its server.
    #[error("it is on the network ({kind} {origin}): name the interface with netdev: or ip:")]
    OnNetwork {
        /// The type of the file system.
        kind: String,
        /// Its source.
        origin: String,
    },
    /// A path in no mounted file system.
    #[error("its file system is not in /proc/self/mountinfo")]
    NotMounted,
    /// A path that does not exist or may not be read.
    #[error("cannot open it: {0}")]
    Open(io::Error),
    /// A path that is no text.
    #[error("its path is not UTF-8, which lists do not support")]
    NotUtf8,
    /// A block device without an entry in sysfs.
    #[error("sysfs has no block device {major}:{minor}")]
    NoBlockDevice {
        /// The major number.
        major: u32,
        /// The minor number.
        minor: u32,
    },
    /// No PCI function has this address.
    #[error("there is no such PCI device: lspci -D lists them")]
    NoPciDevice,
    /// No device has this name.
    #[error("there is no {kind} device '{name}': {}", listed(folder, known))]
    NoSuchDevice {
        /// "network", "block".
        kind: &'static str,
        /// The name, shortened.
        name: String,
        /// The folder of sysfs with all names.
        folder: &'static str,
        /// The names that exist.
        known: Vec<String>,
    },
    /// A device on too many others, or on itself.
    #[error("{name} has too many stacked devices")]
    TooDeep {
        /// The name.
        name: String,
    },
    /// A driver of several GPUs.
    #[error(
        "it is the compute driver of all AMD GPUs: name one, such as gpu:0 or /dev/dri/renderD128"
    )]
    AllAmdGpus,
    /// NVIDIA's driver has no such GPU.
    #[error("{NVIDIA_GPUS} has no GPU with minor number {minor}")]
    NoNvidiaGpu {
        /// The minor number.
        minor: u32,
    },
    /// A GPU of NVIDIA without a node in sysfs.
    #[error("the kernel reports no node of {address}")]
    NoNodeOfNvidiaGpu {
        /// Its PCI address, as the driver writes it.
        address: String,
    },
    /// A group of VFIO without a node.
    #[error("IOMMU group {group} has no device with a node")]
    NoNodeOfIommuGroup {
        /// The group.
        group: u32,
    },
    /// An address that no device leads to.
    #[error("{0} is this machine itself: no network device leads to it")]
    Loopback(IpAddr),
    /// An address without a route.
    #[error("no route leads to {0}: see 'ip route'")]
    NoRoute(IpAddr),
    /// A host name that is not known.
    #[error("cannot look up '{host}': {cause}")]
    LookUp {
        /// The name, shortened.
        host: String,
        /// The reason.
        cause: io::Error,
    },
    /// A host name without an address.
    #[error("'{host}' has no address")]
    NoAddress {
        /// The name, shortened.
        host: String,
    },
}

impl HardwareError {
    /// Whether the device has no hardware at all, or none that is visible, so that only a user
    /// knows its node.
    pub fn is_software(&self) -> bool {
        match self {
            Self::Software
            | Self::SoftwareInterface
            | Self::SoftwareDisk { .. }
            | Self::SoftwareCharDevice { .. }
            | Self::NoPciNodes
            | Self::FileSystemWithoutDevice { .. }
            | Self::FileSystemWithoutKnownDevice { .. }
            | Self::OverlayOutside { .. } => true,
            Self::FileSystemOnNoDevice { .. }
            | Self::ZfsPool { .. }
            | Self::OnNetwork { .. }
            | Self::NotMounted
            | Self::Open(_)
            | Self::NotUtf8
            | Self::NoBlockDevice { .. }
            | Self::NoPciDevice
            | Self::NoSuchDevice { .. }
            | Self::TooDeep { .. }
            | Self::AllAmdGpus
            | Self::NoNvidiaGpu { .. }
            | Self::NoNodeOfNvidiaGpu { .. }
            | Self::NoNodeOfIommuGroup { .. }
            | Self::Loopback(_)
            | Self::NoRoute(_)
            | Self::LookUp { .. }
            | Self::NoAddress { .. } => false,
        }
    }
}

/// Why a device in a list has no nodes.
#[derive(Debug, Error)]
pub(crate) enum ListedDeviceError {
    /// It leads to no hardware.
    #[error("{cause}{}", by_number(cause))]
    NoHardware {
        /// Why not.
        cause: HardwareError,
    },
    /// The node of its hardware is unknown.
    #[error(
        "the kernel does not know its node (numa_node is -1: firmware reports none): give one of \
         nodes {online}"
    )]
    UnknownNode {
        /// The machine's nodes.
        online: NodeSet,
    },
}

// Not by `#[from]`: the message has the cause.
impl From<HardwareError> for ListedDeviceError {
    fn from(cause: HardwareError) -> Self {
        Self::NoHardware { cause }
    }
}

fn by_number(error: &HardwareError) -> &'static str {
    if error.is_software() { ": give the node by its number" } else { "" }
}

fn listed(folder: &str, known: &[String]) -> String {
    if known.is_empty() {
        format!("{folder} has none")
    } else {
        format!("there are {}", known.join(", "))
    }
}

fn shown(numbers: Option<(u32, u32)>) -> String {
    numbers.map(|(major, minor)| format!(" {major}:{minor}")).unwrap_or_default()
}
