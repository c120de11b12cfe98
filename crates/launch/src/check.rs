//! From lists as written to nodes and CPUs of a machine: a [`Request`] becomes a [`Launch`], or says why it cannot.
//!
//! Only what the lists name is read, each file once: starting a program must not cost a look at the whole machine.

use nearfar_machine::{ListContext, Source, cpu_list, cpu_node_list, node_list};
use nearfar_model::NodeSet;
use nearfar_place::{Policy, PolicyFlags};

use crate::error::LaunchError;
use crate::options::{Word, spelled};
use crate::placement::{CpuChoice, MemoryChoice, Placement};
use crate::request::{Request, Task};
use crate::shared::{SharedName, SharedPart, SharedStep};
use crate::weights::Weights;
use crate::words::Step;

/// A command line that this machine can follow, as far as the machine tells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Launch {
    /// The program's place.
    pub placement: Placement,
    /// Work on shared memory, in its order.
    pub shared: Vec<SharedStep>,
    /// Weights to set first.
    pub weights: Option<Weights>,
    /// What was asked for and has no effect, a line each.
    pub warnings: Vec<String>,
}

impl Request {
    /// Holds the request against a machine.
    pub fn check(&self, source: &Source) -> Result<Launch, LaunchError> {
        let mut check = Check::new(self, source);
        for step in &self.steps {
            check.step(step)?;
        }
        check.launch.warnings = self.without_effect();
        Ok(check.launch)
    }

    fn without_effect(&self) -> Vec<String> {
        let asked = |step: &Step| self.steps.contains(step);
        let bound = self.steps.iter().any(|step| matches!(step, Step::Policy { word: Word::Membind, .. }));
        let shared = self.task == Task::SharedMemory;
        let mut warnings = Vec::new();
        if asked(&Step::Strict) && !shared {
            warnings.push("--strict is for shared memory, and ignored for a program".to_owned());
        }
        if asked(&Step::Balancing) && (shared || !bound) {
            warnings.push("--balancing goes with --membind of a program, and is ignored here".to_owned());
        }
        if asked(&Step::CpuCompress) && !matches!(self.task, Task::Hardware { .. }) {
            warnings.push("--cpu-compress goes with --hardware, and is ignored here".to_owned());
        }
        warnings
    }
}

struct Check<'a> {
    lists: ListContext<'a>,
    balancing: bool,
    part: SharedPart,
    strict: bool,
    shared: bool,
    launch: Launch,
}

impl<'a> Check<'a> {
    fn new(request: &Request, source: &'a Source) -> Self {
        Self {
            lists: ListContext::new(source),
            balancing: request.steps.contains(&Step::Balancing),
            part: SharedPart::default(),
            strict: false,
            shared: request.task == Task::SharedMemory,
            launch: Launch::default(),
        }
    }

    fn step(&mut self, step: &Step) -> Result<(), LaunchError> {
        match step {
            Step::All => self.lists.ignore_cpuset = true,
            Step::Policy { word, list } => self.policy(*word, list.as_deref())?,
            Step::CpusOfNodes { word, list } => self.cpus_of_nodes(*word, list)?,
            Step::Cpus { list } => self.cpus(list)?,
            Step::Weights(weights) => self.launch.weights.clone_from(weights),
            Step::ShmId(id) => self.part.id = *id,
            Step::Length(length) => self.part.length = Some(*length),
            Step::Offset(offset) => self.part.offset = *offset,
            Step::Mode(mode) => self.part.mode = *mode,
            Step::Huge => self.part.huge = true,
            Step::Strict => self.strict = true,
            Step::Key(path) => self.attach(SharedName::Key(path.clone())),
            Step::File(path) => self.attach(SharedName::File(path.clone())),
            Step::Id(id) => self.attach(SharedName::Id(*id)),
            Step::Touch => self.launch.shared.push(SharedStep::Touch),
            Step::Dump => self.launch.shared.push(SharedStep::Dump),
            Step::DumpNodes => self.launch.shared.push(SharedStep::DumpNodes),
            Step::Verify => self.launch.shared.push(SharedStep::Verify),
            Step::Balancing
            | Step::Show
            | Step::Hardware
            | Step::CpuCompress
            | Step::Version
            | Step::Help
            | Step::Json
            | Step::Explain
            | Step::Watch
            | Step::As(_) => {}
        }
        Ok(())
    }

    fn attach(&mut self, what: SharedName) {
        self.launch.shared.push(SharedStep::Attach { what, part: self.part.clone() });
    }

    fn policy(&mut self, word: Word, list: Option<&str>) -> Result<(), LaunchError> {
        let option = spelled(word);
        self.needs_numa(&option)?;
        let nodes = match list {
            Some(list) => self.memory_nodes(&option, list)?,
            None => NodeSet::new(),
        };
        let policy = match (word, nodes.first()) {
            (Word::Interleave, _) => Policy::Interleave(nodes),
            (Word::WeightedInterleave, _) => Policy::WeightedInterleave(nodes),
            (Word::PreferredMany, _) => Policy::PreferredMany(nodes),
            (Word::Membind, _) => Policy::Bind(nodes),
            (Word::Preferred, Some(node)) if nodes.len() == 1 => Policy::Preferred(node),
            (Word::Preferred, _) => return Err(LaunchError::ManyPreferred { nodes }),
            (Word::Default, _) => Policy::Default,
            _ => Policy::Local,
        };
        if self.shared {
            self.launch.shared.push(SharedStep::Policy { policy, strict: self.strict, option });
        } else {
            let flags = PolicyFlags { balancing: self.balancing && word == Word::Membind, ..PolicyFlags::default() };
            self.launch.placement.memory = Some(MemoryChoice { policy, flags, option });
        }
        Ok(())
    }

    fn memory_nodes(&mut self, option: &str, list: &str) -> Result<NodeSet, LaunchError> {
        let nodes = node_list(list, &self.lists).map_err(|why| LaunchError::List { option: option.to_owned(), why })?;
        self.lists.last = Some(nodes.clone());
        Ok(nodes)
    }

    fn cpus_of_nodes(&mut self, word: Word, list: &str) -> Result<(), LaunchError> {
        let option = spelled(word);
        self.needs_numa(&option)?;
        let nodes =
            cpu_node_list(list, &self.lists).map_err(|why| LaunchError::List { option: option.clone(), why })?;
        self.lists.last = Some(nodes.clone());
        let cpus = self.lists.cpus_of(&nodes);
        self.launch.placement.cpus = Some(CpuChoice { cpus, nodes: Some(nodes), option });
        Ok(())
    }

    fn cpus(&mut self, list: &str) -> Result<(), LaunchError> {
        let option = spelled(Word::PhysCpuBind);
        let cpus = cpu_list(list, &self.lists).map_err(|why| LaunchError::List { option: option.clone(), why })?;
        self.launch.placement.cpus = Some(CpuChoice { cpus, nodes: None, option });
        Ok(())
    }

    fn needs_numa(&self, option: &str) -> Result<(), LaunchError> {
        let option = option.to_owned();
        match () {
            () if self.lists.numa_supported() => Ok(()),
            () if self.lists.has_sysfs() => Err(LaunchError::NoNuma { option }),
            () => Err(LaunchError::NoSysfs { option }),
        }
    }
}

#[cfg(test)]
mod tests;
