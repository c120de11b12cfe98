//! The words of the command line: one table for `nearfar run`, for `numactl`, for help, man page
//! and completions.
//!
//! Names and letters are numactl's, so that no script has to change. `nearfar run` adds a few of
//! its own.

use ValueKind::{Maybe, Nothing, Value};

/// Which command line is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `nearfar run`.
    Run,
    /// The name `numactl`: its options only, and `--show` ends the reading of options, as there.
    Numactl,
}

/// What an option asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // Each is explained by the help text beside it.
pub enum OptionName {
    All,
    Interleave,
    WeightedInterleave,
    Preferred,
    PreferredMany,
    Membind,
    Localalloc,
    Default,
    Balancing,
    CpuNodeBind,
    CpuBind,
    PhysCpuBind,
    Near,
    NearAnyway,
    Show,
    Hardware,
    CpuCompress,
    Version,
    Shm,
    File,
    ShmId,
    Length,
    Offset,
    ShmMode,
    Strict,
    Huge,
    Touch,
    Dump,
    DumpNodes,
    Verify,
    Json,
    Weights,
    Explain,
    Watch,
    Warm,
    As,
    Help,
}

/// Whether an option is followed by a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// It stands alone.
    Nothing,
    /// It needs one, called so in help.
    Value(&'static str),
    /// It may have one: after `=`, or as the next word where that can be nothing else.
    Maybe(&'static str),
}

/// One option and how it is written.
#[derive(Clone, Copy, Debug)]
pub struct OptionSpelling {
    /// What it asks for.
    pub word: OptionName,
    /// `--long`.
    pub long: &'static str,
    /// `-s`.
    pub short: Option<char>,
    /// Its value.
    pub takes: ValueKind,
    /// One line for help.
    pub help: &'static str,
    /// Whether numactl has it too.
    pub in_numactl: bool,
}

impl OptionSpelling {
    /// As users read it in messages: "--membind".
    pub fn shown(&self) -> String {
        format!("--{}", self.long)
    }

    const fn help(self, help: &'static str) -> Self {
        Self { help, ..self }
    }
}

const fn spelling(
    word: OptionName,
    long: &'static str,
    short: char,
    takes: ValueKind,
) -> OptionSpelling {
    OptionSpelling { word, long, short: Some(short), takes, help: "", in_numactl: true }
}

const fn native(word: OptionName, long: &'static str, takes: ValueKind) -> OptionSpelling {
    OptionSpelling { word, long, short: None, takes, help: "", in_numactl: false }
}

const OPTIONS: [OptionSpelling; 37] = [
    spelling(OptionName::CpuNodeBind, "cpunodebind", 'N', Value("NODES"))
        .help("Run only on the CPUs of these nodes"),
    spelling(OptionName::PhysCpuBind, "physcpubind", 'C', Value("CPUS"))
        .help("Run only on these CPUs"),
    native(OptionName::Near, "near", Value("DEVICE,.."))
        .help("Run on the CPUs nearest to these devices, and prefer their memory"),
    native(OptionName::NearAnyway, "near-anyway", Value("NODE"))
        .help("With --near: the node of a device whose node the kernel does not know"),
    spelling(OptionName::CpuBind, "cpubind", 'c', Value("NODES")).help("Old name of --cpunodebind"),
    spelling(OptionName::Membind, "membind", 'm', Value("NODES"))
        .help("Allocate memory only on these nodes"),
    spelling(OptionName::Preferred, "preferred", 'p', Value("NODE"))
        .help("Allocate on this node, on others when it is full"),
    spelling(OptionName::PreferredMany, "preferred-many", 'P', Value("NODES"))
        .help("Allocate on the nearest of these nodes, on others when they are full (Linux 5.15)"),
    spelling(OptionName::Interleave, "interleave", 'i', Value("NODES"))
        .help("Interleave pages over these nodes"),
    spelling(OptionName::WeightedInterleave, "weighted-interleave", 'w', Value("NODES"))
        .help("Interleave pages over these nodes by the kernel's weights (Linux 6.9)"),
    spelling(OptionName::Localalloc, "localalloc", 'l', Nothing)
        .help("Allocate on the node of the CPU that first touches a page"),
    native(OptionName::Default, "default", Nothing)
        .help("Use the kernel's default policy (local), not an inherited one"),
    spelling(OptionName::Balancing, "balancing", 'b', Nothing)
        .help("With --membind: NUMA balancing moves pages within these nodes (Linux 5.12)"),
    spelling(OptionName::All, "all", 'a', Nothing)
        .help("Ignore the cpuset in the lists after this option"),
    spelling(OptionName::Show, "show", 's', Nothing)
        .help("Show this shell's CPUs and memory policy"),
    spelling(OptionName::Hardware, "hardware", 'H', Nothing)
        .help("Show the nodes: CPUs, memory, distances"),
    OptionSpelling {
        in_numactl: true,
        ..native(OptionName::CpuCompress, "cpu-compress", Nothing)
            .help("With --hardware: CPUs as ranges, and their number")
    },
    native(OptionName::Weights, "weights", Maybe("N=W,.."))
        .help("Show the interleave weights of nodes, or set them as root: 0=5,1=2"),
    native(OptionName::Explain, "explain", Nothing)
        .help("Describe the CPUs and memory that the program would get; run nothing"),
    native(OptionName::Watch, "watch", Nothing).help(
        "Run the program, and report after two seconds on which nodes its pages are (stderr)",
    ),
    native(OptionName::Warm, "warm", Value("FILE")).help(
        "First bring the page cache of this file to the program's nodes (may stand several times)",
    ),
    native(OptionName::As, "as", Value("SYSTEM"))
        .help("Print this placement in the syntax of another system; run nothing"),
    native(OptionName::Json, "json", Nothing).help(
        "Print JSON: with --show, --hardware, --weights, --explain, --watch, --as, --dump, \
         --verify",
    ),
    spelling(OptionName::Shm, "shm", 'S', Value("KEYFILE"))
        .help("Set the policy of the System V segment with the key of this file"),
    spelling(OptionName::File, "file", 'f', Value("FILE"))
        .help("Set the policy of this file in tmpfs or hugetlbfs"),
    spelling(OptionName::ShmId, "shmid", 'I', Value("ID")).help(
        "Number in the key of --shm [default: 0]; without --shm, the id of an existing segment",
    ),
    spelling(OptionName::Length, "length", 'L', Value("SIZE"))
        .help("Length of the range: bytes, or with K, M, G [default: to the end]"),
    spelling(OptionName::Offset, "offset", 'o', Value("SIZE"))
        .help("Start of the range: bytes, or with K, M, G [default: 0]"),
    spelling(OptionName::ShmMode, "shmmode", 'M', Value("MODE"))
        .help("Mode of a new segment or file, in octal [default: 600]"),
    spelling(OptionName::Huge, "huge", 'u', Nothing).help("Use huge pages for a new segment"),
    spelling(OptionName::Strict, "strict", 't', Nothing)
        .help("Fail if existing pages violate the policy"),
    spelling(OptionName::Touch, "touch", 'T', Nothing)
        .help("Touch all pages, so that they are allocated now"),
    spelling(OptionName::Dump, "dump", 'd', Nothing).help("Print the policy of each range"),
    spelling(OptionName::DumpNodes, "dump-nodes", 'D', Nothing)
        .help("Print the node of each range"),
    spelling(OptionName::Verify, "verify", 'V', Nothing)
        .help("Touch all pages, and check that they follow the policy"),
    OptionSpelling {
        in_numactl: true,
        ..native(OptionName::Version, "version", Nothing).help("Print the version")
    },
    OptionSpelling {
        short: Some('h'),
        ..native(OptionName::Help, "help", Nothing).help("Print help")
    },
];

/// The options that a dialect has, in the order of its help.
pub fn options(dialect: Dialect) -> impl Iterator<Item = &'static OptionSpelling> {
    OPTIONS.iter().filter(move |option| dialect == Dialect::Run || option.in_numactl)
}

/// How one option is written.
pub(crate) fn spelled(word: OptionName) -> String {
    OPTIONS.iter().find(|option| option.word == word).map(OptionSpelling::shown).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_options_share_a_name_or_a_letter() {
        for (index, one) in OPTIONS.iter().enumerate() {
            for other in &OPTIONS[index + 1..] {
                assert_ne!(one.long, other.long);
                assert_ne!(one.word, other.word);
                assert!(one.short.is_none() || one.short != other.short, "{}", one.long);
            }
        }
    }

    #[test]
    fn numactl_has_its_own_options_and_no_others() {
        let letters: String = options(Dialect::Numactl).filter_map(|option| option.short).collect();
        let mut sorted: Vec<char> = letters.chars().collect();
        sorted.sort_unstable();
        assert_eq!(String::from_iter(sorted), "CDHILMNPSTVabcdfilmopstuw");
        assert!(
            options(Dialect::Numactl)
                .all(|option| !["json", "help", "explain"].contains(&option.long))
        );
    }
}
