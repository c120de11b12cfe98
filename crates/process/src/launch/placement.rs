//! Where a program shall run and have its memory: decided, and put into force.

use nearfar_model::{CpuSet, NodeSet};
use nearfar_place::{PlaceError, Policy, PolicyFlags, set_affinity};

use crate::launch::error::LaunchError;
use crate::launch::options::{OptionName, spelled};

/// A place for a program. What is not chosen stays as inherited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// The CPUs that it may run on.
    pub cpus: Option<CpuChoice>,
    /// Where its memory comes from.
    pub memory: Option<MemoryChoice>,
}

/// CPUs, and by which words they were chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CpuChoice {
    /// The CPUs.
    pub cpus: CpuSet,
    /// The nodes that were named; none when CPUs were.
    pub nodes: Option<NodeSet>,
    pub(crate) option: String,
}

/// A memory policy, and by which words it was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryChoice {
    /// The policy.
    pub policy: Policy,
    /// What goes with it.
    pub flags: PolicyFlags,
    pub(crate) option: String,
}

/// What can be had for a program where CPUs cannot be bound.
const STILL_WITHOUT_CPUS: &str =
    "a memory policy may still be had (--membind, --preferred, --interleave)";
/// What can be had for a program where no policy can.
const STILL_WITHOUT_POLICY: &str = "CPUs can still be bound (--cpunodebind, --physcpubind)";

impl OptionName {
    /// The policy that it asks for, where it is one's; none of several nodes where it takes one.
    pub fn policy(self, nodes: &NodeSet) -> Option<Policy> {
        let named = nodes.clone();
        Some(match self {
            Self::Interleave => Policy::Interleave(named),
            Self::WeightedInterleave => Policy::WeightedInterleave(named),
            Self::PreferredMany => Policy::PreferredMany(named),
            Self::Preferred => Policy::Preferred(nodes.first().filter(|_| nodes.len() == 1)?),
            Self::Membind => Policy::Bind(named),
            Self::Default => Policy::Default,
            _ => Policy::Local,
        })
    }
}

impl MemoryChoice {
    /// The nodes that the policy names; none for default and local.
    pub fn nodes(&self) -> Option<NodeSet> {
        Some(self.policy.nodes()).filter(|nodes| !nodes.is_empty())
    }

    /// The nodes that all memory comes from, where the policy leaves no others.
    pub fn bound(&self) -> Option<&NodeSet> {
        match &self.policy {
            Policy::Bind(nodes) => Some(nodes),
            _ => None,
        }
    }

    /// As words: the same policy, by numbers alone.
    pub(crate) fn words(&self) -> Vec<String> {
        let option = match &self.policy {
            Policy::Bind(_) => spelled(OptionName::Membind),
            Policy::Local => spelled(OptionName::Localalloc),
            other => format!("--{}", other.name()),
        };
        let nodes = self.nodes().map(|nodes| format!("={nodes}")).unwrap_or_default();
        let balancing = self.flags.balancing.then(|| spelled(OptionName::Balancing));
        [format!("{option}{nodes}")].into_iter().chain(balancing).collect()
    }

    fn apply(&self) -> Result<Vec<String>, LaunchError> {
        match self.policy.set_for_thread_with(self.flags) {
            Ok(()) => Ok(Vec::new()),
            // Balancing is an extra: numactl goes on without it too.
            Err(cause @ PlaceError::KernelLacks { .. }) if self.flags.balancing => {
                let plain =
                    self.policy.set_for_thread_with(PolicyFlags { balancing: false, ..self.flags });
                plain.map_err(|cause| self.refused(cause))?;
                Ok(vec![format!("--balancing is left out: {cause}")])
            }
            // Programs near several devices still have local memory there.
            Err(cause @ PlaceError::KernelLacks { .. })
                if self.option == spelled(OptionName::Near) =>
            {
                Policy::Local
                    .set_for_thread_with(self.flags)
                    .map_err(|cause| self.refused(cause))?;
                Ok(vec![format!("--near: memory is local to the CPUs: {cause}")])
            }
            Err(cause) => Err(self.refused(cause)),
        }
    }

    fn refused(&self, cause: PlaceError) -> LaunchError {
        LaunchError::refused(self.option.clone(), cause, STILL_WITHOUT_POLICY)
    }
}

impl Placement {
    /// As words of `nearfar run` that mean the same in any cpuset which has these CPUs and nodes:
    /// numbers, and nothing relative.
    pub fn words(&self) -> Vec<String> {
        let cpus = self
            .cpus
            .iter()
            .map(|choice| format!("{}={}", spelled(OptionName::PhysCpuBind), choice.cpus));
        cpus.chain(self.memory.iter().flat_map(MemoryChoice::words)).collect()
    }

    /// Makes it this thread's own, and so that of the program that it becomes or starts. Gives what
    /// had to be left out, a line each.
    pub fn apply(&self) -> Result<Vec<String>, LaunchError> {
        if let Some(choice) = &self.cpus {
            let refused =
                |cause| LaunchError::refused(choice.option.clone(), cause, STILL_WITHOUT_CPUS);
            set_affinity(&choice.cpus).map_err(refused)?;
        }
        match &self.memory {
            Some(choice) => choice.apply(),
            None => Ok(Vec::new()),
        }
    }
}

