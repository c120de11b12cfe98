//! Why a thread or a page could not be placed as requested, and what would help.

use std::io;
use std::path::{Path, PathBuf};

use nearfar_model::{Bytes, CpuSet, NodeId, NodeSet};
use thiserror::Error;

use crate::feature::Feature;

/// A request that the kernel, or nearfar's own limits, refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlaceError {
    /// EPERM. Container engines deny the memory-policy calls by default.
    #[error(
        "{call} was refused by the kernel (EPERM): in a container seccomp is the likely reason; {}",
        allowed_by(call)
    )]
    NotPermitted {
        /// The system call.
        call: &'static str,
    },
    /// ENOSYS.
    #[error(
        "{call} is missing (ENOSYS): the kernel was built without NUMA, or a seccomp filter hides \
         the call"
    )]
    NotInKernel {
        /// The system call.
        call: &'static str,
    },
    /// A feature that a later kernel added.
    #[error("this kernel lacks {what}: it needs Linux {since}")]
    KernelLacks {
        /// What is missing.
        what: &'static str,
        /// The release that added it.
        since: &'static str,
    },
    /// Flags that no kernel accepts with this policy.
    #[error("the policy {policy} cannot have these flags: {why}")]
    UnfitFlags {
        /// The policy's name.
        policy: &'static str,
        /// What they would need.
        why: &'static str,
    },
    /// EIO of mbind: existing pages had to follow the policy and could not.
    #[error(
        "mbind: existing pages are not on nodes {nodes} and could not be moved there: drop strict, \
         or free memory there"
    )]
    PagesElsewhere {
        /// The requested nodes.
        nodes: NodeSet,
    },
    /// Home nodes work with bind and preferred-many only.
    #[error(
        "set_mempolicy_home_node needs a range whose policy is bind or preferred-many: set one \
         first"
    )]
    HomeNodeWithoutPolicy,
    /// A privilege is missing.
    #[error("{doing} needs CAP_SYS_NICE: run as root")]
    NeedsSysNice {
        /// The attempted action.
        doing: &'static str,
    },
    /// ESRCH: the other process does not exist.
    #[error("{call}: process {pid} does not exist (or has ended)")]
    ProcessGone {
        /// The system call.
        call: &'static str,
        /// The process.
        pid: u32,
    },
    /// An impossible part of shared memory.
    #[error("{name}: {why}")]
    Region {
        /// The segment or file.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// The kernel would accept a policy there and ignore it.
    #[error(
        "{name} is on {file_system}, which does not support memory policies: use a file on tmpfs, \
         or a segment"
    )]
    NoSharedPolicy {
        /// The file.
        name: String,
        /// Its file system.
        file_system: String,
    },
    /// A file operation failed.
    #[error("{doing} ({}) failed: {why}", path.display())]
    File {
        /// The attempted action.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// EPERM or EACCES: the other process belongs to another user.
    #[error(
        "{call} on process {pid} was refused ({errno}): the process must be yours; otherwise \
         CAP_SYS_NICE and CAP_SYS_PTRACE are needed"
    )]
    NotYourProcess {
        /// The system call.
        call: &'static str,
        /// The process.
        pid: u32,
        /// The kernel's error text.
        errno: String,
    },
    /// Nodes that are absent, without memory, or outside the cpuset.
    #[error(
        "{call} does not accept nodes {nodes} ({errno}): one may be absent, without memory, or \
         outside this process's cpuset"
    )]
    NoSuchNode {
        /// The system call.
        call: &'static str,
        /// The requested nodes.
        nodes: NodeSet,
        /// The kernel's error text.
        errno: String,
    },
    /// None of the CPUs can be used.
    #[error(
        "no thread can run on CPUs {cpus}: they are absent, offline or outside this process's \
         cpuset"
    )]
    NoSuchCpu {
        /// The requested CPUs.
        cpus: CpuSet,
    },
    /// ENOMEM of a call that moves pages: some pages may have moved before memory ran out.
    #[error("{call}: the target nodes are full: free memory there, or name more nodes")]
    NodesFull {
        /// The system call.
        call: &'static str,
    },
    /// A request that could trigger the kernel's out-of-memory killer.
    #[error(
        "{wanted} wanted on {place}, but only {free} available ({reserved} stay reserved): free \
         memory, or use less"
    )]
    TooLittleFree {
        /// "node 1", or "this machine".
        place: String,
        /// The requested memory.
        wanted: Bytes,
        /// The free memory.
        free: Bytes,
        /// What must stay free.
        reserved: Bytes,
    },
    /// The kernel had no memory.
    #[error(
        "{call} failed for {wanted} ({errno}): free memory, use less, or raise the memory limit"
    )]
    OutOfMemory {
        /// The system call.
        call: &'static str,
        /// The requested memory.
        wanted: Bytes,
        /// The kernel's error text.
        errno: String,
    },
    /// EFAULT when pages are allocated: an access would end in SIGBUS, though memory may be free.
    #[error(
        "first touch found no page for some of {wanted}: the file system is full or at its limit \
         (see 'df'), no huge page is left, or the file was truncated"
    )]
    NoPage {
        /// The memory to be touched.
        wanted: Bytes,
    },
    /// ENOMEM or EPERM of mlock: most systems let a user lock 8 MiB. Contains no size, so that
    /// equal errors have equal texts.
    #[error(
        "mlock reached the limit on locked memory; ulimit -l raises it, CAP_IPC_LOCK removes it"
    )]
    LockLimit,
    /// Pages are on other nodes than the one they were bound to.
    #[error(
        "pages that are not on node {node}: {misplaced} of {pages}. Another program moved them, or \
         the kernel did not follow the policy (see nearfar doctor)"
    )]
    OnOtherNodes {
        /// The requested node.
        node: NodeId,
        /// Pages on other nodes.
        misplaced: usize,
        /// All pages.
        pages: usize,
    },
    /// Pages of interleaved memory are on other nodes than those they were bound to.
    #[error(
        "pages that are not on the nodes they were interleaved over: {misplaced} of {pages}. \
         Another program moved them"
    )]
    NotInterleaved {
        /// Pages on other nodes.
        misplaced: usize,
        /// All pages.
        pages: usize,
    },
    /// Every weight is 0.
    #[error("all interleave weights are 0: give at least one node a weight")]
    NoWeights,
    /// Any other error.
    #[error("{call} failed: {errno}")]
    Failed {
        /// The system call.
        call: &'static str,
        /// The kernel's error text.
        errno: String,
    },
}

