//! What was set, as data.

use nearfar_machine::interrupts::{Balancer, BalancerState, InterruptSetting};
use nearfar_model::{CpuSet, NodeId};
use serde::Serialize;

use crate::irq_set::DeviceFacts;
use crate::irq_set::SavedSetting;
use crate::irq_set::UndoResult;
use crate::irq_set::applying::SettingResult;

/// What a document is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IrqSetAction {
    /// It was set.
    Set,
    /// It would be set.
    DryRun,
    /// An earlier set was undone.
    Undo,
    /// It would be undone.
    UndoDryRun,
}

/// What may undo or weaken a set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum IrqSetWarning {
    /// irqbalance runs, and does not leave these interrupts alone.
    Irqbalance {
        /// The interrupts.
        interrupts: Vec<u32>,
        /// Its policy script, which may decide otherwise.
        policy_script: Option<String>,
    },
    /// CPUs of another node than the device's.
    FarCpus {
        /// The CPUs.
        cpus: CpuSet,
        /// The CPUs near the device.
        near: CpuSet,
    },
    /// An interrupt that other devices have, too.
    SharedInterrupt {
        /// The interrupt.
        interrupt: u32,
        /// The other devices.
        devices: Vec<String>,
    },
}

/// A set, an undo, or what they would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct IrqSetDocument {
    schema: &'static str,
    /// What was done.
    pub action: IrqSetAction,
    /// The device's label.
    pub device: String,
    /// Its PCI address.
    pub address: String,
    /// Its node; `None` if unknown.
    pub node: Option<NodeId>,
    /// The CPUs near it; empty if unknown.
    pub near: CpuSet,
    /// The files that were set.
    pub settings: Vec<SettingResult>,
    /// The files that have their earlier text again.
    pub restored: Vec<SavedSetting>,
    /// The files to restore that no longer exist.
    pub gone: Vec<InterruptSetting>,
    /// The files to restore that refused.
    pub refused: Vec<RefusedSetting>,
    /// What may undo or weaken it.
    pub warnings: Vec<IrqSetWarning>,
}

/// A file that refused its earlier text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct RefusedSetting {
    /// The file.
    pub setting: InterruptSetting,
    /// The reason.
    pub why: String,
}

impl IrqSetDocument {
    /// The schema of these documents.
    pub const SCHEMA: &str = "nearfar.irq-set/1";

    /// A document without settings.
    pub fn new(action: IrqSetAction, device: &DeviceFacts) -> Self {
        Self {
            schema: Self::SCHEMA,
            action,
            device: device.label.clone(),
            address: device.address.to_string(),
            node: device.node,
            near: device.near.clone(),
            settings: Vec::new(),
            restored: Vec::new(),
            gone: Vec::new(),
            refused: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// The document of a set, with its warnings.
    #[must_use]
    pub fn with_settings(
        mut self,
        settings: Vec<SettingResult>,
        device: &DeviceFacts,
        balancer: &Balancer,
    ) -> Self {
        self.settings = settings;
        let irqs: Vec<u32> = self.settings.iter().filter_map(SettingResult::irq).collect();
        let is_left_alone = |irq: &u32| balancer.banned_interrupts.contains(irq);
        let moved: Vec<u32> = irqs.iter().copied().filter(|irq| !is_left_alone(irq)).collect();
        if balancer.state == BalancerState::Running && !moved.is_empty() {
            let policy_script = balancer.policy_script.clone();
            self.warnings.push(IrqSetWarning::Irqbalance { interrupts: moved, policy_script });
        }
        let wanted: CpuSet =
            self.settings.iter().flat_map(|setting| setting.change.cpus.iter()).collect();
        let far = wanted.difference(&self.near);
        if !self.near.is_empty() && !far.is_empty() {
            self.warnings.push(IrqSetWarning::FarCpus { cpus: far, near: self.near.clone() });
        }
        for irq in device.interrupts.iter().filter(|interrupt| irqs.contains(&interrupt.number)) {
            if !irq.shared_with.is_empty() {
                let (interrupt, devices) = (irq.number, irq.shared_with.clone());
                self.warnings.push(IrqSetWarning::SharedInterrupt { interrupt, devices });
            }
        }
        self
    }

    /// The document of an undo.
    #[must_use]
    pub fn with_undo(mut self, undone: UndoResult) -> Self {
        self.restored = undone.restored;
        self.gone = undone.gone;
        let refused = undone.refused.into_iter();
        self.refused = refused.map(|(setting, why)| RefusedSetting { setting, why }).collect();
        self
    }
}