#[cfg(test)]
mod tests {
    use nearfar_model::{CpuId, NodeId};
    use nearfar_place::{affinity, allowed_nodes};

    use super::*;

    fn bind(nodes: NodeSet) -> MemoryChoice {
        MemoryChoice {
            policy: Policy::Bind(nodes),
            flags: PolicyFlags::default(),
            option: "--membind".to_owned(),
        }
    }

    fn two_nodes() -> nearfar_machine::Source {
        let node = "/sys/devices/system/node";
        nearfar_machine::Source::from_files([
            (format!("{node}/online"), "0-1".to_owned()),
            (format!("{node}/has_memory"), "0-1".to_owned()),
            (format!("{node}/has_cpu"), "0-1".to_owned()),
            (format!("{node}/node0/cpulist"), "0-1".to_owned()),
            (format!("{node}/node1/cpulist"), "2-3".to_owned()),
            ("/sys/devices/system/cpu/online".to_owned(), "0-3".to_owned()),
        ])
    }

    #[test]
    fn words_by_numbers_mean_the_same() {
        let checked = |words: &[&str]| {
            let line = words.iter().chain(&["true"]).map(Into::into).collect();
            let request =
                crate::launch::LaunchRequest::parse(line, crate::launch::Dialect::Run).unwrap();
            request.check(&two_nodes()).unwrap().placement
        };
        for (words, expected) in [
            (&["-C", "+1"][..], "--physcpubind=1"),
            (&["-N", "!0", "-m", "+1", "-b"], "--physcpubind=2-3 --membind=1 --balancing"),
            (&["-i", "all"], "--interleave=0-1"),
            (&["-w", "all"], "--weighted-interleave=0-1"),
            (&["-p", "1"], "--preferred=1"),
            (&["-P", "0,1"], "--preferred-many=0-1"),
            (&["-l"], "--localalloc"),
            (&["--default"], "--default"),
            (&[], ""),
        ] {
            let placement = checked(words);
            assert_eq!(placement.words().join(" "), expected);
            let again = checked(&placement.words().iter().map(String::as_str).collect::<Vec<_>>());
            let memory = |placement: &Placement| {
                placement.memory.clone().map(|choice| (choice.policy, choice.flags))
            };
            assert_eq!(memory(&again), memory(&placement));
            assert_eq!(
                again.cpus.map(|choice| choice.cpus),
                placement.cpus.clone().map(|choice| choice.cpus)
            );
        }
        let bound =
            |words: &[&str]| checked(words).memory.and_then(|choice| choice.bound().cloned());
        assert_eq!(
            (bound(&["-m", "1"]), bound(&["-p", "1"])),
            (Some(NodeSet::from_id(NodeId(1))), None)
        );
    }

    /// In a thread of its own, since affinity and policy belong to threads.
    fn apart<R: Send>(work: impl FnOnce() -> R + Send) -> R {
        std::thread::scope(|scope| scope.spawn(work).join().unwrap())
    }

    #[test]
    fn applied_placements_are_in_force() {
        let (cpu, nodes) = (affinity().unwrap().first().unwrap(), allowed_nodes().unwrap());
        let cpus = CpuChoice {
            cpus: CpuSet::from_id(cpu),
            nodes: None,
            option: "--physcpubind".to_owned(),
        };
        let placement = Placement { cpus: Some(cpus), memory: Some(bind(nodes.clone())) };
        let found = apart(move || {
            placement.apply().unwrap();
            (affinity().unwrap(), Policy::current().unwrap())
        });
        assert_eq!(found, (CpuSet::from_id(cpu), Policy::Bind(nodes)));
    }

    #[test]
    fn refused_options_are_named() {
        let memory = Placement { memory: Some(bind(NodeSet::from_id(NodeId(1000)))), cpus: None };
        let refusal = apart(move || memory.apply()).unwrap_err().to_string();
        assert!(
            refusal.starts_with("--membind: set_mempolicy does not accept nodes 1000"),
            "{refusal}"
        );
        let cpus = CpuChoice {
            cpus: CpuSet::from_id(CpuId(60_000)),
            nodes: None,
            option: "--physcpubind".to_owned(),
        };
        let refusal = apart(move || Placement { cpus: Some(cpus), memory: None }.apply())
            .unwrap_err()
            .to_string();
        assert!(refusal.starts_with("--physcpubind: no thread can run on CPUs 60000"), "{refusal}");
    }

    #[test]
    fn denied_policies_name_what_still_works() {
        let refused = bind(NodeSet::from_id(NodeId(0)))
            .refused(PlaceError::NotPermitted { call: "set_mempolicy" });
        let refusal = refused.to_string();
        assert!(
            refusal.contains("seccomp")
                && refusal.ends_with("CPUs can still be bound (--cpunodebind, --physcpubind)"),
            "{refusal}"
        );
        assert!(!refused.is_usage());
    }
}
