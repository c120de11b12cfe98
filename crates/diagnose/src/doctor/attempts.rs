//! Tries each facility; nothing is changed.

use std::io;

use nearfar_machine::pmu::{LivePmu, PmuRefusal, node_fills, thread_fills};
use nearfar_machine::{
    Capability, CpusetParent, EventSources, FileAccess, GuardedFile, KernelSwitch, ProcessRights,
    Source,
};
use nearfar_place::{Feature, PlaceCall, current_cpu, physical_addresses};
use rustix::io::Errno;

use super::MissingPolicy;
use super::facility::Facility;
use super::obstruction::Obstruction;

/// Makes a ring of io_uring(7), and closes it.
pub type TryUring = fn() -> io::Result<()>;

/// Why a facility is not available; `None` if it is.
pub fn attempt(
    facility: Facility,
    source: &Source,
    rights: &ProcessRights,
    try_uring: TryUring,
) -> Option<Obstruction> {
    match facility {
        Facility::MemoryPolicy => {
            calls(&[PlaceCall::Mbind, PlaceCall::SetMempolicy, PlaceCall::GetMempolicy])
                .or_else(|| ignored_policies(source))
        }
        Facility::NewerPolicies => {
            newer_policies(source, rights).or_else(|| ignored_policies(source))
        }
        Facility::PageQuery => calls(&[PlaceCall::MovePages]),
        Facility::PageMigration => calls(&[PlaceCall::MigratePages]),
        Facility::CpuAffinity => calls(&[PlaceCall::SchedSetaffinity]),
        Facility::Cpusets => cpusets(source),
        Facility::LockedMemory => locked_memory(rights),
        Facility::HugePages => huge_pages(source),
        Facility::HugePagePool => huge_page_pool(source),
        Facility::ThreadEvents => pmu(thread_fills(&LivePmu, &EventSources::read(source)).err()),
        Facility::CpuEvents => cpu_events(source),
        Facility::MemoryTraffic => guarded(source, GuardedFile::MemoryTraffic),
        Facility::CpuRegisters => guarded(source, GuardedFile::CpuRegisters),
        Facility::PhysicalAddresses => own_physical_addresses(source),
        Facility::FirmwareTables => guarded(source, GuardedFile::FirmwareTable),
        Facility::KernelLog => guarded(source, GuardedFile::KernelLog),
        Facility::OtherProcesses => other_processes(source),
        Facility::KernelSettings => writable(source, KernelSwitch::Thp.path())
            .or_else(|| writable(source, KernelSwitch::Balancing.path())),
        Facility::InterruptAffinity => {
            writable(source, &GuardedFile::InterruptAffinity.path(source))
        }
        Facility::AsyncIo => async_io(source, try_uring),
        Facility::Disks => guarded(source, GuardedFile::Disk),
        Facility::Gpus => guarded(source, GuardedFile::Gpu),
    }
}

fn readable(source: &Source, path: &str) -> Option<Obstruction> {
    Obstruction::to_reading(path, FileAccess::to_read(source, path))
}

fn guarded(source: &Source, file: GuardedFile) -> Option<Obstruction> {
    readable(source, &file.path(source))
}

fn writable(source: &Source, path: &str) -> Option<Obstruction> {
    Obstruction::to_writing(path, FileAccess::to_write(source, path))
}

/// The first call that fails.
fn calls(all: &[PlaceCall]) -> Option<Obstruction> {
    let error = all.iter().find_map(|call| call.attempt().err())?;
    Some(Obstruction::from_place_error(&error))
}

fn newer_policies(source: &Source, rights: &ProcessRights) -> Option<Obstruction> {
    let release = source.kernel_release();
    let attempts = Feature::ALL.into_iter().filter_map(|feature| {
        MissingPolicy::from_attempt(feature, feature.is_supported(), rights, release.as_deref())
            .transpose()
    });
    match attempts.collect::<Result<Vec<_>, _>>() {
        Ok(missing) => (!missing.is_empty()).then_some(Obstruction::Policies { missing }),
        Err(error) => Some(Obstruction::from_place_error(&error)),
    }
}

/// Calls succeed then, and memory goes where the system's policy puts it.
fn ignored_policies(source: &Source) -> Option<Obstruction> {
    let path = GuardedFile::PolicySwitch.path(source);
    let value = source.text(&path).filter(|value| !matches!(value.as_str(), "" | "0" | "N"))?;
    Some(Obstruction::PoliciesIgnored { path, value })
}

fn other_processes(source: &Source) -> Option<Obstruction> {
    let first = guarded(source, GuardedFile::FirstProcess);
    match source.hidden_by() {
        Some(by) if by.is_within_namespace() || first.is_none() => {
            Some(Obstruction::HiddenProcesses { by })
        }
        _ => first,
    }
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
    let path = GuardedFile::HugePagePool.path(source);
    match source.text(&path).and_then(|text| text.parse::<u64>().ok()) {
        Some(0) => Some(Obstruction::EmptyPool),
        Some(_) => None,
        None => Some(Obstruction::Absent { path }),
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

fn own_physical_addresses(source: &Source) -> Option<Obstruction> {
    let path = GuardedFile::PhysicalAddresses.path(source);
    if let Some(reason) = readable(source, &path) {
        return Some(reason);
    }
    let byte = Box::new(1u8);
    let hidden = physical_addresses(&[&raw const *byte]).is_err();
    hidden.then_some(Obstruction::HiddenContents { path })
}

fn async_io(source: &Source, try_uring: TryUring) -> Option<Obstruction> {
    let call = "io_uring_setup".to_owned();
    let error = try_uring().err()?;
    let path = GuardedFile::IoUringSwitch.path(source);
    let switch = source.text(&path).filter(|value| value != "0");
    match (Errno::from_io_error(&error), switch) {
        (Some(Errno::PERM), Some(value)) => Some(Obstruction::SwitchedOff { path, value }),
        (Some(Errno::PERM | Errno::ACCESS), None) => Some(Obstruction::CallRefused { call }),
        (Some(Errno::NOSYS), _) => Some(Obstruction::CallMissing { call }),
        _ => Some(Obstruction::CallFailed { error: format!("{call}: {error}") }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_that_ignore_policies_are_named() {
        let path = "/sys/module/mempolicy/parameters/force_numa";
        let with = |value| ignored_policies(&Source::from_files([(path, value)]));
        for value in ["1", "Y"] {
            let expected =
                Obstruction::PoliciesIgnored { path: path.to_owned(), value: value.to_owned() };
            assert_eq!(with(value), Some(expected));
        }
        assert_eq!((with("0\n"), with("N\n")), (None, None));
        let other = Source::from_files([("/proc/cmdline", "mempolicy.force_numa=1\n")]);
        assert_eq!(ignored_policies(&other), None, "a kernel without the parameter ignores it");
    }
}
