//! The kernel parameters that nearfar reads: one table, with the shapes of their values.
//!
//! A command line holds other people's business: tokens, passwords, hosts. Every reader gets its
//! parameters from this table, so that captures and surveys keep these and nothing else.

use serde::{Serialize, Serializer};

/// Who reads a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterReader {
    /// [`CommandLine`](crate::linux::CommandLine): the kernel's decision about nodes.
    Decision,
    /// A diagnosis, which quotes it as evidence.
    Evidence,
    /// The options about interrupts.
    Interrupts,
    /// Comparisons of settings: topologies, surveys, fleets.
    Settings,
}

/// A parameter that is read.
#[derive(Debug)]
pub struct KernelParameter {
    /// Its name: "numa".
    pub name: &'static str,
    /// Who reads it.
    pub reader: ParameterReader,
    /// The words of its values; numbers may stand beside them.
    words: &'static [&'static str],
}

use ParameterReader::{Decision, Evidence, Interrupts, Settings};

const ON_OFF: &[&str] = &["on", "off", "0", "1", "y", "n", "enable", "disable"];
const MITIGATIONS: &[&str] = &[
    "off",
    "auto",
    "nosmt",
    "no_user_kernel",
    "no_user_user",
    "no_guest_host",
    "no_guest_guest",
    "no_cross_thread",
];
const HUGE_PAGES: &[&str] =
    &["always", "madvise", "never", "advise", "within_size", "deny", "force"];

/// Documentation/admin-guide/kernel-parameters.txt.
static PARAMETERS: [KernelParameter; 48] = [
    of("numa", Decision, &["off", "noacpi", "nohmat", "fake"]),
    of("acpi", Decision, &["off", "force", "on", "strict", "rsdt", "copy_dsdt", "noirq", "ht"]),
    of("nosmp", Decision, &[]),
    of("maxcpus", Decision, &[]),
    of("nr_cpus", Decision, &[]),
    of("mem", Decision, &["nopentium"]),
    of("memmap", Decision, &["exactmap"]),
    of("possible_cpus", Evidence, &[]),
    of("numa_balancing", Evidence, ON_OFF),
    of("numa_policy", Evidence, &["default", "bind", "interleave", "local", "prefer"]),
    of("mempolicy.force_numa", Evidence, ON_OFF),
    of("numa_zonelist_order", Evidence, &["default", "node", "zone"]),
    of("irqaffinity", Interrupts, &[]),
    of("isolcpus", Interrupts, &["managed_irq", "domain", "nohz", "all"]),
    of("acpi_irq_balance", Settings, &[]),
    of("acpi_irq_nobalance", Settings, &[]),
    of("amd_pstate", Settings, &["disable", "passive", "active", "guided", "enable"]),
    of(
        "cgroup_disable",
        Settings,
        &["memory", "cpuset", "cpu", "cpuacct", "io", "pids", "pressure"],
    ),
    of("cgroup_no_v1", Settings, &["all", "memory", "cpuset", "cpu", "cpuacct", "io", "pids"]),
    of("clocksource", Settings, &["tsc", "hpet", "acpi_pm", "kvm-clock", "jiffies", "xen"]),
    of("cpuidle.off", Settings, ON_OFF),
    of("cpuidle.governor", Settings, &["menu", "teo", "ladder", "haltpoll"]),
    of("default_hugepagesz", Settings, &[]),
    of("efi_fake_mem", Settings, &[]),
    of("hugepages", Settings, &[]),
    of("hugepagesz", Settings, &[]),
    of("hugetlb_cma", Settings, &[]),
    of("idle", Settings, &["poll", "halt", "nomwait"]),
    of("intel_idle.max_cstate", Settings, &[]),
    of("intel_pstate", Settings, &["disable", "passive", "force", "no_hwp", "active"]),
    of("kernelcore", Settings, &["mirror"]),
    of("mem_encrypt", Settings, ON_OFF),
    of("memhp_default_state", Settings, &["online", "offline", "online_kernel", "online_movable"]),
    of("mitigations", Settings, MITIGATIONS),
    of("mminit_loglevel", Settings, &[]),
    of("movable_node", Settings, &[]),
    of("movablecore", Settings, &[]),
    of("nohz", Settings, ON_OFF),
    of("nohz_full", Settings, &["all"]),
    of("nosmt", Settings, &["force"]),
    of("processor.max_cstate", Settings, &[]),
    of("rcu_nocb_poll", Settings, &[]),
    of("rcu_nocbs", Settings, &["all"]),
    of("thp_anon", Settings, HUGE_PAGES),
    of("transparent_hugepage", Settings, HUGE_PAGES),
    of("transparent_hugepage_shmem", Settings, HUGE_PAGES),
    of("tsc", Settings, &["reliable", "noirqtime", "unstable", "nowatchdog", "watchdog"]),
    of("tsc_early_khz", Settings, &[]),
];

const fn of(
    name: &'static str,
    reader: ParameterReader,
    words: &'static [&'static str],
) -> KernelParameter {
    KernelParameter { name, reader, words }
}

