//! Why a thread or a page could not be put where it was wanted, and what would help.

use std::io;

use nearfar_model::{Bytes, CpuSet, NodeId, NodeSet};
use thiserror::Error;

/// What the kernel, or care for the rest of the machine, refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// EPERM. Container engines deny the memory-policy calls unless told otherwise.
    #[error(
        "{call} was refused by the kernel (EPERM): in a container seccomp is the likely reason; {}",
        allowed_by(call)
    )]
    NotPermitted {
        /// The system call.
        call: &'static str,
    },
    /// ENOSYS.
    #[error("{call} is missing (ENOSYS): the kernel was built without NUMA, or a seccomp filter hides the call")]
    NotInKernel {
        /// The system call.
        call: &'static str,
    },
    /// EPERM, ESRCH or EACCES when another process is acted upon.
    #[error("{call} on process {pid} was refused ({errno}): it must run, and be yours, or you need CAP_SYS_NICE")]
    NotYourProcess {
        /// The system call.
        call: &'static str,
        /// The process.
        pid: u32,
        /// The kernel's word.
        errno: String,
    },
    /// The kernel knows no such nodes, or they have no memory, or the cpuset leaves them out.
    #[error(
        "{call} does not take nodes {nodes} ({errno}): one may be absent, without memory, or outside this process's cpuset"
    )]
    NoSuchNode {
        /// The system call.
        call: &'static str,
        /// The nodes asked for.
        nodes: NodeSet,
        /// The kernel's word.
        errno: String,
    },
    /// No CPU of a set may be used.
    #[error("none of CPUs {cpus} can be run on: they are absent, offline or outside this process's cpuset")]
    NoSuchCpu {
        /// The CPUs asked for.
        cpus: CpuSet,
    },
    /// Touching so much would risk the kernel's out-of-memory killer.
    #[error(
        "{wanted} wanted on {place} but only {free} free there ({spared} are left alone): free some, or ask for less"
    )]
    TooLittleFree {
        /// "node 1", or "this machine".
        place: String,
        /// The memory asked for.
        wanted: Bytes,
        /// What was free.
        free: Bytes,
        /// What must stay free.
        spared: Bytes,
    },
    /// The kernel had no memory.
    #[error("{call} found no memory for {wanted} ({errno}): free some, ask for less, or raise the memory limit")]
    OutOfMemory {
        /// The system call.
        call: &'static str,
        /// The memory asked for.
        wanted: Bytes,
        /// The kernel's word.
        errno: String,
    },
    /// ENOMEM or EPERM of mlock: a user may lock 8 MiB on most systems. Without sizes, so that equal troubles read equal.
    #[error("mlock stops at the limit on locked memory; ulimit -l raises it, CAP_IPC_LOCK lifts it")]
    LockLimit,
    /// Pages stand elsewhere than the policy said.
    #[error("{strayed} of {pages} pages are not on node {node}: something moved them, or the policy was not kept")]
    Strayed {
        /// The node asked for.
        node: NodeId,
        /// Pages that are elsewhere.
        strayed: usize,
        /// Pages in all.
        pages: usize,
    },
    /// Anything else.
    #[error("{call} failed: {errno}")]
    Failed {
        /// The system call.
        call: &'static str,
        /// The kernel's word.
        errno: String,
    },
}

/// What lets a call through. Docker's and Podman's default profiles tie the memory-policy calls to CAP_SYS_NICE.
fn allowed_by(call: &str) -> &'static str {
    match call {
        "mbind" | "set_mempolicy" | "get_mempolicy" | "move_pages" | "migrate_pages" => {
            "docker run --cap-add SYS_NICE or a seccomp profile allows it"
        }
        _ => "a seccomp profile that allows it helps",
    }
}

impl Refusal {
    /// What the last system call of this thread said when it failed.
    pub(crate) fn last(call: &'static str) -> Self {
        Self::of(call, last_errno())
    }

    /// What an error number means when nothing more is known about the call.
    pub(crate) fn of(call: &'static str, errno: i32) -> Self {
        match errno {
            libc::EPERM => Self::NotPermitted { call },
            libc::ENOSYS => Self::NotInKernel { call },
            _ => Self::Failed { call, errno: describe(errno) },
        }
    }

    /// As [`Refusal::last`], for a call that was given nodes.
    pub(crate) fn last_for_nodes(call: &'static str, nodes: &NodeSet) -> Self {
        match last_errno() {
            errno @ (libc::EINVAL | libc::ENODEV) => {
                Self::NoSuchNode { call, nodes: nodes.clone(), errno: describe(errno) }
            }
            errno => Self::of(call, errno),
        }
    }

    /// As [`Refusal::last`], for a call that was to find memory.
    pub(crate) fn last_for_memory(call: &'static str, wanted: Bytes) -> Self {
        match last_errno() {
            errno @ (libc::ENOMEM | libc::EAGAIN) => Self::OutOfMemory { call, wanted, errno: describe(errno) },
            errno => Self::of(call, errno),
        }
    }

    /// What an error number of mlock(2) means.
    pub(crate) fn of_lock(errno: i32) -> Self {
        match errno {
            libc::ENOMEM | libc::EPERM => Self::LockLimit,
            _ => Self::of("mlock", errno),
        }
    }

    /// As [`Refusal::last_for_nodes`], for a call on another process when `pid` is given.
    pub(crate) fn last_for_process(call: &'static str, pid: Option<u32>, nodes: &NodeSet) -> Self {
        match (pid, last_errno()) {
            (Some(pid), errno @ (libc::EPERM | libc::ESRCH | libc::EACCES)) => {
                Self::NotYourProcess { call, pid, errno: describe(errno) }
            }
            _ => Self::last_for_nodes(call, nodes),
        }
    }
}

/// The error number of this thread's last failed system call.
pub(crate) fn last_errno() -> i32 {
    io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

/// An error number in words, with its number.
pub(crate) fn describe(errno: i32) -> String {
    io::Error::from_raw_os_error(errno).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_refusal_is_one_line_that_names_the_call() {
        let call = "mbind";
        let all = [
            Refusal::of(call, libc::EPERM),
            Refusal::of(call, libc::ENOSYS),
            Refusal::of(call, libc::EFAULT),
            Refusal::NoSuchNode { call, nodes: NodeSet::of(NodeId(9)), errno: describe(libc::EINVAL) },
            Refusal::OutOfMemory { call, wanted: Bytes::mib(2), errno: describe(libc::ENOMEM) },
        ];
        for refusal in all {
            let said = refusal.to_string();
            assert!(said.contains("mbind") && !said.contains('\n'), "{said}");
        }
    }

    #[test]
    fn a_refused_lock_points_at_the_limit_and_not_at_memory() {
        for errno in [libc::ENOMEM, libc::EPERM] {
            let said = Refusal::of_lock(errno).to_string();
            assert!(said.contains("ulimit -l") && said.contains("CAP_IPC_LOCK") && !said.contains("free"), "{said}");
        }
        assert!(matches!(Refusal::of_lock(libc::EAGAIN), Refusal::Failed { call: "mlock", .. }));
    }

    #[test]
    fn a_denied_call_points_at_the_container() {
        let said = Refusal::of("move_pages", libc::EPERM).to_string();
        assert_eq!(
            said,
            "move_pages was refused by the kernel (EPERM): in a container seccomp is the likely reason; \
             docker run --cap-add SYS_NICE or a seccomp profile allows it"
        );
    }
}
