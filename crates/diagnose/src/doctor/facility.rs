//! What nearfar asks of a machine, and which commands need it: each declared once.

use serde::{Deserialize, Serialize};

/// Declares the facilities: name and use as `nearfar doctor` shows them, the commands that do not
/// work without it, and those that work with less.
macro_rules! facilities {
    ($($(#[$doc:meta])* $Facility:ident {
        name: $name:literal, uses: $uses:literal,
        disables: $disables:expr,
        limits: $limits:expr,
    })+) => {
        /// Something that a machine may allow or not.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        pub enum Facility {
            $($(#[$doc])* $Facility,)+
        }

        impl Facility {
            /// All, in the order of the list.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$Facility),+];

            /// Its name: "memory policies".
            pub fn name(self) -> &'static str {
                match self { $(Self::$Facility => $name,)+ }
            }

            /// What it is used for: "memory on chosen nodes (mbind)".
            pub fn uses(self) -> &'static str {
                match self { $(Self::$Facility => $uses,)+ }
            }

            /// Commands that do not work without it.
            pub fn disables(self) -> &'static [&'static str] {
                match self { $(Self::$Facility => $disables,)+ }
            }

            /// Commands that work with less.
            pub fn limits(self) -> &'static [&'static str] {
                match self { $(Self::$Facility => $limits,)+ }
            }
        }
    };
}

facilities! {
    /// Memory policies: mbind, set_mempolicy, get_mempolicy.
    MemoryPolicy {
        name: "memory policies", uses: "memory on chosen nodes (mbind)",
        disables: &["nearfar run -m", "nearfar run -i"],
        limits: &["nearfar survey"],
    }
    /// Memory policies that later kernels added.
    NewerPolicies {
        name: "newer policies", uses: "weighted interleave, preferred-many, home nodes",
        disables: &["nearfar run -w", "nearfar run -P", "nearfar run -b"],
        limits: &[],
    }
    /// Where pages are, and moving single ones: move_pages.
    PageQuery {
        name: "location of pages", uses: "proof where pages are (move_pages)",
        disables: &["nearfar explain", "nearfar move --nodes"],
        limits: &["nearfar survey", "nearfar top"],
    }
    /// Moving all pages of a process: migrate_pages.
    PageMigration {
        name: "migration of pages", uses: "moving memory of a process (migrate_pages)",
        disables: &["nearfar move --from"],
        limits: &[],
    }
    /// Binding threads to CPUs: sched_setaffinity.
    CpuAffinity {
        name: "CPU affinity", uses: "threads on chosen CPUs",
        disables: &["nearfar survey", "nearfar run -N"],
        limits: &[],
    }
    /// Cpusets of control groups.
    Cpusets {
        name: "cpusets", uses: "programs that set their own affinity",
        disables: &[],
        limits: &["nearfar sweep"],
    }
    /// Keeping pages in memory: mlock.
    LockedMemory {
        name: "locked memory", uses: "memory that is not swapped out (mlock)",
        disables: &[],
        limits: &["nearfar survey"],
    }
    /// Transparent huge pages.
    HugePages {
        name: "huge pages", uses: "latency without TLB misses",
        disables: &[],
        limits: &["nearfar survey", "nearfar caches"],
    }
    /// Huge pages that are reserved.
    HugePagePool {
        name: "huge page pool", uses: "shared memory of huge pages",
        disables: &["nearfar run --shm --huge"],
        limits: &[],
    }
    /// Events of the own thread: perf_event_open.
    ThreadEvents {
        name: "PMU (own thread)", uses: "where loads were served from",
        disables: &[],
        limits: &["nearfar survey", "nearfar explain --try"],
    }
    /// Events of all CPUs: perf_event_open.
    CpuEvents {
        name: "PMU (all CPUs)", uses: "remote accesses of each node",
        disables: &[],
        limits: &["nearfar top"],
    }
    /// Memory traffic of each cache: resctrl.
    MemoryTraffic {
        name: "resctrl", uses: "memory traffic of each node",
        disables: &[],
        limits: &["nearfar top"],
    }
    /// Registers of CPUs: `/dev/cpu/*/msr`.
    CpuRegisters {
        name: "CPU registers", uses: "state of the prefetchers",
        disables: &[],
        limits: &["nearfar survey"],
    }
    /// Physical addresses of own pages: `/proc/self/pagemap`.
    PhysicalAddresses {
        name: "physical addresses", uses: "nodes that the kernel does not show",
        disables: &[],
        limits: &["nearfar hidden"],
    }
    /// Tables of the firmware: ACPI, device tree.
    FirmwareTables {
        name: "firmware tables", uses: "why the kernel shows these nodes",
        disables: &["nearfar firmware"],
        limits: &["nearfar diagnose"],
    }
    /// The kernel's log.
    KernelLog {
        name: "kernel log", uses: "why the kernel shows these nodes",
        disables: &[],
        limits: &["nearfar diagnose"],
    }
    /// Memory of other users' processes.
    OtherProcesses {
        name: "other processes", uses: "memory of other users' processes",
        disables: &["nearfar where PID", "nearfar explain PID"],
        limits: &["nearfar top"],
    }
    /// Writing settings of the kernel.
    KernelSettings {
        name: "kernel settings", uses: "huge pages and balancing, varied",
        disables: &["nearfar sweep --thp", "nearfar sweep --balancing"],
        limits: &[],
    }
    /// Writing which CPUs serve interrupts.
    InterruptAffinity {
        name: "interrupt affinity", uses: "interrupts on near CPUs",
        disables: &["nearfar irq set", "nearfar io --irq"],
        limits: &[],
    }
    /// Asynchronous accesses of files: io_uring.
    AsyncIo {
        name: "io_uring", uses: "disks at depth, by one thread",
        disables: &[],
        limits: &["nearfar io"],
    }
    /// Reading disks past their file systems.
    Disks {
        name: "disks", uses: "disks without a file system",
        disables: &["nearfar io /dev/DISK"],
        limits: &[],
    }
    /// Device files of GPUs.
    Gpus {
        name: "GPUs", uses: "copies to and from GPUs",
        disables: &["nearfar gpu"],
        limits: &[],
    }
}
