//! irqbalance: whether it runs, and its policy.

use nearfar_model::CpuSet;
use serde::Serialize;

use crate::source::Source;

/// Files with its options on Debian, on Fedora and openSUSE.
const FILES: [&str; 2] = ["/etc/default/irqbalance", "/etc/sysconfig/irqbalance"];
/// Maximum number of processes that are looked at.
const MAX_PROCESSES: usize = 1 << 20;

/// Whether irqbalance runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BalancerState {
    /// A process of this name runs.
    Running,
    /// No visible process has this name. A container shows only its own processes.
    NotSeen,
    /// The source shows no processes: captures have none but irqbalance.
    #[default]
    Unknown,
}

/// irqbalance and its options.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Balancer {
    /// Whether it runs.
    pub state: BalancerState,
    /// Its arguments; empty if it does not run.
    pub arguments: Vec<String>,
    /// The file with its options; `None` if there is none.
    pub file: Option<String>,
    /// The options of this file.
    pub file_options: Vec<String>,
    /// Interrupts that it leaves alone (`--banirq`).
    pub banned_interrupts: Vec<u32>,
    /// CPUs that it leaves alone; `None` if the CPUs that are isolated.
    pub banned_cpus: Option<CpuSet>,
    /// The script that decides for each interrupt (`--policyscript`).
    pub policy_script: Option<String>,
}

impl Balancer {
    /// Looks for the process and its options.
    ///
    /// # References
    ///
    /// irqbalance(1)
    pub(super) fn read(source: &Source) -> Self {
        let mut balancer = Self::default();
        // Names of other processes are not recorded.
        let unrecorded = source.unrecorded();
        let pids = unrecorded.numbered("/proc", "");
        let comm = |pid: &u32| format!("/proc/{pid}/comm");
        let is_it = |pid: &&u32| unrecorded.text(&comm(pid)).as_deref() == Some("irqbalance");
        // A process that has ended, and whose parent has not collected it, has no command line.
        let command_line = |pid: &u32| format!("/proc/{pid}/cmdline");
        let has_ended =
            |pid: &&u32| unrecorded.read(&command_line(pid)).is_some_and(|words| words.is_empty());
        let mut found = pids.iter().take(MAX_PROCESSES).filter(|pid| is_it(pid) && !has_ended(pid));
        balancer.state = match found.next() {
            Some(pid) => {
                source.text(&comm(pid));
                let bytes = source.read(&command_line(pid)).unwrap_or_default();
                let text = String::from_utf8_lossy(&bytes);
                let words = text.split('\0').skip(1).filter(|word| !word.is_empty());
                balancer.arguments = words.map(str::to_owned).collect();
                BalancerState::Running
            }
            None if source.is_live() => BalancerState::NotSeen,
            None => BalancerState::Unknown,
        };
        let file = FILES.iter().find_map(|file| Some((*file, source.text(file)?)));
        if let Some((file, text)) = file {
            balancer.file = Some(file.to_owned());
            balancer.file_options = file_options(&text);
        }
        balancer.take_options();
        balancer
    }

    /// What the arguments ban. The file's arguments are the process's, once it was restarted.
    fn take_options(&mut self) {
        let mut words = self.arguments.iter();
        while let Some(word) = words.next() {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (word.as_str(), None),
            };
            let mut value = || value.or_else(|| words.next().map(String::as_str));
            match name {
                "--banirq" | "-i" => {
                    self.banned_interrupts
                        .extend(value().and_then(|value| value.parse::<u32>().ok()));
                }
                "--policyscript" | "-l" => self.policy_script = value().map(str::to_owned),
                // A short option and its value may be one word.
                _ => {
                    let number =
                        word.strip_prefix("-i").and_then(|prefix| prefix.parse::<u32>().ok());
                    self.banned_interrupts.extend(number);
                }
            }
        }
        let of = |name: &str| {
            let mut options = self.file_options.iter();
            options.find_map(|line| Some(unquoted(line.strip_prefix(name)?.strip_prefix('=')?)))
        };
        self.banned_cpus = of("IRQBALANCE_BANNED_CPULIST")
            .and_then(|list| CpuSet::parse_list(list).ok())
            .or_else(|| CpuSet::parse_mask(of("IRQBALANCE_BANNED_CPUS")?).ok());
    }
}

/// The lines of a shell file that set something.
fn file_options(text: &str) -> Vec<String> {
    const MOST: usize = 64;
    let lines = text.lines().map(|line| {
        let line = line.trim();
        line.strip_prefix("export ").unwrap_or(line)
    });
    lines
        .filter(|line| !line.starts_with('#') && line.contains('='))
        .take(MOST)
        .map(str::to_owned)
        .collect()
}

fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\''])
}
