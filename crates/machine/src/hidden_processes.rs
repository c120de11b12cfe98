//! Processes that run, and that `/proc` does not show.
//!
//! A process without a folder in `/proc` may have ended, may be hidden from this user (the mount
//! option `hidepid`), or run outside of this PID namespace. The kernel finds hidden processes for a
//! signal; where that proves nothing, they are neither there nor missing.

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use crate::device_node::Mount;
use crate::error::MachineError;
use crate::hidden_by::HiddenBy;
use crate::process_rights::{Capability, ProcessRights};
use crate::source::Source;

/// `PROC_PID_INIT_INO` of `include/linux/proc_ns.h`: the PID namespace of the kernel's start.
const INITIAL_PID_NAMESPACE: &str = "pid:[4026531836]";
/// `PROC_USER_INIT_INO` of `include/linux/proc_ns.h`: the user namespace of the kernel's start.
const INITIAL_USER_NAMESPACE: &str = "user:[4026531837]";
/// Its map of users, and of groups.
const ALL_IDS: [&str; 3] = ["0", "0", "4294967295"];

impl Source {
    /// Why `/proc` does not show all processes; `None` if it does, or in a captured machine.
    ///
    /// # References
    ///
    /// proc(5): hidepid, gid; `has_pid_permissions` in `fs/proc/base.c`; pid_namespaces(7)
    pub fn hidden_by(&self) -> Option<HiddenBy> {
        if self.is_live() { hidden_by(self.unrecorded()) } else { None }
    }

    /// [`HiddenBy::PidNamespace`] if processes outside of this PID namespace are hidden.
    pub(crate) fn hidden_outside(&self) -> Option<HiddenBy> {
        let source = self.unrecorded();
        (self.is_live() && shows_another_namespace(source)).then_some(HiddenBy::PidNamespace)
    }
}

fn hidden_by(source: &Source) -> Option<HiddenBy> {
    if matches!(source.proc_fault(), Some(MachineError::ForeignProc)) {
        return Some(HiddenBy::ForeignProc);
    }
    if hides_by_option(source) {
        return Some(HiddenBy::MountOption);
    }
    // Each PID namespace has a process 1.
    if !source.exists("/proc/1/stat") {
        return Some(HiddenBy::Unknown);
    }
    shows_another_namespace(source).then_some(HiddenBy::PidNamespace)
}

/// Whether `hidepid` is set, and this process is no exception.
fn hides_by_option(source: &Source) -> bool {
    let mounts = source.text("/proc/self/mountinfo").unwrap_or_default();
    let is_proc = |mount: &Mount| mount.point == "/proc" && mount.kind == "proc";
    let Some(mount) = mounts.lines().filter_map(Mount::parse).rfind(is_proc) else {
        return false;
    };
    let option = |name: &str| {
        mount.options.split(',').find_map(|option| option.strip_prefix(name)?.strip_prefix('='))
    };
    let members_see_all = match option("hidepid") {
        None | Some("0" | "off") => return false,
        Some("4" | "ptraceable") => false,
        Some(_) => true,
    };
    let group = option("gid").unwrap_or("0");
    // Within a user namespace, groups have other numbers, and capabilities end at its users.
    let is_exception = || members_see_all && is_member(source, group) || may_trace(source);
    !(is_in_initial_user_namespace(source) && is_exception())
}

/// Whether this process belongs to a group, by number.
fn is_member(source: &Source, group: &str) -> bool {
    let status = source.text("/proc/self/status").unwrap_or_default();
    let value = |key: &str| status.lines().find_map(|line| line.strip_prefix(key));
    let of_files = value("Gid:").and_then(|groups| groups.split_whitespace().nth(3));
    let others = value("Groups:").unwrap_or_default();
    of_files.into_iter().chain(others.split_whitespace()).any(|file| file == group)
}

fn may_trace(source: &Source) -> bool {
    ProcessRights::read(source).has(Capability::CapSysPtrace)
}

fn is_in_initial_user_namespace(source: &Source) -> bool {
    let has_all =
        |file: &str| source.text(file).is_some_and(|ids| ids.split_whitespace().eq(ALL_IDS));
    let link = source.link("/proc/self/ns/user");
    ["/proc/self/uid_map", "/proc/self/gid_map"].into_iter().all(has_all)
        && link.is_none_or(|link| link == INITIAL_USER_NAMESPACE)
}

/// Whether `/proc` shows the own PID namespace, and that is not the initial one.
///
/// # References
///
/// proc_pid_status(5): NSpid has a number for each namespace, from that of the mount inwards
fn shows_another_namespace(source: &Source) -> bool {
    let status = source.text("/proc/self/status").unwrap_or_default();
    let numbers = status.lines().find_map(|line| line.strip_prefix("NSpid:"));
    let link = source.link("/proc/self/ns/pid");
    numbers.is_some_and(|numbers| numbers.split_whitespace().count() == 1)
        && link.is_some_and(|link| link != INITIAL_PID_NAMESPACE)
}

