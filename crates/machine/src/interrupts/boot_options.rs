//! Options of the kernel's command line about interrupts.

use nearfar_firmware::linux::{KernelParameters, ParameterReader};
use nearfar_model::CpuSet;
use serde::Serialize;

use crate::source::Source;

/// What the command line sets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct IrqBootOptions {
    /// `irqaffinity=`: the CPUs that new interrupts may run on.
    pub default_cpus: Option<CpuSet>,
    /// `isolcpus=managed_irq,...`: the CPUs that managed interrupts avoid.
    pub managed_avoid: Option<CpuSet>,
}

impl IrqBootOptions {
    /// Reads `/proc/cmdline`.
    pub(super) fn read(source: &Source) -> Self {
        Self::parse(&source.text("/proc/cmdline").unwrap_or_default())
    }

    /// The last of several options counts.
    ///
    /// # References
    ///
    /// Documentation/admin-guide/kernel-parameters.txt
    pub(super) fn parse(command_line: &str) -> Self {
        let mut options = Self::default();
        let parameters = KernelParameters::parse(command_line);
        for word in parameters.of(&[ParameterReader::Interrupts]) {
            if let Some(list) = word.strip_prefix("irqaffinity=") {
                options.default_cpus = CpuSet::parse_list(list).ok();
            }
            if let Some(list) = word.strip_prefix("isolcpus=") {
                options.managed_avoid = managed(list);
            }
        }
        options
    }
}

/// `managed_irq,domain,2-7`: flags stand before the CPUs.
fn managed(text: &str) -> Option<CpuSet> {
    let is_flag = |part: &&str| part.starts_with(|letter: char| letter.is_ascii_alphabetic());
    let parts: Vec<&str> = text.split(',').collect();
    let flags = parts.iter().take_while(|part| is_flag(part)).count();
    let is_managed = parts[..flags].contains(&"managed_irq");
    is_managed.then(|| CpuSet::parse_list(&parts[flags..].join(",")).ok())?
}
