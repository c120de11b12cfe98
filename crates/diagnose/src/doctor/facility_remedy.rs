//! What makes a facility available.

use serde::{Deserialize, Serialize};

/// What makes a facility available.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum FacilityRemedy {
    /// Run the same command as root, or with a capability.
    RunAsRoot {
        /// The capability that suffices; null where none does.
        capability: Option<String>,
    },
    /// A command of the host's shell.
    Command {
        /// The command.
        command: String,
        /// Whether only root may run it.
        needs_root: bool,
    },
    /// A parameter of the kernel's command line, or an option of a hypervisor.
    Configure {
        /// What is configured.
        what: String,
        /// The setting.
        setting: String,
    },
    /// Options of `docker run` and `podman run`.
    Docker {
        /// The options.
        options: String,
    },
    /// Fields of a container in a pod, or of the pod.
    Kubernetes {
        /// The fields, in YAML's flow style.
        fields: String,
    },
    /// A newer kernel.
    Kernel {
        /// The release.
        since: String,
    },
}

impl FacilityRemedy {
    pub(crate) fn root() -> Self {
        Self::RunAsRoot { capability: None }
    }

    pub(crate) fn capability(name: &str) -> Self {
        Self::RunAsRoot { capability: Some(name.to_owned()) }
    }

    pub(crate) fn command(command: &str) -> Self {
        Self::Command { command: command.to_owned(), needs_root: true }
    }

    pub(crate) fn configure(what: &str, setting: &str) -> Self {
        Self::Configure { what: what.to_owned(), setting: setting.to_owned() }
    }

    pub(crate) fn docker(options: &str) -> Self {
        Self::Docker { options: options.to_owned() }
    }

    pub(crate) fn kubernetes(fields: &str) -> Self {
        Self::Kubernetes { fields: fields.to_owned() }
    }

    pub(crate) fn kernel(since: &str) -> Self {
        Self::Kernel { since: since.to_owned() }
    }
}
