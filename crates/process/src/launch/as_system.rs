//! A placement translated for other systems, so that it outlasts the shell: a service, a
//! container, a job, a virtual machine, a pod.
//!
//! None of them can express everything that the kernel can. What one cannot express is in
//! [`Translation::caveats`], and where it can only be had by starting the program through nearfar,
//! the translation does that.

mod docker;
mod kubernetes;
mod libvirt;
mod slurm;
mod systemd;

use std::ffi::OsString;
use std::str::FromStr;

use nearfar_model::{CommandLine, CpuSet, NodeSet, UnwritableWord};
use nearfar_place::Policy;
use serde::Serialize;

use crate::launch::error::LaunchError;
use crate::launch::placement::{MemoryChoice, Placement};

/// A system that places programs itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// Unit properties (systemd 243 and later).
    Systemd,
    /// The same with the policies that systemd has since version 262 (systemd/systemd, pull
    /// request 42688).
    Systemd262,
    /// Flags of `docker run`; Podman's are the same.
    Docker,
    /// Options of `srun`.
    Slurm,
    /// Elements of a libvirt domain.
    Libvirt,
    /// Kubelet settings and a pod.
    Kubernetes,
}

impl System {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Systemd,
        Self::Systemd262,
        Self::Docker,
        Self::Slurm,
        Self::Libvirt,
        Self::Kubernetes,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Systemd => "systemd",
            Self::Systemd262 => "systemd-262",
            Self::Docker => "docker",
            Self::Slurm => "slurm",
            Self::Libvirt => "libvirt",
            Self::Kubernetes => "kubernetes",
        }
    }
}

impl FromStr for System {
    type Err = LaunchError;

    fn from_str(name: &str) -> Result<Self, LaunchError> {
        let found = Self::ALL.into_iter().find(|system| system.name() == name);
        found.ok_or_else(|| LaunchError::NoSuchSystem { name: name.chars().take(40).collect() })
    }
}

/// A placement in a system's words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Translation {
    /// Of this document: "nearfar.translation/1".
    pub schema: &'static str,
    /// The system's name.
    pub system: &'static str,
    /// What to write, and where it goes.
    pub parts: Vec<ConfigSnippet>,
    /// What is lost or different, a sentence each.
    pub caveats: Vec<String>,
}

/// A piece of configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct ConfigSnippet {
    /// Where it goes.
    pub place: &'static str,
    /// The text, in lines.
    pub text: String,
}

impl Translation {
    /// The schema of these documents.
    pub const SCHEMA: &str = "nearfar.translation/1";

    /// Translates a placement of a program; without one, of any.
    ///
    /// # Errors
    ///
    /// A word of the command that the system's files cannot have unchanged.
    pub fn new(
        placement: &Placement,
        command: &[OsString],
        system: System,
    ) -> Result<Self, LaunchError> {
        let translated = |asked: &TranslationInput<'_>| match system {
            System::Systemd => systemd::translate(asked, systemd::Policies::Old),
            System::Systemd262 => systemd::translate(asked, systemd::Policies::All),
            System::Docker => docker::translate(asked),
            System::Slurm => slurm::translate(asked),
            System::Libvirt => Ok(libvirt::translate(asked)),
            System::Kubernetes => Ok(kubernetes::translate(asked)),
        };
        let asked = TranslationInput::new(placement, command);
        let (parts, caveats) = asked
            .and_then(|asked| translated(&asked))
            .map_err(|why| LaunchError::Unwritable { system: system.name(), why })?;
        Ok(Self { schema: Self::SCHEMA, system: system.name(), parts, caveats })
    }
}

type SnippetsAndCaveats = (Vec<ConfigSnippet>, Vec<String>);
type TranslationResult = Result<SnippetsAndCaveats, UnwritableWord>;

/// What is to be translated.
struct TranslationInput<'a> {
    cpus: Option<&'a CpuSet>,
    policy: Option<&'a Policy>,
    nodes: Option<NodeSet>,
    /// Whether the kernel may move pages within the nodes.
    balancing: bool,
    /// The policy as `nearfar run` takes it, for systems that cannot express it.
    policy_option: String,
    /// The program; `None` for any.
    command: Option<CommandLine>,
}

impl<'a> TranslationInput<'a> {
    fn new(placement: &'a Placement, command: &[OsString]) -> Result<Self, UnwritableWord> {
        let memory = placement.memory.as_ref();
        let words = (!command.is_empty()).then(|| CommandLine::new(command.iter().cloned()));
        Ok(Self {
            cpus: placement.cpus.as_ref().map(|choice| &choice.cpus),
            policy: memory.map(|choice| &choice.policy),
            nodes: memory.and_then(MemoryChoice::nodes),
            balancing: memory.is_some_and(|choice| choice.flags.balancing),
            policy_option: memory.map(MemoryChoice::words).unwrap_or_default().join(" "),
            command: words.transpose()?,
        })
    }

    /// The program's words, or what stands for them. It is no option of what starts it.
    fn command(&self, instead: &str) -> CommandLine {
        let command = self.command.clone();
        command.unwrap_or_else(|| CommandLine::from_text(instead)).started_by([])
    }

    /// The words by which nearfar starts a program with this policy.
    fn starter(&self) -> Vec<String> {
        let words = ["nearfar", "run"].into_iter().chain(self.policy_option.split(' '));
        words.map(str::to_owned).collect()
    }
}

fn part(place: &'static str, text: String) -> ConfigSnippet {
    ConfigSnippet { place, text }
}

#[cfg(test)]
mod tests;
