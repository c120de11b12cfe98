//! System calls that place memory and threads, tried without any effect.

use std::thread;

use nearfar_model::NodeSet;

use crate::affinity::{affinity, set_affinity};
use crate::get_mempolicy::allowed_nodes;
use crate::mapping::{Mapping, base_page};
use crate::mbind::{ExistingPages, mbind};
use crate::migration::migrate_pages;
use crate::place_error::PlaceError;
use crate::policy::Policy;
use crate::policy_flags::PolicyFlags;
use crate::residency::residences;

/// A system call that a sandbox may deny.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlaceCall {
    /// Sets the policy of a range of memory.
    Mbind,
    /// Sets the policy of a thread.
    SetMempolicy,
    /// Reports policies, and the nodes that are allowed.
    GetMempolicy,
    /// Reports where pages are, and moves single ones.
    MovePages,
    /// Moves all pages of a process.
    MigratePages,
    /// Binds threads to CPUs.
    SchedSetaffinity,
}

impl PlaceCall {
    /// All calls.
    pub const ALL: [Self; 6] = [
        Self::Mbind,
        Self::SetMempolicy,
        Self::GetMempolicy,
        Self::MovePages,
        Self::MigratePages,
        Self::SchedSetaffinity,
    ];

    /// The kernel's name of it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mbind => "mbind",
            Self::SetMempolicy => "set_mempolicy",
            Self::GetMempolicy => "get_mempolicy",
            Self::MovePages => "move_pages",
            Self::MigratePages => "migrate_pages",
            Self::SchedSetaffinity => "sched_setaffinity",
        }
    }

    /// Makes the call so that it changes nothing.
    ///
    /// ```
    /// use nearfar_place::PlaceCall;
    ///
    /// for call in PlaceCall::ALL {
    ///     match call.attempt() {
    ///         Ok(()) => println!("{} works", call.name()),
    ///         Err(error) => println!("{error}"),
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// [`PlaceError::NotPermitted`] where a sandbox denies the call, [`PlaceError::NotInKernel`] on
    /// a kernel without NUMA, and other errors of the call.
    ///
    /// # References
    ///
    /// mbind(2), set_mempolicy(2), get_mempolicy(2), move_pages(2), migrate_pages(2),
    /// sched_setaffinity(2)
    pub fn attempt(self) -> Result<(), PlaceError> {
        match self {
            Self::Mbind => bind_a_page(),
            Self::SetMempolicy => in_thread(
                || Policy::Default.set_for_thread(),
                || {
                    let (policy, flags) = Policy::current_with_flags()?;
                    policy.set_for_thread_with(flags)
                },
            ),
            Self::GetMempolicy => allowed_nodes().map(|_| ()),
            Self::MovePages => {
                let byte = Box::new(1u8);
                residences(&[&raw const *byte]).map(|_| ())
            }
            // From no node: nothing moves.
            Self::MigratePages => {
                let nodes = allowed_nodes().unwrap_or_default();
                migrate_pages(None, &NodeSet::new(), &nodes).map(|_| ())
            }
            Self::SchedSetaffinity => in_thread(same_affinity, same_affinity),
        }
    }
}

fn bind_a_page() -> Result<(), PlaceError> {
    let page = Mapping::plain(base_page())?;
    let (policy, flags) = (Policy::Default, PolicyFlags::default());
    mbind(page.start(), page.length(), &policy, flags, ExistingPages::Stay)
        .map_err(|errno| PlaceError::from_errno("mbind", errno))
}

fn same_affinity() -> Result<(), PlaceError> {
    set_affinity(&affinity()?).map(|_| ())
}

/// In a thread of its own, whose placement ends with it. Where none can be started (`ulimit -u`,
/// `pids.max`), this thread sets what it has already.
fn in_thread(
    attempt: impl FnOnce() -> Result<(), PlaceError> + Send,
    unchanged: impl FnOnce() -> Result<(), PlaceError>,
) -> Result<(), PlaceError> {
    thread::scope(|scope| match thread::Builder::new().spawn_scoped(scope, attempt) {
        Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        Err(_) => unchanged(),
    })
}

#[cfg(test)]
mod tests {
    use nearfar_model::NodeSet;

    use super::*;
    use crate::tests::denied_calls::{Denied, without};

    #[test]
    fn attempts_change_nothing() {
        let nodes = allowed_nodes().unwrap();
        let first = NodeSet::from_id(nodes.first().unwrap());
        Policy::Bind(first.clone()).set_for_thread().unwrap();
        let cpus = affinity().unwrap();
        for call in PlaceCall::ALL {
            assert_eq!(call.attempt(), Ok(()), "{call:?}");
        }
        assert_eq!(Policy::current().unwrap(), Policy::Bind(first));
        assert_eq!(affinity().unwrap(), cpus);
        Policy::Default.set_for_thread().unwrap();
    }

    #[test]
    fn each_call_reports_its_own_denial() {
        let calls = [
            (PlaceCall::Mbind, libc::SYS_mbind),
            (PlaceCall::SetMempolicy, libc::SYS_set_mempolicy),
            (PlaceCall::GetMempolicy, libc::SYS_get_mempolicy),
            (PlaceCall::MovePages, libc::SYS_move_pages),
            (PlaceCall::MigratePages, libc::SYS_migrate_pages),
            (PlaceCall::SchedSetaffinity, libc::SYS_sched_setaffinity),
        ];
        for (call, number) in calls {
            let denied = without(&[number], Denied::Eperm, || call.attempt());
            assert_eq!(denied, Err(PlaceError::NotPermitted { call: call.name() }));
            let missing = without(&[number], Denied::Enosys, || call.attempt());
            assert_eq!(missing, Err(PlaceError::NotInKernel { call: call.name() }));
        }
    }
}
