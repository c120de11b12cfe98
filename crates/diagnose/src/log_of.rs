//! Whether a log is of the machine that the other sources describe.

use nearfar_firmware::linux::{KernelLog, KernelParameters, LogEvent, LogEventKind};
use nearfar_model::{NodeId, NodeSet};

use crate::witnesses::Witnesses;

/// Why a log is not, or may not be, of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogDifference {
    /// Another kernel ran.
    Release {
        /// The release in the log.
        log: String,
        /// The release of the machine.
        machine: String,
    },
    /// Another architecture.
    Architecture {
        /// The architecture in the log.
        log: &'static str,
        /// That of the machine.
        machine: String,
    },
    /// Another model, by its name in DMI or the device tree.
    Model {
        /// The model in the log.
        log: String,
        /// That of the machine.
        machine: String,
    },
    /// The options of the kernels differ.
    CommandLine,
    /// A guest, and a machine that is none.
    Hypervisor {
        /// The hypervisor in the log.
        log: String,
    },
    /// Nodes with memory that the machine does not have.
    Nodes {
        /// The nodes in the log.
        log: NodeSet,
        /// The nodes of the machine.
        machine: NodeSet,
    },
    /// The log does not name its kernel.
    NoRelease,
}

impl Witnesses {
    /// The first difference between a log and this machine.
    pub fn difference(&self, log: &KernelLog) -> Option<LogDifference> {
        let found = [
            self.release_in(log),
            self.architecture_in(log),
            self.model_in(log),
            self.options_in(log),
            self.guest_in(log),
            self.nodes_in(log),
            // Last: an explicit pair of a log and a capture may lack it.
            log.release().is_none().then_some(LogDifference::NoRelease),
        ];
        found.into_iter().flatten().next()
    }

    fn release_in(&self, log: &KernelLog) -> Option<LogDifference> {
        let machine = self.topology.as_ref()?.identity.kernel.clone()?;
        let release = log.release()?;
        // Captures withhold what is no version: "6.1.0-xxxxxx".
        let is_same = same_name(release, &machine);
        (!is_same).then(|| LogDifference::Release { log: release.to_owned(), machine })
    }

    fn architecture_in(&self, log: &KernelLog) -> Option<LogDifference> {
        let machine = self.topology.as_ref()?.identity.arch.clone()?;
        let log = log.events.iter().find_map(|event| match event.kind {
            LogEventKind::MemoryRange { efi: false, .. } => Some("x86"),
            LogEventKind::Architecture { name } => Some(name),
            _ => None,
        })?;
        let is_x86 = machine.starts_with("x86") || machine.starts_with('i');
        let is_arm = machine.starts_with("aarch64") || machine.starts_with("arm");
        let differs = (log == "x86") != is_x86 || (log == "Arm") != is_arm;
        differs.then_some(LogDifference::Architecture { log, machine })
    }

    fn model_in(&self, log: &KernelLog) -> Option<LogDifference> {
        let machine = self.topology.as_ref()?.identity.product.clone()?;
        let log = log.hardware()?;
        let words = |text: &str| text.to_lowercase().replace([',', '/'], " ");
        let (in_log, here) = (words(log), words(&machine));
        let is_withheld = |word: &str| word.chars().all(|c| c == 'x');
        let mut words = here.split_whitespace().filter(|word| !is_withheld(word));
        let differs = words.any(|word| !in_log.contains(word));
        differs.then(|| LogDifference::Model { log: log.to_owned(), machine })
    }

    fn options_in(&self, log: &KernelLog) -> Option<LogDifference> {
        let machine = self.environment.as_ref()?.boot.command_line.as_ref()?;
        let log = KernelParameters::parse(log.command_line()?);
        (log.words != machine.words).then_some(LogDifference::CommandLine)
    }

    fn guest_in(&self, log: &KernelLog) -> Option<LogDifference> {
        // Outputs of programs need not name it.
        let is_guest = self.environment.as_ref()?.hypervisor.is_some() || self.is_sent;
        let name = log.events.iter().find_map(|event| match &event.kind {
            LogEventKind::Hypervisor { name } => Some(name.clone()),
            _ => None,
        })?;
        (!is_guest).then_some(LogDifference::Hypervisor { log: name })
    }

