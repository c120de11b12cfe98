//! Why a thread or a page could not be put where it was wanted, and what would help.

use std::io;
use std::path::{Path, PathBuf};

use nearfar_model::{Bytes, CpuSet, NodeId, NodeSet};
use thiserror::Error;

use crate::feature::Feature;

/// What the kernel, or care for the rest of the machine, refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlaceError {
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
    #[error(
        "{call} is missing (ENOSYS): the kernel was built without NUMA, or a seccomp filter hides \
         the call"
    )]
    NotInKernel {
        /// The system call.
        call: &'static str,
    },
    /// The kernel is older than what was asked of it.
    #[error("this kernel does not know {what}: Linux {since} does")]
    KernelLacks {
        /// What it lacks.
        what: &'static str,
        /// The release that brought it.
        since: &'static str,
    },
    /// Flags that never go with this policy.
    #[error("the policy {policy} does not take these flags: {why}")]
    UnfitFlags {
        /// The policy's name.
        policy: &'static str,
        /// What they would need.
        why: &'static str,
    },
    /// EIO of mbind: pages were told to follow and did not.
    #[error(
        "mbind: pages that exist already are not on nodes {nodes} and could not be moved there: \
         drop strict, or free memory there"
    )]
    PagesElsewhere {
        /// The nodes asked for.
        nodes: NodeSet,
    },
    /// A home node is a part of bind and preferred-many only.
    #[error(
        "set_mempolicy_home_node needs a range whose policy is bind or preferred-many: set one \
         first"
    )]
    HomeNodeWithoutPolicy,
    /// Only the administrator may.
    #[error("{doing} needs CAP_SYS_NICE: run as root")]
    NeedsSysNice {
        /// What was tried.
        doing: &'static str,
    },
    /// ESRCH when another process is acted upon.
    #[error("{call}: process {pid} ended, or there never was one")]
    ProcessGone {
        /// The system call.
        call: &'static str,
        /// The process.
        pid: u32,
    },
    /// A part of shared memory that cannot be.
    #[error("{name}: {why}")]
    Region {
        /// The segment or file.
        name: String,
        /// What is wrong with the part.
        why: String,
    },
    /// The kernel would take a policy there, and forget it.
    #[error(
        "{name} is on {file_system}, which keeps no memory policies: use a file on tmpfs, or a \
         segment"
    )]
    NoSharedPolicy {
        /// The file.
        name: String,
        /// Its file system.
        file_system: String,
    },
    /// A file could not be used.
    #[error("{doing} ({}) failed: {why}", path.display())]
    File {
        /// What was tried.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// EPERM or EACCES when another process is acted upon.
    #[error(
        "{call} on process {pid} was refused ({errno}): it must be yours, or you need \
         CAP_SYS_NICE and CAP_SYS_PTRACE"
    )]
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
        "{call} does not take nodes {nodes} ({errno}): one may be absent, without memory, or \
         outside this process's cpuset"
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
    #[error(
        "none of CPUs {cpus} can be run on: they are absent, offline or outside this process's \
         cpuset"
    )]
    NoSuchCpu {
        /// The CPUs asked for.
        cpus: CpuSet,
    },
    /// ENOMEM of a call that moves pages: some may have moved before the room was used up.
    #[error("{call}: the nodes to go to are full: free memory there, or name more nodes")]
    NodesFull {
        /// The system call.
        call: &'static str,
    },
    /// Touching so much would risk the kernel's out-of-memory killer.
    #[error(
        "{wanted} wanted on {place} but only {free} can be had there ({spared} are left alone): \
         free some, or ask for less"
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
    #[error(
        "{call} found no memory for {wanted} ({errno}): free some, ask for less, or raise the \
         memory limit"
    )]
    OutOfMemory {
        /// The system call.
        call: &'static str,
        /// The memory asked for.
        wanted: Bytes,
        /// The kernel's word.
        errno: String,
    },
    /// EFAULT where pages are made: an access would end in SIGBUS, though memory may be free.
    #[error(
        "first touch found no page for some of {wanted}: the file system is full or at its limit \
         ('df' tells), no huge page is left, or the file was cut short"
    )]
    NoPage {
        /// What was to be touched.
        wanted: Bytes,
    },
    /// ENOMEM or EPERM of mlock: a user may lock 8 MiB on most systems. Without sizes, so that
    /// equal troubles read equal.
    #[error(
        "mlock stops at the limit on locked memory; ulimit -l raises it, CAP_IPC_LOCK lifts it"
    )]
    LockLimit,
    /// Pages stand elsewhere than the policy said.
    #[error(
        "{strayed} of {pages} pages are not on node {node}: something moved them, or the policy \
         was not kept"
    )]
    Strayed {
        /// The node asked for.
        node: NodeId,
        /// Pages that are elsewhere.
        strayed: usize,
        /// Pages in all.
        pages: usize,
    },
    /// Pages stand elsewhere than they were dealt out to.
    #[error(
        "{strayed} of {pages} pages are not on the nodes that they were spread over: something \
         moved them"
    )]
    Misdealt {
        /// Pages that are elsewhere.
        strayed: usize,
        /// Pages in all.
        pages: usize,
    },
    /// Nobody was to get any page.
    #[error(
        "memory was to be spread over nodes whose weights are all 0: give one of them a weight"
    )]
    NoWeights,
    /// Anything else.
    #[error("{call} failed: {errno}")]
    Failed {
        /// The system call.
        call: &'static str,
        /// The kernel's word.
        errno: String,
    },
}

