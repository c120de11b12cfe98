//! What makes a facility available, by the reason why it is not.

use nearfar_firmware::linux::KernelVersion;
use nearfar_machine::pmu::PmuRefusal;
use nearfar_machine::{HiddenBy, ProcessRights};

use crate::doctor::FacilityRemedy;
use crate::doctor::facility::Facility;
use crate::doctor::obstruction::Obstruction;
use crate::doctor::{MissingCause, MissingPolicy};

const SECCOMP: ContainerOptions = ContainerOptions {
    docker: "--security-opt seccomp=unconfined",
    kubernetes: "securityContext: {seccompProfile: {type: Unconfined}}",
};
const SYS_NICE: ContainerOptions = ContainerOptions {
    docker: "--cap-add SYS_NICE",
    kubernetes: "securityContext: {capabilities: {add: [SYS_NICE]}}",
};
const PERFMON: ContainerOptions = ContainerOptions {
    docker: "--cap-add PERFMON",
    kubernetes: "securityContext: {capabilities: {add: [PERFMON]}}",
};
const PRIVILEGED: ContainerOptions =
    ContainerOptions { docker: "--privileged", kubernetes: "securityContext: {privileged: true}" };

/// What an engine's user adds.
#[derive(Clone, Copy)]
struct ContainerOptions {
    docker: &'static str,
    kubernetes: &'static str,
}

/// The remedies that this process can use: a container's are options of its engine, and settings of
/// the host.
pub(crate) fn remedies(
    facility: Facility,
    reason: &Obstruction,
    process: &ProcessRights,
) -> Vec<FacilityRemedy> {
    let is_sandbox = match reason {
        Obstruction::CallRefused { .. }
        | Obstruction::HiddenProcesses { by: HiddenBy::PidNamespace }
        | Obstruction::Pmu { refusal: PmuRefusal::Sandbox } => true,
        Obstruction::Policies { missing } => has_cause(missing, MissingCause::Refused),
        _ => false,
    };
    let is_contained = process.container.is_some() || process.has_seccomp_filter == Some(true);
    let mut remedies = host_remedies(facility, reason);
    let is_root = process.user == Some(0);
    remedies.retain(|remedy| !is_root || !matches!(remedy, FacilityRemedy::RunAsRoot { .. }));
    if is_contained || is_sandbox {
        if let Some(options) = container_options(facility, reason) {
            remedies.push(FacilityRemedy::docker(options.docker));
            remedies.push(FacilityRemedy::kubernetes(options.kubernetes));
        }
    }
    remedies
}

fn host_remedies(facility: Facility, reason: &Obstruction) -> Vec<FacilityRemedy> {
    match reason {
        Obstruction::Policies { missing } => {
            newest(missing).map(FacilityRemedy::kernel).into_iter().collect()
        }
        Obstruction::HiddenProcesses { by: HiddenBy::MountOption } => {
            vec![FacilityRemedy::capability("CAP_SYS_PTRACE")]
        }
        Obstruction::HiddenProcesses { by: HiddenBy::ForeignProc } => {
            vec![FacilityRemedy::command("mount -t proc proc /proc")]
        }
        Obstruction::Pmu { refusal } => for_pmu(refusal),
        Obstruction::Unreadable { .. }
        | Obstruction::HiddenContents { .. }
        | Obstruction::Unwritable { .. } => for_file(facility),
        Obstruction::Absent { path } => for_absence(facility, path),
        Obstruction::LockLimit { .. } => {
            vec![
                FacilityRemedy::command("ulimit -l unlimited"),
                FacilityRemedy::capability("CAP_IPC_LOCK"),
            ]
        }
        Obstruction::SwitchedOff { path, .. } if facility == Facility::HugePages => {
            vec![FacilityRemedy::command(&format!("echo madvise > {path}"))]
        }
        Obstruction::SwitchedOff { .. } => {
            vec![FacilityRemedy::command("sysctl kernel.io_uring_disabled=0")]
        }
        Obstruction::PoliciesIgnored { path, .. } => vec![
            FacilityRemedy::configure(
                "the kernel's command line",
                "without mempolicy.force_numa=1",
            ),
            FacilityRemedy::command(&format!("echo 0 > {path}")),
        ],
        Obstruction::EmptyPool => vec![FacilityRemedy::command("sysctl vm.nr_hugepages=512")],
        Obstruction::CpusetsNotDelegated { .. } => {
            vec![FacilityRemedy::command(
                "systemd-run --scope -p Delegate=cpuset nearfar sweep ...",
            )]
        }
        Obstruction::CallMissing { .. } if facility != Facility::AsyncIo => {
            vec![FacilityRemedy::configure("the kernel", "CONFIG_NUMA=y")]
        }
        Obstruction::CallRefused { .. }
        | Obstruction::CallMissing { .. }
        | Obstruction::HiddenProcesses { .. }
        | Obstruction::CallFailed { .. }
        | Obstruction::ReadOnly { .. }
        | Obstruction::CpusetsNotMounted
        | Obstruction::GroupHidden { .. } => Vec::new(),
    }
}

