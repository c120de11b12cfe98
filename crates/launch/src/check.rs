//! From lists as written to nodes and CPUs of a machine: a [`Request`] becomes a [`Launch`], or
//! says why it cannot.
//!
//! Only what the lists name is read, each file once: starting a program must not cost a look at the
//! whole machine.

use nearfar_machine::{ListContext, MachineError, Source, cpu_list, cpu_node_list, node_list};
use nearfar_model::NodeSet;
use nearfar_place::PolicyFlags;
use nearfar_place::shared_memory::RegionRequest;

use crate::error::LaunchError;
use crate::options::{Word, spelled};
use crate::order::asked;
use crate::placement::{CpuChoice, MemoryChoice, Placement};
use crate::request::{Request, Task};
use crate::shared::{SharedName, SharedStep};
use crate::weights::Weights;
use crate::words::{Given, Step};

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
        let mut check = Check {
            request: self,
            lists: ListContext::new(source),
            key_number: 0,
            part: RegionRequest::default(),
            strict: false,
            launch: Launch::default(),
        };
        for step in &self.steps {
            check.step(step)?;
        }
        check.launch.warnings = self.without_effect();
        Ok(check.launch)
    }

    fn without_effect(&self) -> Vec<String> {
        let asked = |word| asked(&self.steps, word);
        let shared = self.task == Task::SharedMemory;
        let mut warnings = Vec::new();
        if asked(Word::Strict) && !shared {
            warnings.push("--strict is for shared memory, and ignored for a program".to_owned());
        }
        if asked(Word::Balancing) && (shared || !asked(Word::Membind)) {
            warnings.push(
                "--balancing goes with --membind of a program, and is ignored here".to_owned(),
            );
        }
        if asked(Word::CpuCompress) && !matches!(self.task, Task::Hardware { .. }) {
            warnings.push("--cpu-compress goes with --hardware, and is ignored here".to_owned());
        }
        warnings
    }
}

struct Check<'a> {
    request: &'a Request,
    lists: ListContext<'a>,
    /// Goes into the key of a segment.
    key_number: u64,
    part: RegionRequest,
    strict: bool,
    launch: Launch,
}

impl Check<'_> {
    fn step(&mut self, step: &Step) -> Result<(), LaunchError> {
        let word = step.word;
        match (word, &step.given) {
            (Word::All, _) => self.lists.ignore_cpuset = true,
            (Word::Localalloc | Word::Default, _) => self.policy(word, None)?,
            (Word::PhysCpuBind, Given::List(list)) => self.cpus(list)?,
            (Word::CpuNodeBind | Word::CpuBind, Given::List(list)) => {
                self.cpus_of_nodes(word, list)?;
            }
            (_, Given::List(list)) => self.policy(word, Some(list))?,
            (_, Given::Weights(weights)) => self.launch.weights = Some(weights.clone()),
            (Word::Length, Given::Size(length)) => self.part.length = Some(*length),
            (_, Given::Size(offset)) => self.part.offset = *offset,
            (_, Given::Mode(mode)) => self.part.mode = *mode,
            (Word::Huge, _) => self.part.huge = true,
            (Word::Strict, _) => self.strict = true,
            (_, Given::KeyNumber(number)) => self.key_number = *number,
            (Word::File, Given::Path(path)) => self.attach(SharedName::File(path.clone())),
            (_, Given::Path(path)) => {
                self.attach(SharedName::Key { file: path.clone(), number: self.key_number });
            }
            (_, Given::SegmentId(id)) => self.attach(SharedName::Id(*id)),
            (Word::Touch, _) => self.launch.shared.push(SharedStep::Touch),
            (Word::Dump, _) => self.launch.shared.push(SharedStep::Dump),
            (Word::DumpNodes, _) => self.launch.shared.push(SharedStep::DumpNodes),
            (Word::Verify, _) => self.launch.shared.push(SharedStep::Verify),
            _ => {}
        }
        Ok(())
    }

    fn attach(&mut self, what: SharedName) {
        self.launch.shared.push(SharedStep::Attach { what, part: self.part.clone() });
    }

    fn policy(&mut self, word: Word, list: Option<&String>) -> Result<(), LaunchError> {
        let option = spelled(word);
        self.needs_numa(&option)?;
        let nodes = match list {
            Some(list) => self.nodes(&option, node_list(list, &self.lists))?,
            None => NodeSet::new(),
        };
        let policy = word.policy(&nodes).ok_or(LaunchError::ManyPreferred { nodes })?;
        if self.request.task == Task::SharedMemory {
            self.launch.shared.push(SharedStep::Policy { policy, strict: self.strict, option });
        } else {
            let balancing = word == Word::Membind && asked(&self.request.steps, Word::Balancing);
            let flags = PolicyFlags { balancing, ..PolicyFlags::default() };
            self.launch.placement.memory = Some(MemoryChoice { policy, flags, option });
        }
        Ok(())
    }

    /// The nodes of a list, which `same` repeats.
    fn nodes(
        &mut self,
        option: &str,
        read: Result<NodeSet, MachineError>,
    ) -> Result<NodeSet, LaunchError> {
        let nodes = read.map_err(|why| LaunchError::List { option: option.to_owned(), why })?;
        self.lists.last = Some(nodes.clone());
        Ok(nodes)
    }

    fn cpus_of_nodes(&mut self, word: Word, list: &str) -> Result<(), LaunchError> {
        let option = spelled(word);
        self.needs_numa(&option)?;
        let nodes = self.nodes(&option, cpu_node_list(list, &self.lists))?;
        let cpus = self.lists.cpus_of(&nodes);
        self.launch.placement.cpus = Some(CpuChoice { cpus, nodes: Some(nodes), option });
        Ok(())
    }

    fn cpus(&mut self, list: &str) -> Result<(), LaunchError> {
        let option = spelled(Word::PhysCpuBind);
        let cpus = cpu_list(list, &self.lists)
            .map_err(|why| LaunchError::List { option: option.clone(), why })?;
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