/// What allows a denied call. Docker's and Podman's default profiles allow the memory-policy calls
/// with CAP_SYS_NICE, but for move_pages and migrate_pages, which they deny to all.
fn allowed_by(call: &str) -> &'static str {
    match call {
        "mbind" | "set_mempolicy" | "get_mempolicy" | "set_mempolicy_home_node" => {
            "docker run --cap-add SYS_NICE or a seccomp profile allows it"
        }
        _ => "a seccomp profile that allows it helps",
    }
}

impl PlaceError {
    /// Whether the call itself is denied, whatever its arguments: by a sandbox, or by a kernel
    /// without NUMA.
    pub fn is_denied(&self) -> bool {
        matches!(self, Self::NotPermitted { .. } | Self::NotInKernel { .. })
    }

    /// The error of this thread's last system call.
    pub(crate) fn last_os_error(call: &'static str) -> Self {
        Self::from_errno(call, last_errno())
    }

    /// The meaning of an error number when nothing else is known.
    pub(crate) fn from_errno(call: &'static str, errno: i32) -> Self {
        match errno {
            libc::EPERM => Self::NotPermitted { call },
            libc::ENOSYS => Self::NotInKernel { call },
            _ => Self::Failed { call, errno: describe(errno) },
        }
    }

    /// As [`PlaceError::from_errno`], for a call with nodes.
    pub(crate) fn for_nodes(call: &'static str, nodes: &NodeSet, errno: i32) -> Self {
        match errno {
            libc::EINVAL | libc::ENODEV => {
                Self::NoSuchNode { call, nodes: nodes.clone(), errno: describe(errno) }
            }
            errno => Self::from_errno(call, errno),
        }
    }

    pub(crate) fn file(doing: &'static str, path: &Path, why: &str) -> Self {
        Self::File { doing, path: path.to_owned(), why: why.to_owned() }
    }