/// The release that has all of the policies that this kernel does not have, or may not have.
fn newest(missing: &[MissingPolicy]) -> Option<&str> {
    let is_older =
        |cause: MissingCause| matches!(cause, MissingCause::Kernel | MissingCause::KernelOrFilter);
    let older = missing.iter().filter(|policy| is_older(policy.cause));
    older.map(|policy| policy.since.as_str()).max_by_key(|release| KernelVersion::parse(release))
}

fn has_cause(missing: &[MissingPolicy], cause: MissingCause) -> bool {
    missing.iter().any(|policy| policy.cause == cause)
}

fn for_pmu(refusal: &PmuRefusal) -> Vec<FacilityRemedy> {
    match refusal {
        PmuRefusal::NoPmu { guest: true } => {
            vec![FacilityRemedy::configure("the hypervisor", "-cpu host,pmu=on (QEMU)")]
        }
        PmuRefusal::Paranoid { needed, .. } => vec![
            FacilityRemedy::command(&format!("sysctl kernel.perf_event_paranoid={needed}")),
            FacilityRemedy::capability("CAP_PERFMON"),
        ],
        PmuRefusal::TooManyFiles => vec![FacilityRemedy::command("ulimit -n unlimited")],
        PmuRefusal::CountersBusy { nmi_watchdog: true } => {
            vec![FacilityRemedy::command("sysctl kernel.nmi_watchdog=0")]
        }
        PmuRefusal::NoPmu { guest: false }
        | PmuRefusal::CountersBusy { nmi_watchdog: false }
        | PmuRefusal::UnknownCpu { .. }
        | PmuRefusal::UnknownArchitecture
        | PmuRefusal::Sandbox
        | PmuRefusal::NotSupported
        | PmuRefusal::Failed { .. } => Vec::new(),
    }
}

/// For files that others may read or write.
fn for_file(facility: Facility) -> Vec<FacilityRemedy> {
    match facility {
        Facility::PhysicalAddresses => vec![FacilityRemedy::capability("CAP_SYS_ADMIN")],
        Facility::OtherProcesses => vec![FacilityRemedy::capability("CAP_SYS_PTRACE")],
        Facility::KernelLog => {
            vec![
                FacilityRemedy::command("sysctl kernel.dmesg_restrict=0"),
                FacilityRemedy::capability("CAP_SYSLOG"),
            ]
        }
        Facility::Gpus => vec![FacilityRemedy::command("usermod -aG render,video $USER")],
        _ => vec![FacilityRemedy::root()],
    }
}

fn for_absence(facility: Facility, path: &str) -> Vec<FacilityRemedy> {
    match facility {
        Facility::CpuRegisters => vec![FacilityRemedy::command("modprobe msr")],
        // The folder is there on machines that can count traffic.
        Facility::MemoryTraffic if path.ends_with("/mon_data") => {
            vec![FacilityRemedy::command("mount -t resctrl resctrl /sys/fs/resctrl")]
        }
        _ => Vec::new(),
    }
}

fn container_options(facility: Facility, reason: &Obstruction) -> Option<ContainerOptions> {
    let is_refused =
        matches!(reason, Obstruction::CallRefused { .. } | Obstruction::CallMissing { .. });
    let options = match facility {
        // No engine's option changes what the host's kernel ignores.
        _ if matches!(reason, Obstruction::PoliciesIgnored { .. }) => return None,
        Facility::MemoryPolicy => SYS_NICE,
        Facility::NewerPolicies => match reason {
            Obstruction::Policies { missing } if has_cause(missing, MissingCause::Refused) => {
                SYS_NICE
            }
            // A profile that is older than the call.
            Obstruction::Policies { missing }
                if has_cause(missing, MissingCause::KernelOrFilter)
                    || has_cause(missing, MissingCause::Filter) =>
            {
                SECCOMP
            }
            _ => return None,
        },
        // The default profiles of Docker and Podman refuse these calls whatever the capabilities.
        Facility::PageQuery
        | Facility::PageMigration
        | Facility::CpuAffinity
        | Facility::AsyncIo
            if is_refused =>
        {
            SECCOMP
        }
        Facility::ThreadEvents | Facility::CpuEvents => match reason {
            Obstruction::Pmu { refusal: PmuRefusal::Sandbox | PmuRefusal::Paranoid { .. } } => {
                PERFMON
            }
            _ => return None,
        },
        _ => return for_devices_and_files(facility, reason),
    };
    Some(options)
}

