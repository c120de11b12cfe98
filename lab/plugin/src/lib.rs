//! A QEMU plugin that makes each memory access of a guest cost what the machine's description
//! charges.
//!
//! QEMU calls [`qemu_plugin_install`] with the paths of the charges and of the ledger; from then on
//! it calls back for every memory access that user code makes. What an access costs is decided by
//! `nearfar-lab-cost`; here it is waited for. Kernel code runs uncharged and unseen, as fast as the
//! emulator goes; but for drivers of a machine that charges for reaching devices.

mod clock;
mod guest;
mod install;
mod qemu;
mod watch;
mod windows;

pub use install::{qemu_plugin_install, qemu_plugin_version};
