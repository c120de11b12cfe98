//! Why a facility is not available.

use nearfar_machine::HiddenBy;
use nearfar_machine::pmu::text as pmu;
use nearfar_view::text::paragraph::sentence;

use crate::doctor::{MissingCause, MissingPolicy, Obstruction};

/// The reason, as a sentence.
pub(super) fn reason(reason: &Obstruction) -> String {
    match reason {
        Obstruction::CallRefused { call } => {
            format!("{call} was refused (EPERM). A seccomp filter is the likely reason.")
        }
        Obstruction::CallMissing { call } => {
            format!(
                "{call} is missing (ENOSYS): not in this kernel, or hidden by a seccomp filter."
            )
        }
        Obstruction::CallFailed { error } => sentence(error),
        Obstruction::Policies { missing } => policies(missing),
        Obstruction::HiddenProcesses { by } => hidden_processes(*by).to_owned(),
        Obstruction::Pmu { refusal } => sentence(&pmu::refusal(refusal)),
        Obstruction::Unreadable { path } => {
            format!("{path} exists, and this process may not read it.")
        }
        Obstruction::Unwritable { path } => {
            format!("{path} exists, and this process may not write it.")
        }
        Obstruction::ReadOnly { path } => format!("{path} is on a read-only file system."),
        Obstruction::Absent { path } => format!("{path} does not exist here."),
        Obstruction::HiddenContents { path } => {
            format!("{path} is readable, and hides its contents from this user.")
        }
        Obstruction::LockLimit { bytes } => format!("This process may lock {bytes} of memory."),
        Obstruction::SwitchedOff { path, value } => format!("{path} is '{value}'."),
        Obstruction::PoliciesIgnored { path, value } => {
            format!("The kernel ignores mbind and set_mempolicy: {path} is '{value}'.")
        }
        Obstruction::EmptyPool => "No huge pages are reserved.".to_owned(),
        Obstruction::CpusetsNotMounted => "No control groups with cpusets are mounted.".to_owned(),
        Obstruction::GroupHidden { group } => {
            format!("The control group of this process ({group}) is not visible here.")
        }
        Obstruction::CpusetsNotDelegated { group } => {
            format!("The controller 'cpuset' is not delegated to the control group {group}.")
        }
    }
}

fn hidden_processes(by: HiddenBy) -> &'static str {
    match by {
        HiddenBy::MountOption => {
            "Processes of other users may be hidden (hidepid, a mount option of /proc)."
        }
        HiddenBy::PidNamespace => "Only processes of this PID namespace are visible.",
        HiddenBy::ForeignProc => "The mounted /proc is of another PID namespace.",
        HiddenBy::Unknown => {
            "Process 1 is not visible, without hidepid: a security module may hide it."
        }
    }
}

/// A sentence for each cause.
fn policies(missing: &[MissingPolicy]) -> String {
    let of = |cause: MissingCause| {
        let those = missing.iter().filter(|policy| policy.cause == cause);
        let names: Vec<_> =
            those.map(|policy| format!("{} (Linux {})", policy.name, policy.since)).collect();
        let names = (!names.is_empty()).then(|| names.join(", "))?;
        Some(match cause {
            MissingCause::Kernel => format!("This kernel lacks {names}."),
            MissingCause::KernelOrFilter => {
                format!("This kernel lacks, or a seccomp filter hides, {names}.")
            }
            MissingCause::Filter => format!("A seccomp filter hides {names}."),
            MissingCause::Refused => format!("Refused (EPERM): {names}."),
        })
    };
    let causes = [
        MissingCause::Kernel,
        MissingCause::KernelOrFilter,
        MissingCause::Filter,
        MissingCause::Refused,
    ];
    causes.into_iter().filter_map(of).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The codes of all reasons, and their figures.
    const ALL: &str = r#"[
        {"code": "call-refused", "call": "mbind"},
        {"code": "call-missing", "call": "mbind"},
        {"code": "call-failed", "error": "mbind failed: Bad address (os error 14)"},
        {"code": "policies", "missing": [
            {"name": "x", "since": "6.9", "used_by": "y", "cause": "kernel"},
            {"name": "a home node", "since": "5.17", "used_by": "y", "cause": "kernel-or-filter"},
            {"name": "z", "since": "5.15", "used_by": "y", "cause": "filter"}]},
        {"code": "hidden-processes", "by": "pid-namespace"},
        {"code": "hidden-processes", "by": "mount-option"},
        {"code": "hidden-processes", "by": "foreign-proc"},
        {"code": "hidden-processes", "by": "unknown"},
        {"code": "pmu", "refusal": {"code": "no-pmu", "guest": true}},
        {"code": "unreadable", "path": "/dev/kmsg"},
        {"code": "unwritable", "path": "/dev/kmsg"},
        {"code": "read-only", "path": "/dev/kmsg"},
        {"code": "absent", "path": "/dev/kmsg"},
        {"code": "hidden-contents", "path": "/proc/self/pagemap"},
        {"code": "lock-limit", "bytes": 8388608},
        {"code": "switched-off", "path": "/sys/x", "value": "never"},
        {"code": "policies-ignored", "path": "/sys/y", "value": "Y"},
        {"code": "empty-pool"},
        {"code": "cpusets-not-mounted"},
        {"code": "group-hidden", "group": "/a"},
        {"code": "cpusets-not-delegated", "group": "/a"}
    ]"#;

    #[test]
    fn each_reason_is_short_and_its_own() {
        let all: Vec<Obstruction> = serde_json::from_str(ALL).unwrap();
        let texts: Vec<String> = all.iter().map(reason).collect();
        for (index, text) in texts.iter().enumerate() {
            assert!(text.ends_with('.') && !texts[..index].contains(text), "{text}");
            let longest = text.split(". ").map(|split| split.split_whitespace().count()).max();
            assert!(longest.unwrap() <= 20, "{text}");
        }
        assert_eq!(
            texts[3],
            "This kernel lacks x (Linux 6.9). This kernel lacks, or a seccomp filter hides, a home \
             node (Linux 5.17). A seccomp filter hides z (Linux 5.15)."
        );
        assert_eq!(texts[14], "This process may lock 8 MiB of memory.");
    }
}