fn for_devices_and_files(facility: Facility, reason: &Obstruction) -> Option<ContainerOptions> {
    let options = match facility {
        Facility::LockedMemory => ContainerOptions {
            docker: "--ulimit memlock=-1",
            kubernetes: "securityContext: {capabilities: {add: [IPC_LOCK]}}",
        },
        Facility::PhysicalAddresses => ContainerOptions {
            docker: "--cap-add SYS_ADMIN",
            kubernetes: "securityContext: {capabilities: {add: [SYS_ADMIN]}}",
        },
        Facility::OtherProcesses => ContainerOptions {
            docker: "--pid host --cap-add SYS_PTRACE",
            kubernetes: "hostPID: true, securityContext: {capabilities: {add: [SYS_PTRACE]}}",
        },
        Facility::KernelLog => ContainerOptions {
            docker: "--cap-add SYSLOG --device /dev/kmsg",
            kubernetes: PRIVILEGED.kubernetes,
        },
        Facility::CpuRegisters => ContainerOptions {
            docker: "--cap-add SYS_RAWIO --device /dev/cpu/0/msr",
            kubernetes: PRIVILEGED.kubernetes,
        },
        Facility::Disks => ContainerOptions {
            docker: "--device /dev/DISK:/dev/DISK:r",
            kubernetes: PRIVILEGED.kubernetes,
        },
        Facility::Gpus => ContainerOptions {
            docker: "--gpus all (NVIDIA), --device /dev/kfd --device /dev/dri (AMD)",
            kubernetes: "resources: {limits: {nvidia.com/gpu: 1}}, or amd.com/gpu",
        },
        Facility::Cpusets => return for_cpusets(reason),
        Facility::MemoryTraffic if !host_remedies(facility, reason).is_empty() => {
            ContainerOptions {
                docker: "--mount type=bind,src=/sys/fs/resctrl,dst=/sys/fs/resctrl",
                kubernetes: "volumes: [{name: resctrl, hostPath: {path: /sys/fs/resctrl}}]",
            }
        }
        Facility::FirmwareTables | Facility::KernelSettings | Facility::InterruptAffinity => {
            PRIVILEGED
        }
        // Settings of the host and its kernel: no container changes them.
        _ => return None,
    };
    Some(options)
}

