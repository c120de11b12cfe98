//! Who serves a machine's interrupts.
//!
//! [`assess`] joins the devices of nearfar-devices with one or two snapshots of the kernel's
//! counters, in an [`IrqDocument`]:
//!
//! - each interrupt with its device, kind, allowed CPUs, and the CPUs that it runs on;
//! - counts by CPU and node, since boot or between two snapshots, and the share of interrupts that
//!   a far node served;
//! - the queues behind interrupts: RPS, XPS, polling threads, disk queues;
//! - findings: interrupts far from their device, all queues on one CPU, shared lines.
//!
//! Near is a CPU of the device's node, or of the nearest node with CPUs. All else is far.
//!
//! Pure: what is read is an argument. Sentences stand in [`text`].

mod activity;
mod assess;
mod counting;
mod cpu_nodes;
mod document;
mod earlier;
mod findings;
mod grouping;
mod handler_name;
mod saved;
mod serving;
pub mod text;

pub use assess::{IrqInput, assess, assess_saved};
pub use counting::counts_between;
pub use document::{
    CpuCount, CpuFact, CpuInterrupt, DiskQueueCpus, Irq, IrqBalancer, IrqBalancerState, IrqControl,
    IrqDevice, IrqDisk, IrqDocument, IrqFinding, IrqFolded, IrqInterface, IrqKind, IrqPlace,
    IrqQueue, NodeCount, NodeTotal, QueueDirection, ReceiveQueueCpus, SCHEMA, SavedFile, Softirq,
    TransmitQueueCpus,
};
pub use earlier::Earlier;
pub use saved::{NotSaved, SavedInterrupts};
