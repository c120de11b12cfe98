//! Work on shared memory, as the options ask for it: which segment or file, and then what, in their
//! order.

use std::path::PathBuf;

use nearfar_model::{Bytes, NodeId, NodeSet};
use nearfar_place::shared_memory::{Misplaced, RegionRequest, SharedMemory, Stretch};
use nearfar_place::{ExistingPages, PlaceError, Policy, PolicyFlags};
use serde::Serialize;

use crate::launch::error::LaunchError;
use crate::launch::options::{OptionName, spelled};

/// One thing to do with shared memory.
#[derive(Clone, Debug, PartialEq)]
pub enum SharedStep {
    /// Make it, or find it, and map the range. What follows works on that.
    Attach {
        /// What.
        what: SharedName,
        /// How it is made, and which part of it is meant.
        part: RegionRequest,
    },
    /// Set the range's policy.
    Policy {
        /// The policy.
        policy: Policy,
        /// Whether pages that contradict it are an error.
        strict: bool,
        /// The option that asked for it.
        option: String,
    },
    /// Make the pages exist.
    Touch,
    /// Print the policy of each range.
    Dump,
    /// Print the node of each range.
    DumpNodes,
    /// Touch the pages and hold them against the policy.
    Verify,
}

/// What names shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SharedName {
    /// A System V segment.
    Key {
        /// The file that its key comes from.
        file: PathBuf,
        /// What else goes into the key.
        number: u64,
    },
    /// A System V segment by its own id.
    Id(u64),
    /// A file in tmpfs or hugetlbfs.
    File(PathBuf),
}

/// The result of a step.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SharedAnswer {
    /// It was made just now.
    Made(String),
    /// Which policy each part keeps.
    Policies(Vec<PolicyStretch>),
    /// On which node each part is; parts without pages are left out.
    Nodes(Vec<NodeStretch>),
    /// What does not follow the policy.
    Misplaced(Vec<MisplacedStretch>),
}

/// Bytes that keep one policy, counted from the beginning of the segment or file.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct PolicyStretch {
    /// The first.
    #[serde(rename = "start_bytes")]
    pub start: Bytes,
    /// The one behind the last.
    #[serde(rename = "end_bytes")]
    pub end: Bytes,
    /// numactl's name of the policy.
    pub policy: &'static str,
    /// The nodes that it names.
    pub nodes: NodeSet,
}

/// Bytes on one node.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct NodeStretch {
    /// The first.
    #[serde(rename = "start_bytes")]
    pub start: Bytes,
    /// The one behind the last.
    #[serde(rename = "end_bytes")]
    pub end: Bytes,
    /// The node.
    pub node: NodeId,
}

/// Bytes that do not follow the policy.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct MisplacedStretch {
    /// The first.
    #[serde(rename = "start_bytes")]
    pub start: Bytes,
    /// The one behind the last.
    #[serde(rename = "end_bytes")]
    pub end: Bytes,
    /// What is wrong with them, in numactl's words.
    pub what: String,
}

/// Shared memory being worked on.
#[derive(Default)]
pub struct SharedWork {
    memory: Option<SharedMemory>,
    policy: Option<Policy>,
}

impl SharedWork {
    /// Does one step, and returns its result.
    pub fn follow(&mut self, step: &SharedStep) -> Result<Option<SharedAnswer>, LaunchError> {
        match step {
            SharedStep::Attach { what, part } => self.attach(what, part),
            SharedStep::Policy { policy, strict, option } => {
                let existing =
                    if *strict { ExistingPages::MustFollow } else { ExistingPages::Stay };
                let set = self.memory()?.set_policy(policy, PolicyFlags::default(), existing);
                set.map_err(|cause| refused(option.clone(), cause))?;
                self.policy = Some(policy.clone());
                Ok(None)
            }
            SharedStep::Touch => self
                .memory()?
                .touch()
                .map(|()| None)
                .map_err(|cause| refused(spelled(OptionName::Touch), cause)),
            SharedStep::Dump => {
                let found = self
                    .memory()?
                    .policies()
                    .map_err(|cause| failed(spelled(OptionName::Dump), cause))?;
                Ok(Some(SharedAnswer::Policies(
                    found.iter().map(PolicyStretch::from_stretch).collect(),
                )))
            }
            SharedStep::DumpNodes => {
                let found = self
                    .memory()?
                    .nodes()
                    .map_err(|cause| failed(spelled(OptionName::DumpNodes), cause))?;
                Ok(Some(SharedAnswer::Nodes(
                    found.iter().filter_map(NodeStretch::from_stretch).collect(),
                )))
            }
            SharedStep::Verify => self.verify(),
        }
    }