/// What lets a call through. Docker's and Podman's default profiles tie the memory-policy calls to
/// CAP_SYS_NICE.
fn allowed_by(call: &str) -> &'static str {
    match call {
        "mbind"
        | "set_mempolicy"
        | "get_mempolicy"
        | "move_pages"
        | "migrate_pages"
        | "set_mempolicy_home_node" => {
            "docker run --cap-add SYS_NICE or a seccomp profile allows it"
        }
        _ => "a seccomp profile that allows it helps",
    }
}

impl PlaceError {
    /// Whether the call itself is denied, whatever it is asked for: by a sandbox, or by a kernel
    /// without NUMA.
    pub fn is_denied(&self) -> bool {
        matches!(self, Self::NotPermitted { .. } | Self::NotInKernel { .. })
    }

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

    /// As [`PlaceError::of`], for a call that was given nodes.
    pub(crate) fn for_nodes(call: &'static str, nodes: &NodeSet, errno: i32) -> Self {
        match errno {
            libc::EINVAL | libc::ENODEV => {
                Self::NoSuchNode { call, nodes: nodes.clone(), errno: describe(errno) }
            }
            errno => Self::of(call, errno),
        }
    }

    pub(crate) fn file(doing: &'static str, path: &Path, why: &str) -> Self {
        Self::File { doing, path: path.to_owned(), why: why.to_owned() }
    }

    pub(crate) fn kernel_lacks(feature: Feature) -> Self {
        Self::KernelLacks { what: feature.name(), since: feature.since() }
    }

    /// As [`PlaceError::last`], for a call that was to find memory.
    pub(crate) fn last_for_memory(call: &'static str, wanted: Bytes) -> Self {
        match last_errno() {
            errno @ (libc::ENOMEM | libc::EAGAIN) => {
                Self::OutOfMemory { call, wanted, errno: describe(errno) }
            }
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

    /// As [`PlaceError::for_nodes`], for a call on another process when `pid` is given.
    /// `denied_to_all` tells whether the call is refused for this process itself too, as seccomp
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

/// An error number in words, with its number.
pub(crate) fn describe(errno: i32) -> String {
    io::Error::from_raw_os_error(errno).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each with what it must name besides the call: what was asked for, and what helps.
    #[test]
    fn every_refusal_is_one_line_that_names_the_call_and_what_it_is_about() {
        let (call, pid, nodes) = ("mbind", 7, NodeSet::of(NodeId(9)));
        let cases = [
            (PlaceError::of(call, libc::EPERM), "seccomp"),
            (PlaceError::of(call, libc::ENOSYS), "without NUMA"),
            (PlaceError::of(call, libc::EFAULT), "Bad address"),
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
            let said = place_error.to_string();
            assert!(
                said.contains("mbind") && said.contains(about) && !said.contains('\n'),
                "{about}: {said}"
            );
        }
    }

    #[test]
    fn a_refused_lock_points_at_the_limit_and_not_at_memory() {
        for errno in [libc::ENOMEM, libc::EPERM] {
            let said = PlaceError::of_lock(errno).to_string();
            assert!(
                said.contains("ulimit -l")
                    && said.contains("CAP_IPC_LOCK")
                    && !said.contains("free"),
                "{said}"
            );
        }
        assert!(matches!(
            PlaceError::of_lock(libc::EAGAIN),
            PlaceError::Failed { call: "mlock", .. }
        ));
    }

    #[test]
    fn a_denied_call_points_at_the_container() {
        let said = PlaceError::of("move_pages", libc::EPERM).to_string();
        assert_eq!(
            said,
            "move_pages was refused by the kernel (EPERM): in a container seccomp is the likely \
             reason; docker run --cap-add SYS_NICE or a seccomp profile allows it"
        );
    }
}
