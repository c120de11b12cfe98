//! What programs could not shake off.

use crate::cpusets::{CpusetError, Enforcement};

/// A sentence or two.
pub(crate) fn sentence(held: &Enforcement) -> String {
    let no_cpusets = held.why_not.as_ref().map(|why| format!("; no cpusets: {}", no_cpusets(why)));
    let means = match &held.cpusets {
        Some(interface) => format!("cpusets ({interface}), affinity and memory policy."),
        None => {
            let no_cpusets = no_cpusets.unwrap_or_default();
            format!("affinity and memory policy, which programs can change themselves{no_cpusets}.")
        }
    };
    let changed =
        if held.changed { " Runs before --resume were enforced differently." } else { "" };
    format!("{means}{changed}")
}

/// Why there are none.
pub(super) fn no_cpusets(why: &CpusetError) -> String {
    match why {
        CpusetError::Unwanted => "disabled by --no-cpusets".to_owned(),
        CpusetError::NoHome { error } => error.clone(),
        CpusetError::NotSwitchedOn { file, error } => {
            format!("cannot switch the controller 'cpuset' on in {file}: {error}")
        }
        CpusetError::NotMade { folder, error } => format!("cannot make {folder}: {error}"),
        CpusetError::NotBound { file, value, error } => {
            format!("cannot write {value} to {file}: {error}")
        }
        CpusetError::NotEntered { file, error } => format!("cannot enter {file}: {error}"),
        CpusetError::NoThread { error } => {
            format!("a thread for a cpuset cannot be started: {error}")
        }
        CpusetError::ThreadEnded => "the thread for a cpuset ended".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enforcement_has_its_reason() {
        let had = Enforcement::from_cpusets(Ok("cgroup v2"));
        assert_eq!(sentence(&had), "cpusets (cgroup v2), affinity and memory policy.");
        let error = "Read-only file system (os error 30)".to_owned();
        let refusal = CpusetError::NotMade { folder: "/sys/x".to_owned(), error };
        let lacking = Enforcement::from_cpusets(Err(refusal)).after(Some(&had));
        let expected = "affinity and memory policy, which programs can change themselves; no \
                        cpusets: cannot make /sys/x: Read-only file system (os error 30). Runs \
                        before --resume were enforced differently.";
        assert_eq!(sentence(&lacking), expected);
    }
}
