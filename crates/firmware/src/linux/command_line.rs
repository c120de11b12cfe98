//! The parameters of the kernel's command line that affect NUMA.

use serde::Serialize;

use crate::linux::parameters::{KernelParameters, ParameterReader};

/// The parameters of the kernel's command line that affect NUMA. Linux reads them early, one by
/// one: `numa=off` and `numa=fake=4` may be combined.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CommandLine {
    /// `numa=off`.
    pub numa_off: bool,
    /// `numa=noacpi` (x86): no SRAT.
    pub no_srat: bool,
    /// `numa=nohmat` (x86, Linux 5.13 and later): no HMAT.
    pub no_hmat: bool,
    /// `numa=fake=`: emulated nodes.
    pub emulation: Option<Emulation>,
    /// `acpi=off`: no tables at all.
    pub acpi_off: bool,
    /// `acpi=force` or `acpi=on`: tables even where there is a device tree (Arm).
    pub acpi_forced: bool,
    /// `nosmp`, `maxcpus=` and `nr_cpus=`: maximum number of CPUs.
    #[serde(rename = "most_cpus")]
    pub max_cpus: Option<usize>,
    /// `mem=` in bytes: the highest address (x86), or the maximum size.
    pub memory_limit_bytes: Option<u64>,
    /// `memmap=`: the memory map differs from firmware's.
    pub map_changed: bool,
}

/// Emulated nodes (`numa=fake=`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Emulation {
    /// `numa=fake=4`: this number of nodes.
    Nodes(u32),
    /// `numa=fake=4U`: this number of nodes per physical node.
    PerNode(u32),
    /// `numa=fake=2G`: nodes of this size in bytes.
    Bytes(u64),
}

impl CommandLine {
    /// Parses a command line, as in `/proc/cmdline`. Never fails: unknown parameters are ignored.
    ///
    /// # References
    ///
    /// Documentation/admin-guide/kernel-parameters.txt;
    /// Documentation/arch/x86/x86_64/boot-options.rst
    pub fn parse(text: &str) -> Self {
        Self::of(&KernelParameters::parse(text))
    }

    /// The same of the known parameters.
    pub fn of(parameters: &KernelParameters) -> Self {
        let mut line = Self::default();
        for word in parameters.of(&[ParameterReader::Decision]) {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            line.take(name, value);
        }
        line
    }

    fn take(&mut self, name: &str, value: &str) {
        match name {
            "numa" => self.take_numa(value),
            "acpi" => match value {
                "off" => self.acpi_off = true,
                "force" | "on" => (self.acpi_forced, self.acpi_off) = (true, false),
                _ => {}
            },
            "nosmp" => self.at_most(1),
            // 0 means the same as `nosmp`: only the boot CPU.
            "maxcpus" | "nr_cpus" => {
                value.parse().into_iter().for_each(|count: usize| self.at_most(count.max(1)));
            }
            "mem" => self.memory_limit_bytes = size(value).or(self.memory_limit_bytes),
            "memmap" => self.map_changed = true,
            _ => {}
        }
    }

    /// Linux compares only the beginning of the value.
    fn take_numa(&mut self, value: &str) {
        if value.starts_with("off") {
            self.numa_off = true;
        } else if let Some(fake) = value.strip_prefix("fake=") {
            self.emulation = emulation(fake);
        } else if value.starts_with("noacpi") {
            self.no_srat = true;
        } else if value.starts_with("nohmat") {
            self.no_hmat = true;
        }
    }

    fn at_most(&mut self, count: usize) {
        self.max_cpus = Some(self.max_cpus.map_or(count, |most| most.min(count)));
    }
}

/// A plain number is a count, with M or G a size, with U a count per node.
fn emulation(value: &str) -> Option<Emulation> {
    let digits = value.trim_end_matches(['u', 'U']);
    if digits.len() < value.len() {
        return digits.parse().ok().map(Emulation::PerNode);
    }
    if value.contains(['m', 'M', 'g', 'G']) {
        return size(value).map(Emulation::Bytes);
    }
    value.parse().ok().map(Emulation::Nodes)
}

/// A size in the kernel's notation: "512M", "0x1000", "2G". `None` for words such as "nopentium".
fn size(value: &str) -> Option<u64> {
    let (digits, radix) = value.strip_prefix("0x").map_or((value, 10), |digits| (digits, 16));
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let number = u64::from_str_radix(&digits[..end], radix).ok()?;
    let shift = match digits[end..].chars().next().map(|unit| unit.to_ascii_uppercase()) {
        None => 0,
        Some('K') => 10,
        Some('M') => 20,
        Some('G') => 30,
        Some('T') => 40,
        Some(_) => return None,
    };
    number.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numa_parameters_are_parsed() {
        let line = CommandLine::parse(
            "BOOT_IMAGE=/vmlinuz ro numa=off acpi=off numa=noacpi numa=nohmat quiet\n",
        );
        assert!(line.numa_off && line.acpi_off && line.no_srat && line.no_hmat);
        assert!(!CommandLine::parse("numabalancing=off xnuma=off").numa_off);
    }

    #[test]
    fn fake_nodes_by_count_size_or_per_node() {
        let fake = |text: &str| CommandLine::parse(&format!("numa=fake={text}")).emulation;
        assert_eq!(fake("4"), Some(Emulation::Nodes(4)));
        assert_eq!(fake("2U"), Some(Emulation::PerNode(2)));
        assert_eq!(fake("512M"), Some(Emulation::Bytes(512 << 20)));
        assert_eq!(fake("lots"), None);
    }

    #[test]
    fn lowest_cpu_count_and_last_size_win() {
        let line = CommandLine::parse("maxcpus=8 nr_cpus=4 mem=2G mem=nopentium memmap=1G$4G");
        assert_eq!(
            (line.max_cpus, line.memory_limit_bytes, line.map_changed),
            (Some(4), Some(2 << 30), true)
        );
        assert_eq!(CommandLine::parse("maxcpus=0").max_cpus, Some(1));
        assert_eq!(CommandLine::parse("mem=99999999999999999999G").memory_limit_bytes, None);
    }

    #[test]
    fn parameters_for_init_are_ignored() {
        assert!(!CommandLine::parse("quiet -- numa=off").numa_off);
    }
}
