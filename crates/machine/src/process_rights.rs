//! What this process is allowed by the kernel and by a container, as it reports it.

use nearfar_model::Bytes;
use serde::{Deserialize, Serialize};

use crate::source::Source;

/// Rights of this process. What is not readable is null.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ProcessRights {
    /// The user's number; 0 is root.
    pub user: Option<u32>,
    /// Effective capabilities, of those that matter to measuring and placing.
    pub capabilities: Option<Vec<Capability>>,
    /// Whether a seccomp filter checks its system calls.
    pub has_seccomp_filter: Option<bool>,
    /// The container that it runs in: "docker", "podman", "kubernetes", or another engine's name.
    /// Null without an engine's mark, which not every container has.
    pub container: Option<String>,
    /// Memory that it may lock, in bytes; null without a limit, too.
    #[schemars(with = "Option<u64>")]
    pub locked_memory_limit: Option<Bytes>,
}

/// A capability of Linux.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Capability {
    /// Locks memory without a limit.
    CapIpcLock,
    /// Accesses hardware: CPU registers.
    CapSysRawio,
    /// Reads processes of other users.
    CapSysPtrace,
    /// Changes settings; reads physical addresses.
    CapSysAdmin,
    /// Moves memory of other users.
    CapSysNice,
    /// Reads the kernel's log.
    CapSyslog,
    /// Counts events of all CPUs.
    CapPerfmon,
}

impl Capability {
    const ALL: [Self; 7] = [
        Self::CapIpcLock,
        Self::CapSysRawio,
        Self::CapSysPtrace,
        Self::CapSysAdmin,
        Self::CapSysNice,
        Self::CapSyslog,
        Self::CapPerfmon,
    ];

    /// Its bit in `CapEff`.
    ///
    /// # References
    ///
    /// capabilities(7), `include/uapi/linux/capability.h`
    fn bit(self) -> u32 {
        match self {
            Self::CapIpcLock => 14,
            Self::CapSysRawio => 17,
            Self::CapSysPtrace => 19,
            Self::CapSysAdmin => 21,
            Self::CapSysNice => 23,
            Self::CapSyslog => 34,
            Self::CapPerfmon => 38,
        }
    }
}

impl ProcessRights {
    /// Reads them. Never fails.
    ///
    /// # References
    ///
    /// proc_pid_status(5), proc_pid_limits(5)
    pub fn read(source: &Source) -> Self {
        let status = source.text("/proc/self/status").unwrap_or_default();
        let value = |key: &str| {
            status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':').map(str::trim))
        };
        let uids = value("Uid").and_then(|uids| uids.split_whitespace().nth(1));
        let mask = value("CapEff").and_then(|mask| u64::from_str_radix(mask, 16).ok());
        Self {
            user: uids.and_then(|uid| uid.parse().ok()),
            capabilities: mask.map(|mask| {
                Capability::ALL.into_iter().filter(|one| mask & 1 << one.bit() != 0).collect()
            }),
            has_seccomp_filter: value("Seccomp").map(|mode| mode == "2"),
            container: container(source),
            locked_memory_limit: locked_memory_limit(source),
        }
    }

    /// Whether it has a capability; yes if that is not readable.
    pub fn has(&self, capability: Capability) -> bool {
        self.capabilities.as_ref().is_none_or(|all| all.contains(&capability))
    }
}

/// By the marks that engines leave in their containers.
fn container(source: &Source) -> Option<String> {
    if source.exists("/var/run/secrets/kubernetes.io") {
        return Some("kubernetes".to_owned());
    }
    if source.exists("/run/.containerenv") {
        return Some("podman".to_owned());
    }
    if source.exists("/.dockerenv") {
        return Some("docker".to_owned());
    }
    // systemd-nspawn, and engines that follow systemd's CONTAINER_INTERFACE.
    source.text("/run/systemd/container").filter(|name| !name.is_empty())
}

fn locked_memory_limit(source: &Source) -> Option<Bytes> {
    let limits = source.text("/proc/self/limits")?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max locked memory"))?;
    line.split_whitespace().next()?.parse().ok().map(Bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATUS: &str = "Uid:\t1000\t1000\t1000\t1000\nCapEff:\t0000004000800000\nSeccomp:\t2\n";
    const LIMITS: &str = "Limit  Soft Limit  Hard Limit  Units\n\
                          Max locked memory         8388608    8388608    bytes\n";

    #[test]
    fn rights_of_a_container() {
        let rights = ProcessRights::read(&Source::from_files([
            ("/proc/self/status", STATUS),
            ("/proc/self/limits", LIMITS),
            ("/.dockerenv", ""),
        ]));
        assert_eq!((rights.user, rights.has_seccomp_filter), (Some(1000), Some(true)));
        assert_eq!(
            rights.capabilities.as_deref(),
            Some(&[Capability::CapSysNice, Capability::CapPerfmon][..])
        );
        assert_eq!(rights.container.as_deref(), Some("docker"));
        assert_eq!(rights.locked_memory_limit, Some(Bytes::mib(8)));
        assert!(rights.has(Capability::CapPerfmon) && !rights.has(Capability::CapSysAdmin));
    }

    #[test]
    fn engines_are_recognised_by_their_marks() {
        for (path, content, name) in [
            ("/run/.containerenv", "", "podman"),
            ("/var/run/secrets/kubernetes.io/serviceaccount/token", "", "kubernetes"),
            ("/run/systemd/container", "systemd-nspawn\n", "systemd-nspawn"),
        ] {
            let rights = ProcessRights::read(&Source::from_files([(path, content)]));
            assert_eq!(rights.container.as_deref(), Some(name));
        }
    }

    #[test]
    fn what_is_not_readable_is_absent() {
        let rights = ProcessRights::read(&Source::from_files([(
            "/proc/self/limits",
            "Max locked memory  unlimited  unlimited  bytes\n",
        )]));
        assert_eq!(rights, ProcessRights::default());
        assert!(rights.has(Capability::CapSysNice));
    }
}
