//! Which machine a survey describes.

use nearfar_machine::{CpuFamily, Environment, Topology};
use nearfar_model::Bytes;
use serde::{Deserialize, Serialize};

/// Who the machine is, in a line's worth of facts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MachineSummary {
    /// The host's name. Absent unless 'nearfar survey --host' or a job of Slurm names it: a
    /// document is private otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// A hash of the board's serial number, 16 hexadecimal digits, by which 'nearfar fleet' sees
    /// that a host has another name or another board. Absent without the host's name, with
    /// '--no-board', where only root could read it, and from earlier documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub board: Option<String>,
    /// The CPU's model name; "unknown" where the kernel does not report it.
    pub model: String,
    /// The product's name as its vendor gives it.
    pub product: Option<String>,
    /// Packages (sockets) with an online CPU.
    pub packages: usize,
    /// Cores with an online CPU.
    pub cores: usize,
    /// Online logical CPUs.
    pub cpus: usize,
    /// Online nodes.
    pub nodes: usize,
    /// Memory that the kernel manages.
    #[schemars(with = "Option<u64>")]
    pub memory_bytes: Option<Bytes>,
    /// As `uname -m` has it.
    pub arch: String,
    /// The kernel's release.
    pub kernel: Option<String>,
    /// The hypervisor; null on bare metal as far as can be seen.
    pub hypervisor: Option<String>,
    /// The numbers of an x86 CPU, which it has where a hypervisor hides its name; absent from
    /// earlier documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpuid: Option<CpuNumbers>,
}

/// What CPUID calls a CPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CpuNumbers {
    /// "GenuineIntel", "AuthenticAMD".
    pub vendor: String,
    /// The family, its extension added: 6, 25.
    pub family: u32,
    /// The model, its extension added.
    pub model: u32,
}

impl From<CpuFamily> for CpuNumbers {
    fn from(CpuFamily { vendor, family, model }: CpuFamily) -> Self {
        Self { vendor, family, model }
    }
}

impl MachineSummary {
    /// The machine of a topology.
    pub fn new(topology: &Topology, environment: &Environment) -> Self {
        let identity = &topology.identity;
        Self {
            host: None,
            board: None,
            model: identity.model.clone().unwrap_or_else(|| "unknown".to_owned()),
            product: identity.product.clone(),
            packages: topology.packages().len(),
            cores: topology.cores().len(),
            cpus: topology.online().len(),
            nodes: topology.online_nodes().len(),
            memory_bytes: topology.memory_total,
            arch: identity.arch.clone().unwrap_or_else(|| "unknown".to_owned()),
            kernel: identity.kernel.clone(),
            hypervisor: environment.hypervisor.clone(),
            cpuid: topology.cpu_family.clone().map(Into::into),
        }
    }

    /// A short name for screens and files: "EPYC-7451-2P", "QEMU-guest-8-nodes".
    pub fn short_name(&self) -> String {
        if self.has_an_emulators_model() {
            let nodes = if self.nodes == 1 { "node" } else { "nodes" };
            return format!("QEMU-guest-{}-{nodes}", self.nodes);
        }
        const NOISE: [&str; 9] =
            ["AMD", "Intel", "CPU", "Processor", "with", "Radeon", "Graphics", "unknown", "Core"];
        let without_marks = self.model.replace("(R)", " ").replace("(TM)", " ").replace("(r)", " ");
        let plain = without_marks.split('@').next().unwrap_or_default().split_whitespace();
        let words = plain.filter(|word| !NOISE.contains(word) && !word.ends_with("-Core"));
        let clean = words.map(|word| {
            word.chars().filter(|c| c.is_ascii_alphanumeric() || "-.".contains(*c)).collect()
        });
        let name =
            clean.filter(|word: &String| !word.is_empty()).take(4).collect::<Vec<_>>().join("-");
        let name = if name.is_empty() { self.arch.clone() } else { name };
        format!("{name}-{}P", self.packages)
    }

    /// Whether the model is that of QEMU's own CPUs, which names no hardware: "QEMU TCG CPU version
    /// 2.5+", "QEMU Virtual CPU version 2.5+".
    fn has_an_emulators_model(&self) -> bool {
        self.model.starts_with("QEMU ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(model: &str, packages: usize) -> String {
        let machine = MachineSummary {
            host: None,
            board: None,
            model: model.to_owned(),
            product: None,
            packages,
            cores: 1,
            cpus: 1,
            nodes: 1,
            memory_bytes: None,
            arch: "aarch64".to_owned(),
            kernel: None,
            hypervisor: None,
            cpuid: None,
        };
        machine.short_name()
    }

    #[test]
    fn short_names_distinguish_machines() {
        assert_eq!(named("AMD EPYC 7451 24-Core Processor", 2), "EPYC-7451-2P");
        assert_eq!(named("Intel(R) Xeon(R) CPU E5-2682 v4 @ 2.50GHz", 2), "Xeon-E5-2682-v4-2P");
        assert_eq!(named("QEMU TCG CPU version 2.5+", 2), "QEMU-guest-1-node");
        assert_eq!(named("unknown", 1), "aarch64-1P");
        assert_eq!(named("../../etc/passwd\n", 1), "....etcpasswd-1P");
    }
}
