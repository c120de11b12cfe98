//! From lists as written to nodes and CPUs of a machine: a [`LaunchRequest`] becomes a [`Launch`],
//! or an error with the reason.
//!
//! Only what the lists name is read, each file once: starting a program must not cost a look at the
//! whole machine.

use std::path::PathBuf;

use nearfar_machine::{ListContext, MachineError, Source, cpu_list, cpu_node_list, node_list};
use nearfar_model::NodeSet;
use nearfar_place::PolicyFlags;
use nearfar_place::shared_memory::RegionRequest;

use crate::launch::error::LaunchError;
use crate::launch::near::NearPlacement;
use crate::launch::options::{OptionName, spelled};
use crate::launch::order::asked;
use crate::launch::placement::{CpuChoice, MemoryChoice, Placement};
use crate::launch::request::{LaunchRequest, LaunchTask};
use crate::launch::shared::{SharedName, SharedStep};
use crate::launch::weights::Weights;
use crate::launch::words::{OptionStep, OptionValue};

/// A command line that was checked against this machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Launch {
    /// The program's place.
    pub placement: Placement,
    /// Work on shared memory, in its order.
    pub shared: Vec<SharedStep>,
    /// Weights to set first.
    pub weights: Option<Weights>,
    /// The devices of `--near`, and the nodes near them.
    pub near: Option<NearPlacement>,
    /// Files whose page cache is brought to the program's nodes first.
    pub warm: Vec<PathBuf>,
    /// What was asked for and has no effect, a line each.
    pub warnings: Vec<String>,
}

impl LaunchRequest {
    /// Holds the request against a machine.
    pub fn check(&self, source: &Source) -> Result<Launch, LaunchError> {
        let mut check = RequestCheck {
            request: self,
            source,
            lists: ListContext::new(source).with_ranges(self.ranges),
            key_number: 0,
            part: RegionRequest::default(),
            strict: false,
            launch: Launch::default(),
        };
        for step in &self.steps {
            check.step(step)?;
            let option = spelled(step.word);
            let left_out = check.lists.take_left_out().into_iter();
            let left_out =
                left_out.map(|one| format!("{option}: without {}: {}", one.ids, one.why));
            check.launch.warnings.extend(left_out);
        }
        check.launch.warnings.extend(self.without_effect());
        Ok(check.launch)
    }

    fn without_effect(&self) -> Vec<String> {
        let asked = |word| asked(&self.steps, word);
        let shared = self.task == LaunchTask::SharedMemory;
        let mut warnings = Vec::new();
        if asked(OptionName::Strict) && !shared {
            warnings.push("--strict is for shared memory, and ignored for a program".to_owned());
        }
        if asked(OptionName::Balancing) && (shared || !asked(OptionName::Membind)) {
            warnings.push(
                "--balancing goes with --membind of a program, and is ignored here".to_owned(),
            );
        }
        if asked(OptionName::CpuCompress) && !matches!(self.task, LaunchTask::Hardware { .. }) {
            warnings.push("--cpu-compress goes with --hardware, and is ignored here".to_owned());
        }
        if asked(OptionName::Warm)
            && !matches!(self.task, LaunchTask::Run(_) | LaunchTask::Watch(_))
        {
            warnings.push("--warm is for a program that starts, and is ignored here".to_owned());
        }
        warnings
    }
}

struct RequestCheck<'a> {
    request: &'a LaunchRequest,
    source: &'a Source,
    lists: ListContext<'a>,
    /// Goes into the key of a segment.
    key_number: u64,
    part: RegionRequest,
    strict: bool,
    launch: Launch,
}