    fn attach(
        &mut self,
        what: &SharedName,
        part: &RegionRequest,
    ) -> Result<Option<SharedAnswer>, LaunchError> {
        let (option, name, memory) = match what {
            SharedName::Key { file, number } => (
                OptionName::Shm,
                format!("the segment of {}", file.display()),
                SharedMemory::segment_by_key(file, id(*number)?, part),
            ),
            SharedName::Id(number) => (
                OptionName::ShmId,
                format!("segment {number}"),
                SharedMemory::segment_by_id(id(*number)?, part),
            ),
            SharedName::File(file) => {
                (OptionName::File, file.display().to_string(), SharedMemory::file(file, part))
            }
        };
        let memory = memory.map_err(|cause| refused(spelled(option), cause))?;
        let made = memory.was_made().then_some(SharedAnswer::Made(name));
        self.memory = Some(memory);
        Ok(made)
    }

    fn verify(&mut self) -> Result<Option<SharedAnswer>, LaunchError> {
        let policy = self.policy.clone().unwrap_or(Policy::Default);
        let broken = self
            .memory()?
            .verify(&policy)
            .map_err(|cause| failed(spelled(OptionName::Verify), cause))?;
        let misplaced = broken.into_iter().map(|stretch| MisplacedStretch::new(stretch, &policy));
        Ok(Some(SharedAnswer::Misplaced(misplaced.collect())))
    }

    /// The order of steps was checked: something is attached before anything is done with it.
    fn memory(&self) -> Result<&SharedMemory, LaunchError> {
        let order = || LaunchError::Order {
            option: spelled(OptionName::Shm),
            rule: "or --file must come first".to_owned(),
        };
        self.memory.as_ref().ok_or_else(order)
    }
}

impl PolicyStretch {
    fn from_stretch(stretch: &Stretch<Policy>) -> Self {
        Self {
            start: Bytes(stretch.bytes.start),
            end: Bytes(stretch.bytes.end),
            policy: stretch.what.name(),
            nodes: stretch.what.nodes(),
        }
    }
}

impl NodeStretch {
    fn from_stretch(stretch: &Stretch<Option<NodeId>>) -> Option<Self> {
        let node = stretch.what?;
        Some(Self { start: Bytes(stretch.bytes.start), end: Bytes(stretch.bytes.end), node })
    }
}

impl MisplacedStretch {
    fn new(stretch: Stretch<Misplaced>, wanted: &Policy) -> Self {
        let what = match stretch.what {
            Misplaced::OtherPolicy { found } if found.name() == wanted.name() => {
                format!("mismatched node mask {}, expected {}", found.nodes(), wanted.nodes())
            }
            Misplaced::OtherPolicy { found } => {
                format!("wrong policy {}, expected {}", found.name(), wanted.name())
            }
            Misplaced::OtherNode { found: Some(node) } => format!("unexpected node {node}"),
            Misplaced::OtherNode { found: None } => "no page can be made".to_owned(),
            Misplaced::OutOfTurn { expected, found } => {
                format!("expected interleave node {expected}, got {found}")
            }
        };
        Self { start: Bytes(stretch.bytes.start), end: Bytes(stretch.bytes.end), what }
    }
}

fn id(number: u64) -> Result<i32, LaunchError> {
    let (option, wanted) = (spelled(OptionName::ShmId), "an id: ipcs -m lists them");
    i32::try_from(number).map_err(|_| LaunchError::BadValue {
        option,
        text: number.to_string(),
        wanted,
    })
}

/// Memory is shared, and its pages made, by other calls than those that a sandbox denies.
fn refused(option: String, cause: PlaceError) -> LaunchError {
    LaunchError::refused(
        option,
        cause,
        "without a policy it can still be made, and its pages with --touch",
    )
}

/// A program's mappings are listed in /proc, which no filter of system calls hides.
fn failed(option: String, cause: PlaceError) -> LaunchError {
    LaunchError::refused(
        option,
        cause,
        "'nearfar where PID --mappings' still shows it for a program that maps it",
    )
}

#[cfg(test)]
mod tests;