    pub(crate) fn kernel_lacks(feature: Feature) -> Self {
        Self::KernelLacks { what: feature.name(), since: feature.since() }
    }

    /// The error of this thread's last system call, for a call that allocates memory.
    pub(crate) fn last_for_memory(call: &'static str, wanted: Bytes) -> Self {
        match last_errno() {
            errno @ (libc::ENOMEM | libc::EAGAIN) => {
                Self::OutOfMemory { call, wanted, errno: describe(errno) }
            }
            errno => Self::from_errno(call, errno),
        }
    }

    /// The meaning of an error number of mlock(2).
    pub(crate) fn from_lock(errno: i32) -> Self {
        match errno {
            libc::ENOMEM | libc::EPERM => Self::LockLimit,
            _ => Self::from_errno("mlock", errno),
        }
    }

    /// As [`PlaceError::for_nodes`], for a call on another process when `pid` is given.
    /// `denied_to_all` checks whether the call is refused for this process itself too, as seccomp
    /// does.
    pub(crate) fn for_process(
        call: &'static str,
        pid: Option<u32>,
        nodes: &NodeSet,
        errno: i32,
        denied_to_all: impl FnOnce() -> bool,
    ) -> Self {
        match (pid, errno) {
            (_, libc::ENOMEM) => Self::NodesFull { call },
            (Some(pid), libc::ESRCH) => Self::ProcessGone { call, pid },
            (Some(_), libc::EPERM) if denied_to_all() => Self::NotPermitted { call },
            (Some(pid), libc::EPERM | libc::EACCES) => {
                Self::NotYourProcess { call, pid, errno: describe(errno) }
            }
            _ => Self::for_nodes(call, nodes, errno),
        }
    }
}

/// The error number of this thread's last failed system call.
pub(crate) fn last_errno() -> i32 {
    io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

/// The text of an error number, with the number.
pub(crate) fn describe(errno: i32) -> String {
    io::Error::from_raw_os_error(errno).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each case with the word that its message must contain besides the call.
    #[test]
    fn errors_are_one_line_with_the_call() {
        let (call, pid, nodes) = ("mbind", 7, NodeSet::from_id(NodeId(9)));
        let cases = [
            (PlaceError::from_errno(call, libc::EPERM), "seccomp"),
            (PlaceError::from_errno(call, libc::ENOSYS), "without NUMA"),
            (PlaceError::from_errno(call, libc::EFAULT), "Bad address"),
            (PlaceError::for_nodes(call, &nodes, libc::EINVAL), "nodes 9"),
            (PlaceError::for_process(call, Some(pid), &nodes, libc::ESRCH, || false), "process 7"),
            (PlaceError::for_process(call, Some(pid), &nodes, libc::EPERM, || false), "process 7"),
            (PlaceError::for_process(call, Some(pid), &nodes, libc::EPERM, || true), "seccomp"),
            (PlaceError::for_process(call, None, &nodes, libc::ENOMEM, || false), "full"),
            (
                PlaceError::OutOfMemory {
                    call,
                    wanted: Bytes::mib(2),
                    errno: describe(libc::ENOMEM),
                },
                "2 MiB",
            ),
        ];
        for (place_error, about) in cases {
            let message = place_error.to_string();
            assert!(
                message.contains("mbind") && message.contains(about) && !message.contains('\n'),
                "{about}: {message}"
            );
        }
    }

    #[test]
    fn a_refused_lock_names_the_limit() {
        for errno in [libc::ENOMEM, libc::EPERM] {
            let message = PlaceError::from_lock(errno).to_string();
            assert!(
                message.contains("ulimit -l")
                    && message.contains("CAP_IPC_LOCK")
                    && !message.contains("free"),
                "{message}"
            );
        }
        assert!(matches!(
            PlaceError::from_lock(libc::EAGAIN),
            PlaceError::Failed { call: "mlock", .. }
        ));
    }

    #[test]
    fn a_denied_call_mentions_containers() {
        let message = PlaceError::from_errno("move_pages", libc::EPERM).to_string();
        assert_eq!(
            message,
            "move_pages was refused by the kernel (EPERM): in a container seccomp is the likely \
             reason; a seccomp profile that allows it helps"
        );
    }
}
