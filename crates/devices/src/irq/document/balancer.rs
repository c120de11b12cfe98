//! irqbalance.

use nearfar_machine::interrupts::{Balancer, BalancerState};
use nearfar_model::CpuSet;
use serde::{Deserialize, Serialize};

/// irqbalance and its policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct IrqBalancer {
    /// Whether it runs.
    pub state: IrqBalancerState,
    /// Its arguments; empty if it does not run.
    pub arguments: Vec<String>,
    /// The file with its options; null if there is none.
    pub file: Option<String>,
    /// The options of this file. They apply from its next start.
    pub file_options: Vec<String>,
    /// Interrupts that it leaves alone.
    pub banned_interrupts: Vec<u32>,
    /// CPUs that its file excludes; null without such an option.
    #[schemars(with = "Option<String>")]
    pub banned_cpus: Option<CpuSet>,
    /// The script that decides for each interrupt; null without one.
    pub policy_script: Option<String>,
}

/// Whether irqbalance runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IrqBalancerState {
    /// A process of this name runs.
    Running,
    /// No visible process has this name. A container shows only its own processes.
    NotSeen,
    /// Unknown: a capture shows no other processes.
    Unknown,
}

impl From<&Balancer> for IrqBalancer {
    fn from(read: &Balancer) -> Self {
        Self {
            state: match read.state {
                BalancerState::Running => IrqBalancerState::Running,
                BalancerState::NotSeen => IrqBalancerState::NotSeen,
                BalancerState::Unknown => IrqBalancerState::Unknown,
            },
            arguments: read.arguments.clone(),
            file: read.file.clone(),
            file_options: read.file_options.clone(),
            banned_interrupts: read.banned_interrupts.clone(),
            banned_cpus: read.banned_cpus.clone(),
            policy_script: read.policy_script.clone(),
        }
    }
}
