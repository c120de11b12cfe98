//! Files that only some users and containers may open.

use crate::source::Source;

const ACPI_TABLES: &str = "/sys/firmware/acpi/tables";
const BLOCK: &str = "/sys/class/block";
const DEVICE_TREE: &str = "/sys/firmware/fdt";
const INTERRUPTS: &str = "/proc/irq";
const RESCTRL: &str = "/sys/fs/resctrl";

/// A file that only some users and containers may open; of several equal ones the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuardedFile {
    /// Registers of a CPU.
    CpuRegisters,
    /// Physical addresses of this process's pages.
    PhysicalAddresses,
    /// The kernel's log.
    KernelLog,
    /// A table of ACPI, or the device tree.
    FirmwareTable,
    /// Memory of process 1, which belongs to root on a host.
    FirstProcess,
    /// Which CPUs serve an interrupt.
    InterruptAffinity,
    /// Counters of memory traffic.
    MemoryTraffic,
    /// The number of huge pages that are reserved.
    HugePagePool,
    /// Whether io_uring is switched off.
    IoUringSwitch,
    /// Whether the kernel ignores memory policies.
    PolicySwitch,
    /// A whole disk.
    Disk,
    /// A GPU.
    Gpu,
}

impl GuardedFile {
    /// Its path; where there is none, the path that is missing.
    ///
    /// # References
    ///
    /// proc(5), sysfs(5); Documentation/filesystems/resctrl.rst,
    /// Documentation/admin-guide/sysctl/kernel.rst (`io_uring_disabled`); Raspberry Pi's kernel,
    /// pull request 6740 (`force_numa`)
    pub fn path(self, source: &Source) -> String {
        match self {
            Self::CpuRegisters => "/dev/cpu/0/msr".to_owned(),
            Self::PhysicalAddresses => "/proc/self/pagemap".to_owned(),
            Self::KernelLog => "/dev/kmsg".to_owned(),
            Self::FirmwareTable => firmware_table(source),
            Self::FirstProcess => "/proc/1/numa_maps".to_owned(),
            Self::InterruptAffinity => {
                let number = source.numbered(INTERRUPTS, "").first().copied().unwrap_or(0);
                format!("{INTERRUPTS}/{number}/smp_affinity_list")
            }
            // The folder is there where the CPUs count traffic, and empty until it is mounted.
            Self::MemoryTraffic if source.exists(RESCTRL) => format!("{RESCTRL}/mon_data"),
            Self::MemoryTraffic => RESCTRL.to_owned(),
            Self::HugePagePool => "/proc/sys/vm/nr_hugepages".to_owned(),
            Self::IoUringSwitch => "/proc/sys/kernel/io_uring_disabled".to_owned(),
            Self::PolicySwitch => "/sys/module/mempolicy/parameters/force_numa".to_owned(),
            Self::Disk => disk(source),
            Self::Gpu if source.exists("/sys/module/amdgpu") => "/dev/kfd".to_owned(),
            Self::Gpu => "/dev/nvidia0".to_owned(),
        }
    }
}

fn firmware_table(source: &Source) -> String {
    let mut tables =
        source.list(ACPI_TABLES).into_iter().map(|name| format!("{ACPI_TABLES}/{name}"));
    // Folders hold tables that were loaded later, and data.
    match tables.find(|path| source.list(path).is_empty()) {
        Some(table) => table,
        None if source.exists(DEVICE_TREE) => DEVICE_TREE.to_owned(),
        None => ACPI_TABLES.to_owned(),
    }
}

fn disk(source: &Source) -> String {
    let is_disk = |name: &String| {
        source.exists(&format!("{BLOCK}/{name}/device"))
            && !source.exists(&format!("{BLOCK}/{name}/partition"))
    };
    match source.list(BLOCK).into_iter().find(is_disk) {
        Some(name) => format!("/dev/{}", name.replace('!', "/")),
        None => format!("{BLOCK}/*/device"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_several_files_is_named() {
        let source = Source::from_files([
            ("/proc/irq/9/smp_affinity_list", ""),
            ("/proc/irq/24/smp_affinity_list", ""),
            ("/sys/class/block/loop0/size", ""),
            ("/sys/class/block/nvme0n1/device/model", ""),
            ("/sys/firmware/acpi/tables/data/BERT", ""),
            ("/sys/firmware/acpi/tables/SRAT", ""),
            ("/sys/fs/resctrl/info/x", ""),
            ("/sys/module/amdgpu/version", ""),
        ]);
        for (file, path) in [
            (GuardedFile::InterruptAffinity, "/proc/irq/9/smp_affinity_list"),
            (GuardedFile::Disk, "/dev/nvme0n1"),
            (GuardedFile::FirmwareTable, "/sys/firmware/acpi/tables/SRAT"),
            (GuardedFile::MemoryTraffic, "/sys/fs/resctrl/mon_data"),
            (GuardedFile::Gpu, "/dev/kfd"),
        ] {
            assert_eq!(file.path(&source), path);
        }
    }

    #[test]
    fn a_missing_file_has_a_path_too() {
        let source = Source::from_files([("/sys/firmware/fdt", "")]);
        assert_eq!(GuardedFile::FirmwareTable.path(&source), "/sys/firmware/fdt");
        assert_eq!(GuardedFile::MemoryTraffic.path(&source), "/sys/fs/resctrl");
        assert_eq!(GuardedFile::Gpu.path(&source), "/dev/nvidia0");
        assert_eq!(GuardedFile::Disk.path(&source), "/sys/class/block/*/device");
    }
}
