//! Tries each facility; nothing is changed.

use nearfar_doctor::{Facility, LackingPolicy, Obstruction};
use nearfar_machine::{
    Capability, CpusetParent, EventSources, FileAccess, FileContents, KernelSwitch, ProcessRights,
    Source,
};
use nearfar_place::{Feature, PlaceCall, current_cpu, physical_addresses};
use nearfar_pmu::{LivePmu, PmuRefusal, node_fills, thread_fills};
use nearfar_probe::io::try_uring;
use rustix::io::Errno;

const ACPI_TABLES: &str = "/sys/firmware/acpi/tables";
const DEVICE_TREE: &str = "/sys/firmware/fdt";
const IO_URING_SWITCH: &str = "/proc/sys/kernel/io_uring_disabled";
const PAGEMAP: &str = "/proc/self/pagemap";
const RESCTRL: &str = "/sys/fs/resctrl";

/// Why a facility is not available; `None` if it is.
pub(super) fn attempt(
    facility: Facility,
    source: &Source,
    rights: &ProcessRights,
) -> Option<Obstruction> {
    match facility {
        Facility::MemoryPolicy => {
            calls(&[PlaceCall::Mbind, PlaceCall::SetMempolicy, PlaceCall::GetMempolicy])
        }
        Facility::NewerPolicies => newer_policies(),
        Facility::PageQuery => calls(&[PlaceCall::MovePages]),
        Facility::PageMigration => calls(&[PlaceCall::MigratePages]),
        Facility::CpuAffinity => calls(&[PlaceCall::SchedSetaffinity]),
        Facility::Cpusets => cpusets(source),
        Facility::LockedMemory => locked_memory(rights),
        Facility::HugePages => huge_pages(source),
        Facility::HugePagePool => huge_page_pool(source),
        Facility::ThreadEvents => pmu(thread_fills(&LivePmu, &EventSources::read(source)).err()),
        Facility::CpuEvents => cpu_events(source),
        Facility::MemoryTraffic => memory_traffic(source),
        Facility::CpuRegisters => readable(source, "/dev/cpu/0/msr"),
        Facility::PhysicalAddresses => own_physical_addresses(source),
        Facility::FirmwareTables => firmware_tables(source),
        Facility::KernelLog => readable(source, "/dev/kmsg"),
        Facility::OtherProcesses => other_processes(source, rights),
        Facility::KernelSettings => writable(source, KernelSwitch::Thp.path())
            .or_else(|| writable(source, KernelSwitch::Balancing.path())),
        Facility::InterruptAffinity => interrupt_affinity(source),
        Facility::AsyncIo => async_io(source),
        Facility::Disks => disks(source),
        Facility::Gpus => gpus(source),
    }
}

fn readable(source: &Source, path: &str) -> Option<Obstruction> {
    Obstruction::to_reading(path, FileAccess::to_read(source, path))
}

fn writable(source: &Source, path: &str) -> Option<Obstruction> {
    Obstruction::to_writing(path, FileAccess::to_write(source, path))
}

/// The first call that fails.
fn calls(all: &[PlaceCall]) -> Option<Obstruction> {
    let error = all.iter().find_map(|call| call.attempt().err())?;
    Some(Obstruction::from_place_error(&error))
}

fn newer_policies() -> Option<Obstruction> {
    let mut lacking = Vec::new();
    for feature in Feature::ALL {
        match feature.is_supported() {
            Ok(true) => {}
            Ok(false) => lacking.push(LackingPolicy::from(feature)),
            Err(error) => return Some(Obstruction::from_place_error(&error)),
        }
    }
    (!lacking.is_empty()).then_some(Obstruction::OldKernel { policies: lacking })
}

/// A group below the own one needs a writable folder, and in version 2 the controller.
fn cpusets(source: &Source) -> Option<Obstruction> {
    let parent = match CpusetParent::find(source) {
        Ok(parent) => parent,
        Err(reason) => return Some(Obstruction::from_no_cpusets(reason)),
    };
    let path = parent.switch.unwrap_or_else(|| format!("{}/cgroup.procs", parent.folder));
    writable(source, &path)
}

fn locked_memory(rights: &ProcessRights) -> Option<Obstruction> {
    let bytes = rights.locked_memory_limit?;
    (!rights.has(Capability::CapIpcLock)).then_some(Obstruction::LockLimit { bytes })
}

fn huge_pages(source: &Source) -> Option<Obstruction> {
    let path = KernelSwitch::Thp.path();
    match KernelSwitch::Thp.current(source) {
        Some("never") => {
            Some(Obstruction::SwitchedOff { path: path.into(), value: "never".into() })
        }
        Some(_) => None,
        None => readable(source, path),
    }
}