/// Maximum length of a value: every second one of 8,192 CPUs takes 20 KB.
const MAX_BYTES: usize = 32 << 10;
/// Maximum digits of a number. More are no size, address or CPU.
const MAX_DIGITS: usize = 12;

impl KernelParameter {
    /// All parameters that are read.
    pub fn all() -> &'static [Self] {
        &PARAMETERS
    }

    fn named(name: &str) -> Option<&'static Self> {
        PARAMETERS.iter().find(|one| one.name == name)
    }

    /// Whether a value has the shape that the reader reads: the parameter's words, and numbers.
    fn fits(&self, value: &str) -> bool {
        let parts = value.split([',', ':', '@', '#', '$', '!', '=', '/']);
        value.len() <= MAX_BYTES
            && parts.into_iter().all(|part| {
                self.words.contains(&part) || part.split('-').all(is_number) || part.is_empty()
            })
    }
}

/// "4", "4U", "0x1000", "512M".
fn is_number(text: &str) -> bool {
    let (digits, radix) = text.strip_prefix("0x").map_or((text, 10), |digits| (digits, 16));
    let digits = match radix {
        10 => digits.trim_end_matches(|c: char| "kKmMgGtTuUN".contains(c)),
        _ => digits,
    };
    let unit = text.len() - digits.len() - if radix == 16 { 2 } else { 0 };
    unit <= 1
        && digits.len() <= MAX_DIGITS
        && digits.chars().all(|c| c.is_digit(radix))
        && !(digits.is_empty() && text.starts_with("0x"))
}

/// The parameters of a command line that are read; others are only counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelParameters {
    /// The words with a value of the right shape, in order: "numa=off".
    pub words: Vec<String>,
    /// Names of parameters whose value has another shape than those that are read.
    pub not_understood: Vec<String>,
    /// Number of other words.
    pub others: usize,
}

impl KernelParameters {
    /// Parses a command line, as in `/proc/cmdline`. What follows "--" is for init, and counted.
    ///
    /// # References
    ///
    /// lib/cmdline.c: next_arg; blanks between quotes belong to the value
    pub fn parse(text: &str) -> Self {
        let mut found = Self::default();
        let mut is_kernels = true;
        for word in words(text) {
            is_kernels &= word != "--";
            let (name, value) = word.split_once('=').unwrap_or((&word, ""));
            match KernelParameter::named(name).filter(|_| is_kernels) {
                None => found.others += 1,
                Some(parameter) if parameter.fits(value) => found.words.push(word),
                Some(parameter) => found.not_understood.push(parameter.name.to_owned()),
            }
        }
        found
    }

    /// The known words as a command line.
    pub fn text(&self) -> String {
        self.words.join(" ")
    }

    /// The known words of these readers.
    pub fn of(&self, readers: &'static [ParameterReader]) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str).filter(|word| {
            let name = word.split('=').next().unwrap_or(word);
            KernelParameter::named(name).is_some_and(|one| readers.contains(&one.reader))
        })
    }
}

nearfar_model::schema_as!(KernelParameters: String);

/// As a text: "numa=off isolcpus=2-3".
impl Serialize for KernelParameters {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text())
    }
}

/// The words of a command line, without quotes.
fn words(text: &str) -> impl Iterator<Item = String> {
    let mut is_quoted = false;
    let words = text.split(move |letter: char| {
        is_quoted ^= letter == '"';
        !is_quoted && (letter.is_whitespace() || letter == '\0')
    });
    words.map(|word| word.replace('"', "")).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux::CommandLine;

    fn sample(parameter: &KernelParameter) -> String {
        let value = match parameter.name {
            "nosmp" => return "nosmp".to_owned(),
            name if parameter.words.is_empty() || name == "mem" => "1",
            _ => parameter.words[0],
        };
        format!("{}={value}", parameter.name)
    }

    #[test]
    fn every_parameter_of_the_table_is_read() {
        for parameter in KernelParameter::all() {
            let line = CommandLine::parse(&sample(parameter));
            assert_eq!(KernelParameters::parse(&sample(parameter)).words.len(), 1);
            let decides = line != CommandLine::default();
            assert_eq!(decides, parameter.reader == Decision, "{}", parameter.name);
        }
    }

    #[test]
    fn values_have_the_shape_of_their_parameter() {
        let line = "root=/dev/sda numa=fake=4U numa=offSECRET mem=4G memmap=1G$4G,64K#0x100000 \
                    isolcpus=managed_irq,2-7:1/4 isolcpus=apollo mypassword=numa=off acpi=http://x \
                    numa=53454352455430315345 nosmp \"dyndbg=file a.c numa=off +p\" mem=\"8G\" \
                    quiet -- numa=off";
        let found = KernelParameters::parse(line);
        assert_eq!(
            found.words,
            [
                "numa=fake=4U",
                "mem=4G",
                "memmap=1G$4G,64K#0x100000",
                "isolcpus=managed_irq,2-7:1/4",
                "nosmp",
                "mem=8G",
            ]
        );
        assert_eq!(found.not_understood, ["numa", "isolcpus", "acpi", "numa"]);
        assert_eq!(found.others, 6);
        assert_eq!(found.of(&[Interrupts]).count(), 1);
    }
}
