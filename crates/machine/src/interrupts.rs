//! Interrupts: how often each CPU served them, where they may run, which device has them, and what
//! spreads the work after them.
//!
//! [`InterruptSnapshot`] has what changes while the machine runs; two of them give rates.
//! [`InterruptSetup`] has what a driver or an administrator set. Both only read.
//!
//! References: proc(5) (`/proc/interrupts`), Documentation/core-api/irq/irq-affinity.rst,
//! Documentation/ABI/testing/sysfs-kernel-irq, Documentation/networking/scaling.rst.

mod affinity;
mod balancer;
mod boot_options;
mod config_space;
mod disk_queues;
mod file_value;
mod line;
mod network_queues;
mod served;
mod settable;
mod setting;
mod setup;
mod snapshot;
mod sysfs_line;
mod table;
mod vectors;

pub use affinity::IrqAffinity;
pub use balancer::{Balancer, BalancerState};
pub use boot_options::IrqBootOptions;
pub use config_space::MessageSupport;
pub use disk_queues::{DiskQueue, DiskQueues};
pub use file_value::FileValue;
pub use line::InterruptLine;
pub use network_queues::{NetworkQueues, ReceiveQueue, TransmitQueue};
pub use served::ServedInterrupts;
pub use settable::{SettableInterface, SettableInterrupts};
pub use setting::InterruptSetting;
pub use setup::InterruptSetup;
pub use snapshot::InterruptSnapshot;
pub use table::{InterruptTable, NotInterrupts};
pub use vectors::{IrqVector, VectorKind};

#[cfg(test)]
mod tests;