fn huge_page_pool(source: &Source) -> Option<Obstruction> {
    let path = "/proc/sys/vm/nr_hugepages";
    match source.text(path).and_then(|text| text.parse::<u64>().ok()) {
        Some(0) => Some(Obstruction::EmptyPool),
        Some(_) => None,
        None => Some(Obstruction::Absent { path: path.to_owned() }),
    }
}

fn pmu(refusal: Option<PmuRefusal>) -> Option<Obstruction> {
    refusal.map(|refusal| Obstruction::Pmu { refusal })
}

fn cpu_events(source: &Source) -> Option<Obstruction> {
    match current_cpu() {
        Ok((cpu, node)) => {
            pmu(node_fills(&LivePmu, &EventSources::read(source), [(node, cpu)]).err())
        }
        Err(error) => Some(Obstruction::from_place_error(&error)),
    }
}

fn memory_traffic(source: &Source) -> Option<Obstruction> {
    let (folder, mounted) = (RESCTRL.to_owned(), format!("{RESCTRL}/mon_data"));
    match (source.exists(&folder), source.exists(&mounted)) {
        (false, _) => Some(Obstruction::Absent { path: folder }),
        (true, false) => Some(Obstruction::Absent { path: mounted }),
        (true, true) => None,
    }
}

fn own_physical_addresses(source: &Source) -> Option<Obstruction> {
    if let Some(reason) = readable(source, PAGEMAP) {
        return Some(reason);
    }
    let byte = Box::new(1u8);
    let hidden = physical_addresses(&[&raw const *byte]).is_err();
    hidden.then(|| Obstruction::HiddenContents { path: PAGEMAP.to_owned() })
}

fn firmware_tables(source: &Source) -> Option<Obstruction> {
    let tables = source.list(ACPI_TABLES).into_iter().map(|name| format!("{ACPI_TABLES}/{name}"));
    let mut tables = tables.filter(|path| source.list(path).is_empty());
    match tables.next() {
        Some(table) => readable(source, &table),
        None if source.exists(DEVICE_TREE) => readable(source, DEVICE_TREE),
        None => Some(Obstruction::Absent { path: ACPI_TABLES.to_owned() }),
    }
}

/// Process 1 is root's, unless all processes are this user's own.
fn other_processes(source: &Source, rights: &ProcessRights) -> Option<Obstruction> {
    let path = "/proc/1/numa_maps";
    match source.contents(path) {
        FileContents::Bytes(_) => None,
        FileContents::Denied => Some(Obstruction::Unreadable { path: path.to_owned() }),
        // Some kernels give no numa_maps; then a missing capability decides.
        FileContents::Absent => (!rights.has(Capability::CapSysPtrace))
            .then(|| Obstruction::Absent { path: path.to_owned() }),
    }
}

fn interrupt_affinity(source: &Source) -> Option<Obstruction> {
    let folder = "/proc/irq";
    let is_number = |name: &String| name.bytes().all(|byte| byte.is_ascii_digit());
    match source.list(folder).into_iter().find(is_number) {
        Some(number) => writable(source, &format!("{folder}/{number}/smp_affinity_list")),
        None => Some(Obstruction::Absent { path: folder.to_owned() }),
    }
}

fn async_io(source: &Source) -> Option<Obstruction> {
    let call = "io_uring_setup".to_owned();
    let error = try_uring().err()?;
    let switch = source.text(IO_URING_SWITCH).filter(|value| value != "0");
    match (Errno::from_io_error(&error), switch) {
        (Some(Errno::PERM), Some(value)) => {
            Some(Obstruction::SwitchedOff { path: IO_URING_SWITCH.to_owned(), value })
        }
        (Some(Errno::PERM | Errno::ACCESS), None) => Some(Obstruction::CallRefused { call }),
        (Some(Errno::NOSYS), _) => Some(Obstruction::CallMissing { call }),
        _ => Some(Obstruction::CallFailed { error: format!("{call}: {error}") }),
    }
}

/// The first disk: others have the same owner.
fn disks(source: &Source) -> Option<Obstruction> {
    let is_disk = |name: &String| {
        let has_device = source.exists(&format!("/sys/class/block/{name}/device"));
        has_device && !source.exists(&format!("/sys/class/block/{name}/partition"))
    };
    match source.list("/sys/class/block").into_iter().find(is_disk) {
        Some(name) => readable(source, &format!("/dev/{}", name.replace('!', "/"))),
        None => Some(Obstruction::Absent { path: "/sys/class/block/*/device".to_owned() }),
    }
}

/// NVIDIA's first GPU, or those of AMD.
fn gpus(source: &Source) -> Option<Obstruction> {
    let is_amd = source.exists("/sys/module/amdgpu");
    readable(source, if is_amd { "/dev/kfd" } else { "/dev/nvidia0" })
}