fn for_cpusets(reason: &Obstruction) -> Option<ContainerOptions> {
    match reason {
        Obstruction::ReadOnly { .. } | Obstruction::Unwritable { .. } => Some(PRIVILEGED),
        Obstruction::GroupHidden { .. } => Some(ContainerOptions {
            docker: "--cgroupns host --privileged",
            kubernetes: PRIVILEGED.kubernetes,
        }),
        // Neither a controller nor a mount of the host comes with an option.
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(number: u32) -> ProcessRights {
        ProcessRights { user: Some(number), ..ProcessRights::default() }
    }

    fn refused(call: &str) -> Obstruction {
        Obstruction::CallRefused { call: call.to_owned() }
    }

    #[test]
    fn a_capability_allows_policies_and_a_profile_allows_moving() {
        let remedies_of = |facility, call| remedies(facility, &refused(call), &user(0));
        let policy = remedies_of(Facility::MemoryPolicy, "mbind");
        assert_eq!(policy[0], FacilityRemedy::docker("--cap-add SYS_NICE"));
        let moving = remedies_of(Facility::PageQuery, "move_pages");
        assert_eq!(moving[0], FacilityRemedy::docker("--security-opt seccomp=unconfined"));
        let FacilityRemedy::Kubernetes { fields } = &moving[1] else { panic!("{:?}", moving[1]) };
        assert!(fields.contains("seccomp"), "{fields}");
    }

    #[test]
    fn root_is_no_remedy_for_root() {
        let path = "/dev/kmsg".to_owned();
        let reason = Obstruction::Unreadable { path };
        let of = |process: &ProcessRights| remedies(Facility::FirmwareTables, &reason, process);
        assert_eq!(of(&user(1000)), [FacilityRemedy::root()]);
        assert_eq!(of(&user(0)), []);
        let contained = ProcessRights { container: Some("docker".to_owned()), ..user(1000) };
        assert_eq!(
            of(&contained)[..2],
            [FacilityRemedy::root(), FacilityRemedy::docker("--privileged")]
        );
    }

    fn missing(since: &str, cause: MissingCause) -> MissingPolicy {
        MissingPolicy { name: "x".into(), since: since.into(), used_by: "y".into(), cause }
    }

    #[test]
    fn the_newest_release_has_all_policies() {
        let old = |since| missing(since, MissingCause::Kernel);
        let reason = Obstruction::Policies { missing: vec![old("5.17"), old("6.9"), old("5.15")] };
        // A filter cannot hide these.
        let process = ProcessRights { has_seccomp_filter: Some(true), ..user(0) };
        let remedies = remedies(Facility::NewerPolicies, &reason, &process);
        assert_eq!(remedies, [FacilityRemedy::kernel("6.9")]);
    }

    #[test]
    fn a_call_that_a_filter_may_hide_has_both_remedies() {
        let process = ProcessRights { has_seccomp_filter: Some(true), ..user(0) };
        let missing = vec![missing("5.17", MissingCause::KernelOrFilter)];
        let reason = Obstruction::Policies { missing };
        assert_eq!(
            remedies(Facility::NewerPolicies, &reason, &process)[..2],
            [
                FacilityRemedy::kernel("5.17"),
                FacilityRemedy::docker("--security-opt seccomp=unconfined")
            ]
        );
    }

    #[test]
    fn a_newer_kernel_does_not_help_against_a_filter() {
        let process = ProcessRights { has_seccomp_filter: Some(true), ..user(0) };
        let missing = vec![missing("5.17", MissingCause::Filter)];
        let reason = Obstruction::Policies { missing };
        let remedies = remedies(Facility::NewerPolicies, &reason, &process);
        assert_eq!(remedies[0], FacilityRemedy::docker("--security-opt seccomp=unconfined"));
    }

    #[test]
    fn no_option_mounts_cpusets_or_delegates_them() {
        let process = ProcessRights { container: Some("podman".to_owned()), ..user(0) };
        let of = |reason| remedies(Facility::Cpusets, &reason, &process);
        assert_eq!(of(Obstruction::CpusetsNotMounted), []);
        let read_only = of(Obstruction::ReadOnly { path: "/sys/fs/cgroup".to_owned() });
        assert_eq!(read_only[0], FacilityRemedy::docker("--privileged"));
        let delegated = of(Obstruction::CpusetsNotDelegated { group: "/a".to_owned() });
        assert!(matches!(delegated[..], [FacilityRemedy::Command { .. }]), "{delegated:?}");
    }

    #[test]
    fn ignored_policies_are_a_matter_of_the_command_line() {
        let path = "/sys/x".to_owned();
        let reason = Obstruction::PoliciesIgnored { path, value: "Y".to_owned() };
        let process = ProcessRights { container: Some("docker".to_owned()), ..user(0) };
        let remedies = remedies(Facility::MemoryPolicy, &reason, &process);
        let FacilityRemedy::Configure { setting, .. } = &remedies[0] else { panic!() };
        assert_eq!(setting, "without mempolicy.force_numa=1");
        assert_eq!(remedies[1..], [FacilityRemedy::command("echo 0 > /sys/x")]);
    }

    #[test]
    fn a_missing_pmu_and_a_refused_one_differ() {
        let of = |refusal: PmuRefusal| {
            remedies(Facility::CpuEvents, &Obstruction::Pmu { refusal }, &user(1000))
        };
        assert!(matches!(
            &of(PmuRefusal::NoPmu { guest: true })[..],
            [FacilityRemedy::Configure { what, .. }] if what == "the hypervisor"
        ));
        let paranoid = of(PmuRefusal::Paranoid { level: 2, needed: 0 });
        assert_eq!(paranoid[0], FacilityRemedy::command("sysctl kernel.perf_event_paranoid=0"));
        assert_eq!(paranoid[1], FacilityRemedy::capability("CAP_PERFMON"));
        assert_eq!(of(PmuRefusal::Sandbox)[0], FacilityRemedy::docker("--cap-add PERFMON"));
    }
}