    fn nodes_in(&self, log: &KernelLog) -> Option<LogDifference> {
        let topology = self.topology.as_ref()?;
        let machine = topology.online_nodes();
        let is_emulated =
            |event: &LogEvent| matches!(event.kind, LogEventKind::EmulatedNode { .. });
        let with_cpus = topology.nodes.iter().filter(|node| !node.cpus.is_empty()).count();
        if log.faked() && with_cpus > 1 && !log.events.iter().any(is_emulated) {
            return Some(LogDifference::Nodes { log: NodeSet::from_id(NodeId(0)), machine });
        }
        let nodes = log.events.iter().filter_map(|event| match event.kind {
            LogEventKind::NodeMemory { node, .. } => Some(node),
            _ => None,
        });
        let log: NodeSet = nodes.collect();
        let beyond = log.difference(&machine);
        (!machine.is_empty() && !beyond.is_empty()).then_some(LogDifference::Nodes { log, machine })
    }
}

/// Whether two names are equal but for what a capture withholds.
fn same_name(left: &str, right: &str) -> bool {
    let letters = |text: &str| text.chars().collect::<Vec<_>>();
    let (left, right) = (letters(left), letters(right));
    let withheld = |c: char| c == 'x';
    left.len() == right.len()
        && left.iter().zip(&right).all(|(&a, &b)| a == b || withheld(a) || withheld(b))
}

#[cfg(test)]
mod tests {
    use nearfar_machine::Source;

    use super::*;

    fn machine() -> Witnesses {
        Witnesses::read(&Source::from_files([
            ("/sys/devices/system/cpu/online", "0-1"),
            ("/sys/devices/system/node/online", "0-1"),
            ("/sys/devices/system/node/node0/cpulist", "0"),
            ("/sys/devices/system/node/node1/cpulist", "1"),
            ("/proc/cmdline", "root=/dev/sda1 ro numa_balancing=disable"),
            ("/proc/sys/kernel/osrelease", "6.1.0-28-amd64\n"),
            ("/proc/version", "Linux version 6.1.0-28-amd64 (x)"),
            ("/proc/sys/kernel/arch", "x86_64"),
            ("/sys/class/dmi/id/product_name", "PowerEdge R740"),
        ]))
    }

    fn difference(lines: &str) -> Option<LogDifference> {
        machine().difference(&KernelLog::parse(lines.as_bytes()))
    }

    #[test]
    fn a_log_of_the_machine_has_no_difference() {
        let own = "Linux version 6.1.0-28-amd64 (x)\n\
                   Command line: root=/dev/sda1 ro numa_balancing=disable\n\
                   BIOS-e820: [mem 0x0000000000100000-0x000000007ffdffff] usable\n\
                   DMI: Dell Inc. PowerEdge R740/0ABC, BIOS 2.1 01/01/2020\n  \
                   node   1: [mem 0x0000000040000000-0x000000007ffdffff]\n";
        assert_eq!(difference(own), None);
        assert_eq!(difference(&own.replace("28-amd64", "xx-xxxxx")), None);
    }

    #[test]
    fn each_difference_is_found() {
        let version = "Linux version 6.1.0-28-amd64 (x)\n";
        for (lines, expected) in [
            ("ACPI: SRAT: SRAT not used.", "no-release"),
            ("Linux version 5.4.82 (x@y)", "release"),
            ("Booting Linux on physical CPU 0x0000000000 [0x410fd0c1]", "architecture"),
            ("DMI: Supermicro X11DPi-N/X11DPi-N, BIOS 3.0", "model"),
            ("DMI: Dell Inc. PowerEdge R640/0ABC, BIOS 2.1 01/01/2020", "model"),
            ("No NUMA configuration found", "nodes"),
            ("Command line: ro numa=off", "options"),
            ("Hypervisor detected: KVM", "hypervisor"),
            ("  node   7: [mem 0x0000000040000000-0x000000007ffdffff]", "nodes"),
        ] {
            let has_version = matches!(expected, "no-release" | "release");
            let lines = if has_version { lines.to_owned() } else { format!("{version}{lines}") };
            let name = difference(&lines).map(|found| match found {
                LogDifference::Release { .. } => "release",
                LogDifference::Architecture { .. } => "architecture",
                LogDifference::Model { .. } => "model",
                LogDifference::CommandLine => "options",
                LogDifference::Hypervisor { .. } => "hypervisor",
                LogDifference::Nodes { .. } => "nodes",
                LogDifference::NoRelease => "no-release",
            });
            assert_eq!(name, Some(expected), "{lines}");
        }
    }
}
