//! Cpusets around runs: what a program cannot shake off, as it can its affinity and its memory policy.
//!
//! A group is made below the sweep's own for each choice of CPUs and nodes, with a thread of the sweep in it ([`Berth`]). Runs are started *by that thread*, and so are
//! born in the group: moving a process into a group takes the kernel some 10 ms, and that is paid once for each group, not for each run. What is made is named after
//! the sweep ([`Traces`]), so that its guard removes it however the sweep ends, and the next sweep what a guard that was killed itself could not.

mod berth;
mod enforcement;
mod traces;

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use nearfar_machine::CpusetHome;
use nearfar_model::{CpuSet, NodeSet};

pub(crate) use berth::Berth;
pub use enforcement::Enforcement;
pub use traces::{Traces, remove_left_behind};

/// What a group holds a program to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bounds {
    /// The CPUs.
    pub cpus: CpuSet,
    /// The nodes: of a policy that binds, else all that there are.
    pub nodes: NodeSet,
}

/// The groups of a sweep. Their threads end when this is dropped; the folders are [`Traces`].
#[derive(Debug)]
pub struct Cpusets {
    home: CpusetHome,
    traces: Traces,
    berths: BTreeMap<Bounds, Berth>,
    made: usize,
}

impl Cpusets {
    /// Makes the first group, to see whether that can be done here; in words why not.
    pub fn begin(home: CpusetHome, owner: String, first: &Bounds) -> Result<Self, String> {
        let switched_on = home.switch.as_ref().map(|file| switch_on(file)).transpose()?;
        let traces = Traces { home: home.folder.clone().into(), owner, switched_on: switched_on.map(Into::into) };
        let mut cpusets = Self { home, traces, berths: BTreeMap::new(), made: 0 };
        match cpusets.berth(first).map(drop) {
            Ok(()) => Ok(cpusets),
            Err(why) => {
                cpusets.traces.remove(Duration::ZERO);
                Err(why)
            }
        }
    }

    /// What has to be removed when the sweep is over.
    pub fn traces(&self) -> &Traces {
        &self.traces
    }

    /// "cgroup v1" or "cgroup v2".
    pub fn interface(&self) -> &'static str {
        self.home.interface
    }

    /// The group of these bounds, made anew where something has changed it: version 1 forgets CPUs that go offline for a while.
    pub(crate) fn berth(&mut self, bounds: &Bounds) -> Result<&Berth, String> {
        if self.berths.get(bounds).is_some_and(|berth| !berth.is_as_made()) {
            self.berths.remove(bounds);
        }
        if !self.berths.contains_key(bounds) {
            let folder = self.traces.folder(self.made);
            self.made += 1;
            self.berths.insert(bounds.clone(), Berth::make(&self.home, folder, bounds)?);
        }
        self.berths.get(bounds).ok_or_else(|| "a cpuset is gone".to_owned())
    }
}

/// Lets groups below have cpusets; the file that was written.
fn switch_on(file: &str) -> Result<String, String> {
    let refused = |error: std::io::Error| format!("cannot switch the controller 'cpuset' on in {file}: {error}");
    fs::write(file, "+cpuset").map_err(refused)?;
    Ok(file.to_owned())
}