impl RequestCheck<'_> {
    fn step(&mut self, step: &OptionStep) -> Result<(), LaunchError> {
        let word = step.word;
        match (word, &step.given) {
            (OptionName::All, _) => self.lists.ignore_cpuset = true,
            (OptionName::Localalloc | OptionName::Default, _) => self.policy(word, None)?,
            (OptionName::PhysCpuBind, OptionValue::List(list)) => self.cpus(list)?,
            (OptionName::Near, OptionValue::List(list)) => self.near(list)?,
            // Applied with --near, wherever it stands.
            (OptionName::NearAnyway, _) => {}
            (OptionName::CpuNodeBind | OptionName::CpuBind, OptionValue::List(list)) => {
                self.cpus_of_nodes(word, list)?;
            }
            (_, OptionValue::List(list)) => self.policy(word, Some(list))?,
            (_, OptionValue::Warm(path)) => self.launch.warm.push(path.clone()),
            (_, OptionValue::Weights(weights)) => self.launch.weights = Some(weights.clone()),
            (OptionName::Length, OptionValue::Size(length)) => self.part.length = Some(*length),
            (_, OptionValue::Size(offset)) => self.part.offset = *offset,
            (_, OptionValue::Mode(mode)) => self.part.mode = *mode,
            (OptionName::Huge, _) => self.part.huge = true,
            (OptionName::Strict, _) => self.strict = true,
            (_, OptionValue::KeyNumber(number)) => self.key_number = *number,
            (OptionName::File, OptionValue::Path(path)) => {
                self.attach(SharedName::File(path.clone()));
            }
            (_, OptionValue::Path(path)) => {
                self.attach(SharedName::Key { file: path.clone(), number: self.key_number });
            }
            (_, OptionValue::SegmentId(id)) => self.attach(SharedName::Id(*id)),
            (OptionName::Touch, _) => self.launch.shared.push(SharedStep::Touch),
            (OptionName::Dump, _) => self.launch.shared.push(SharedStep::Dump),
            (OptionName::DumpNodes, _) => self.launch.shared.push(SharedStep::DumpNodes),
            (OptionName::Verify, _) => self.launch.shared.push(SharedStep::Verify),
            _ => {}
        }
        Ok(())
    }

    fn attach(&mut self, what: SharedName) {
        self.launch.shared.push(SharedStep::Attach { what, part: self.part.clone() });
    }

    fn policy(&mut self, word: OptionName, list: Option<&String>) -> Result<(), LaunchError> {
        let option = spelled(word);
        self.needs_numa(&option)?;
        let nodes = match list {
            Some(list) => self.nodes(&option, node_list(list, &self.lists))?,
            None => NodeSet::new(),
        };
        let policy = word.policy(&nodes).ok_or(LaunchError::ManyPreferred { nodes })?;
        if self.request.task == LaunchTask::SharedMemory {
            self.launch.shared.push(SharedStep::Policy { policy, strict: self.strict, option });
        } else {
            let balancing =
                word == OptionName::Membind && asked(&self.request.steps, OptionName::Balancing);
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

    fn cpus_of_nodes(&mut self, word: OptionName, list: &str) -> Result<(), LaunchError> {
        let option = spelled(word);
        self.needs_numa(&option)?;
        let nodes = self.nodes(&option, cpu_node_list(list, &self.lists))?;
        let cpus = self.lists.cpus_of(&nodes);
        self.launch.placement.cpus = Some(CpuChoice { cpus, nodes: Some(nodes), option });
        Ok(())
    }

    fn near(&mut self, list: &str) -> Result<(), LaunchError> {
        let option = spelled(OptionName::Near);
        self.needs_numa(&option)?;
        let mut steps = self.request.steps.iter().rev();
        let anyway = steps.find_map(|step| match (step.word, &step.given) {
            (OptionName::NearAnyway, OptionValue::List(node)) => Some(node.as_str()),
            _ => None,
        });
        let measured = &self.request.measured;
        let near = NearPlacement::new(list, (anyway, measured), self.source, &self.lists)?;
        let cpus = self.lists.cpus_of(&near.cpu_nodes);
        let nodes = Some(near.cpu_nodes.clone());
        self.launch.placement = Placement {
            cpus: Some(CpuChoice { cpus, nodes, option: option.clone() }),
            memory: Some(MemoryChoice {
                policy: near.policy(),
                flags: PolicyFlags::default(),
                option,
            }),
        };
        self.launch.warnings.extend(near.warnings(self.lists.online_nodes()));
        self.launch.near = Some(near);
        Ok(())
    }

    fn cpus(&mut self, list: &str) -> Result<(), LaunchError> {
        let option = spelled(OptionName::PhysCpuBind);
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
