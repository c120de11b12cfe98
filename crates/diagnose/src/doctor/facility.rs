//! What nearfar asks of a machine, and which commands need it.

use serde::{Deserialize, Serialize};

/// Something that a machine may allow or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Facility {
    /// Memory policies: mbind, set_mempolicy, get_mempolicy.
    MemoryPolicy,
    /// Memory policies that later kernels added.
    NewerPolicies,
    /// Where pages are, and moving single ones: move_pages.
    PageQuery,
    /// Moving all pages of a process: migrate_pages.
    PageMigration,
    /// Binding threads to CPUs: sched_setaffinity.
    CpuAffinity,
    /// Cpusets of control groups.
    Cpusets,
    /// Keeping pages in memory: mlock.
    LockedMemory,
    /// Transparent huge pages.
    HugePages,
    /// Huge pages that are reserved.
    HugePagePool,
    /// Events of the own thread: perf_event_open.
    ThreadEvents,
    /// Events of all CPUs: perf_event_open.
    CpuEvents,
    /// Memory traffic of each cache: resctrl.
    MemoryTraffic,
    /// Registers of CPUs: `/dev/cpu/*/msr`.
    CpuRegisters,
    /// Physical addresses of own pages: `/proc/self/pagemap`.
    PhysicalAddresses,
    /// Tables of the firmware: ACPI, device tree.
    FirmwareTables,
    /// The kernel's log.
    KernelLog,
    /// Memory of other users' processes.
    OtherProcesses,
    /// Writing settings of the kernel.
    KernelSettings,
    /// Writing which CPUs serve interrupts.
    InterruptAffinity,
    /// Asynchronous accesses of files: io_uring.
    AsyncIo,
    /// Reading disks past their file systems.
    Disks,
    /// Device files of GPUs.
    Gpus,
}

impl Facility {
    /// All, in the order of the list.
    pub const ALL: [Self; 22] = [
        Self::MemoryPolicy,
        Self::NewerPolicies,
        Self::PageQuery,
        Self::PageMigration,
        Self::CpuAffinity,
        Self::Cpusets,
        Self::LockedMemory,
        Self::HugePages,
        Self::HugePagePool,
        Self::ThreadEvents,
        Self::CpuEvents,
        Self::MemoryTraffic,
        Self::CpuRegisters,
        Self::PhysicalAddresses,
        Self::FirmwareTables,
        Self::KernelLog,
        Self::OtherProcesses,
        Self::KernelSettings,
        Self::InterruptAffinity,
        Self::AsyncIo,
        Self::Disks,
        Self::Gpus,
    ];

    /// Commands that do not work without it.
    pub fn disables(self) -> &'static [&'static str] {
        match self {
            Self::MemoryPolicy => &["nearfar run -m", "nearfar run -i"],
            Self::NewerPolicies => &["nearfar run -w", "nearfar run -P", "nearfar run -b"],
            Self::PageQuery => &["nearfar explain", "nearfar move --nodes"],
            Self::PageMigration => &["nearfar migrate"],
            Self::CpuAffinity => &["nearfar survey", "nearfar run -N"],
            Self::HugePagePool => &["nearfar run --shm --huge"],
            Self::FirmwareTables => &["nearfar firmware"],
            Self::OtherProcesses => &["nearfar where PID", "nearfar explain PID"],
            Self::KernelSettings => &["nearfar sweep --thp", "nearfar sweep --balancing"],
            Self::InterruptAffinity => &["nearfar irq set", "nearfar io --irq"],
            Self::Disks => &["nearfar io /dev/DISK"],
            Self::Gpus => &["nearfar gpu"],
            Self::Cpusets
            | Self::LockedMemory
            | Self::HugePages
            | Self::ThreadEvents
            | Self::CpuEvents
            | Self::MemoryTraffic
            | Self::CpuRegisters
            | Self::PhysicalAddresses
            | Self::KernelLog
            | Self::AsyncIo => &[],
        }
    }

    /// Commands that work with less.
    pub fn limits(self) -> &'static [&'static str] {
        match self {
            Self::MemoryPolicy | Self::LockedMemory | Self::CpuRegisters => &["nearfar survey"],
            Self::PageQuery => &["nearfar survey", "nearfar top"],
            Self::Cpusets => &["nearfar sweep"],
            Self::HugePages => &["nearfar survey", "nearfar caches"],
            Self::ThreadEvents => &["nearfar survey", "nearfar explain --try"],
            Self::CpuEvents | Self::MemoryTraffic | Self::OtherProcesses => &["nearfar top"],
            Self::PhysicalAddresses => &["nearfar hidden"],
            Self::FirmwareTables | Self::KernelLog => &["nearfar diagnose"],
            Self::AsyncIo => &["nearfar io"],
            Self::NewerPolicies
            | Self::PageMigration
            | Self::CpuAffinity
            | Self::HugePagePool
            | Self::KernelSettings
            | Self::InterruptAffinity
            | Self::Disks
            | Self::Gpus => &[],
        }
    }
}