/// Whether the kernel has a process of this PID namespace, visible or not; `None` if that cannot be
/// proven, because a filter answers for the kernel.
///
/// # References
///
/// kill(2): signal 0
pub(crate) fn kernel_has(pid: u32) -> Option<bool> {
    let ask = |pid: i32| Pid::from_raw(pid).map(test_kill_process);
    // No process has this number: PID_MAX_LIMIT is 2^22.
    if ask(i32::MAX) != Some(Err(Errno::SRCH)) {
        return None;
    }
    let Some(answer) = i32::try_from(pid).ok().and_then(ask) else { return Some(false) };
    match answer {
        // A security module denies with EACCES.
        Ok(()) | Err(Errno::PERM | Errno::ACCESS) => Some(true),
        Err(Errno::SRCH) => Some(false),
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OTHER_USER: &str = "Gid:\t65534\t65534\t65534\t65534\nGroups:\t \nNSpid:\t77\n\
                          CapEff:\t0000000000000000\n";
    const ROOT: &str = "Gid:\t5\t5\t5\t5\nGroups:\t5 7\nNSpid:\t77\n\
                        CapEff:\t000001ffffffffff\n";
    const WITHOUT_PTRACE: &str = "Gid:\t0\t0\t0\t0\nNSpid:\t77\nCapEff:\t000001fffff7ffff\n";
    const EVERYONE: &str = "         0          0 4294967295\n";
    const ROOTLESS: &str = "         0       1000          1\n";

    fn seen_with(options: &str, status: &str, users: &str) -> Option<HiddenBy> {
        let mounts = format!(
            "22 27 0:21 / /proc rw,relatime - proc proc rw\n\
             23 27 0:22 / /proc rw,relatime shared:5 - proc proc rw{options}\n\
             24 27 0:23 / /proc/bus rw - tmpfs none rw,hidepid=2\n"
        );
        hidden_by(&Source::from_files([
            ("/proc/self/mountinfo", mounts.as_str()),
            ("/proc/self/status", status),
            ("/proc/self/uid_map", users),
            ("/proc/self/gid_map", users),
            ("/proc/1/stat", "1 (init) S"),
        ]))
    }

    #[test]
    fn the_mount_option_hides_from_users() {
        for options in [",hidepid=1", ",hidepid=invisible", ",hidepid=2,gid=4", ",hidepid=4"] {
            let hidden = seen_with(options, OTHER_USER, EVERYONE);
            assert_eq!(hidden, Some(HiddenBy::MountOption), "{options}");
            assert_eq!(seen_with(options, ROOT, EVERYONE), None, "{options}");
            let rootless = seen_with(options, ROOT, ROOTLESS);
            assert_eq!(rootless, Some(HiddenBy::MountOption), "{options}");
        }
        for options in ["", ",hidepid=0", ",hidepid=off", ",gid=4"] {
            assert_eq!(seen_with(options, OTHER_USER, EVERYONE), None, "{options}");
        }
    }

    #[test]
    fn members_of_a_group_see_all() {
        assert_eq!(seen_with(",hidepid=2", WITHOUT_PTRACE, EVERYONE), None, "group 0 by default");
        let member = OTHER_USER.replace("Groups:\t ", "Groups:\t20 104");
        assert_eq!(seen_with(",hidepid=2,gid=104", &member, EVERYONE), None);
        for options in [",hidepid=2,gid=4", ",hidepid=ptraceable,gid=104"] {
            assert_eq!(seen_with(options, &member, EVERYONE), Some(HiddenBy::MountOption));
        }
        let option = Some(HiddenBy::MountOption);
        assert_eq!(seen_with(",hidepid=4", WITHOUT_PTRACE, EVERYONE), option);
    }

    #[test]
    fn groups_of_a_user_namespace_are_others() {
        let option = Some(HiddenBy::MountOption);
        assert_eq!(seen_with(",hidepid=2", WITHOUT_PTRACE, ROOTLESS), option);
    }

    #[test]
    fn without_the_option_process_1_decides() {
        let files = |first: &'static str| {
            hidden_by(&Source::from_files([
                (first, "1 (init) S"),
                ("/proc/self/status", OTHER_USER),
            ]))
        };
        // A kernel without NUMA has no numa_maps.
        assert_eq!(files("/proc/1/stat"), None);
        assert_eq!(files("/proc/77/stat"), Some(HiddenBy::Unknown));
    }

    #[test]
    fn the_kernel_is_asked_for_processes() {
        assert_eq!(kernel_has(std::process::id()), Some(true));
        for none in [0, 0x3fff_ffff, u32::MAX] {
            assert_eq!(kernel_has(none), Some(false), "{none}");
        }
    }
}
