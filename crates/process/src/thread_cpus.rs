//! The CPUs that a thread may run on, to be given back.

use nearfar_model::CpuSet;
use nearfar_place::{PlaceError, set_thread_affinity, thread_affinity};
use serde::{Deserialize, Serialize};

use crate::error::ProcessError;

/// A thread, and the CPUs that it may run on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ThreadCpus {
    /// Its number.
    pub tid: u32,
    /// The CPUs.
    #[schemars(with = "String")]
    pub cpus: CpuSet,
}

impl ThreadCpus {
    /// Those of a thread that runs.
    ///
    /// # Errors
    ///
    /// It has ended.
    pub fn read(tid: u32) -> Result<Self, ProcessError> {
        Ok(Self { tid, cpus: thread_affinity(tid)? })
    }

    /// Binds the thread to these CPUs, as far as its cpuset has them, and returns those. `None` if
    /// it has ended.
    ///
    /// # Errors
    ///
    /// Its cpuset has none of them, or it belongs to another user.
    pub fn bind(&self, cpus: &CpuSet) -> Result<Option<CpuSet>, ProcessError> {
        match set_thread_affinity(self.tid, cpus) {
            Ok(granted) => Ok(Some(granted)),
            Err(PlaceError::ProcessGone { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Gives the CPUs back that it had.
    ///
    /// # Errors
    ///
    /// Those of [`bind`](Self::bind).
    pub fn give_back(&self) -> Result<(), ProcessError> {
        self.bind(&self.cpus).map(|_| ())
    }

    /// Whether it may run on just these CPUs.
    pub fn is_on(&self, cpus: &CpuSet) -> bool {
        thread_affinity(self.tid).is_ok_and(|now| now == *cpus)
    }
}
