//! Reads a Linux machine: topology, settings, processes and counters from sysfs and procfs, live or
//! captured.
//!
//! A [`Source`] is the [live](Source::live) machine, or a [captured](Source::open) one in a folder
//! or archive. From it come
//!
//! - [`Topology`]: CPUs, cores, packages, caches, memory nodes, distances, and what this process
//!   may use of them;
//! - [`Environment`]: settings that influence measurements (clocks, idle states, huge pages, page
//!   migration, hypervisors);
//! - [`process`]: memory and threads of a running process;
//! - [`CpusetParent`]: the cgroup in which cpusets can be created;
//! - [`Activity`]: counters to read before and after a run;
//! - [`Inventory`]: PCI functions and other devices, with their nodes, links and interrupts;
//! - [`interrupts`]: counters, allowed CPUs and queues of interrupts;
//! - [`Disk`]: how a disk is driven; [`DiskCounters`]: what was read and written;
//! - [`MachineCounters`]: the kernel's counters of each node; [`MemoryActivity`]: its migrations,
//!   hinting faults and [`Pressure`]; [`TrafficDomains`]: memory traffic by node (resctrl);
//! - [`EventSources`], [`Pmu`]: event sources of perf, and who may use them;
//! - [`ProcessRights`], [`GuardedFile`], [`FileAccess`]: what this process is allowed;
//! - [`HiddenBy`]: why `/proc` does not show all processes;
//! - [`memory_groups`]: memory of control groups by node;
//! - [`node_list`], [`cpu_node_list`], [`cpu_list`]: parse lists of nodes and CPUs, devices
//!   included; [`NearDevice`]: a device by any of its names;
//! - [`NodeTable`]: only the nodes; [`InterleaveWeights`]: the kernel's interleave weights;
//! - [`firmware_tables`], [`kernel_log`], [`memory_map()`], [`present_cpus`], [`sysfs_nodes`]:
//!   input for nearfar-firmware;
//! - [`pmu`]: counters of cores, caches and memory controllers; [`guard`]: settings that are
//!   changed for a while, and restored even after a kill;
//! - [`MachineDocument`]: topology and environment as JSON for scripts.
//!
//! What a kernel does not report is `None`. Malformed values are absent as well, and leave a line
//! in [`Topology::oddities`]: bad input never fails a reading, and is never silent.
//!
//! ```
//! use nearfar_machine::{Source, Topology};
//!
//! let source = Source::from_files([
//!     ("/sys/devices/system/cpu/online", "0-1"),
//!     ("/sys/devices/system/cpu/cpu0/topology/core_cpus_list", "0-1"),
//!     ("/sys/devices/system/cpu/cpu1/topology/core_cpus_list", "0-1"),
//! ]);
//! let topology = Topology::read(&source)?;
//! assert_eq!(topology.cores().len(), 1);
//! assert!(!topology.numa_supported);
//! # Ok::<(), nearfar_machine::MachineError>(())
//! ```
//!
//! Sentences stand in [`text`]. Nothing here measures memory; [`guard`] alone writes.

pub mod activity;
mod addresses;
mod allocations;
mod attribute;
mod available_memory;
mod board;
pub mod capture;
mod cgroup;
mod cpu_limits;
mod cpuset_parent;
mod device_node;
mod disk;
mod disk_limit;
mod document;
pub mod environment;
mod error;
mod event_sources;
mod file_access;
mod firmware_document;
pub mod firmware_tables;
mod gpu_memory;
pub mod guard;
mod guarded_file;
mod hardware_error;
mod hidden_by;
mod hidden_processes;
mod in_threads;
mod interleave_weights;
pub mod interrupts;
pub mod inventory;
pub mod kernel_log;
mod kernel_switch;
mod memory_activity;
mod memory_groups;
mod memory_limits;
mod memory_map;
mod memory_tier;
mod near_device;
mod node_access;
mod node_counters;
mod node_list;
mod own_mapping;
mod page_sizes;
pub mod pci;
pub mod physical_map;
pub mod pmu;
mod present_cpus;
mod pressure;
pub mod process;
mod process_rights;
mod resctrl;
pub mod sent;
mod smi_table;
pub mod source;
mod sysfs_nodes;
pub mod text;
pub mod topology;
mod user_names;
mod user_namespace;

pub use activity::Activity;
pub use allocations::Allocations;
pub use cpu_limits::{CpuLimits, Throttled};
pub use cpuset_parent::{CpusetParent, NoCpusets};
pub use disk::{Disk, DiskCounters};
pub use disk_limit::disk_limit;
pub use document::{MachineDocument, SCHEMA};
pub use environment::{Environment, HypervisorSource, UNKNOWN_HYPERVISOR};
pub use error::MachineError;
pub use event_sources::{EventSources, Pmu, PmuEvent};
pub use file_access::FileAccess;
pub use firmware_document::{FIRMWARE_SCHEMA, FirmwareDocument};
pub use guarded_file::GuardedFile;
pub use hardware_error::HardwareError;
pub use hidden_by::HiddenBy;
pub use interleave_weights::InterleaveWeights;
pub use inventory::{DeviceKind, Inventory, InventoryScope};
pub use kernel_switch::KernelSwitch;
pub use memory_activity::MemoryActivity;
pub use memory_groups::{GroupMemory, MemoryGroup, memory_groups};
pub use memory_limits::{MemoryLimit, memory_limits};
pub use memory_map::memory_map;
pub use memory_tier::MemoryTier;
pub use near_device::{HardwareNode, NearDevice};
pub use node_access::NodeAccess;
pub use node_counters::{CounterValues, HugePool, MachineCounters, NodeCounters};
pub use node_list::{LeftOut, ListContext, RangeRule, cpu_list, cpu_node_list, node_list};
pub use own_mapping::own_numa_maps_line;
pub use page_sizes::PageSizes;
pub use pci::{PciAddress, PciFunction, PciNames};
pub use present_cpus::present_cpus;
pub use pressure::Pressure;
pub use process::Process;
pub use process_rights::{Capability, ProcessRights};
pub use resctrl::{MemoryTraffic, TrafficDomains};
pub use sent::{Sent, SentError};
pub use smi_table::{NotAMatrix, SmiPlace, SmiTable};
pub use source::{FileContents, Source};
pub use sysfs_nodes::sysfs_nodes;
pub use topology::{
    AllowedResources, Cache, CacheKind, Cpu, CpuFamily, CpuKind, CrossedGroup, HugePages,
    MachineIdentity, Node, NodeCrossing, NodeMemory, NodeTable, Package, PackagePart, SideCache,
    Topology,
};
pub use user_names::user_names;
pub use user_namespace::has_all_users;

/// Runs the examples of the README as doctests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
