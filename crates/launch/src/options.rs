//! The words of the command line: one table for `nearfar run`, for `numactl`, for help, man page
//! and completions.
//!
//! Names and letters are numactl's, so that no script has to change. `nearfar run` adds a few of
//! its own.

use Takes::{Maybe, Nothing, Value};

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
pub enum Word {
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
    As,
    Help,
}

/// Whether an option is followed by a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// It stands alone.
    Nothing,
    /// It needs one, called so in help.
    Value(&'static str),
    /// It may have one: after `=`, or as the next word where that can be nothing else.
    Maybe(&'static str),
}

/// One option and how it is written.
#[derive(Clone, Copy, Debug)]
pub struct Spelling {
    /// What it asks for.
    pub word: Word,
    /// `--long`.
    pub long: &'static str,
    /// `-s`.
    pub short: Option<char>,
    /// Its value.
    pub takes: Takes,
    /// One line for help.
    pub help: &'static str,
    /// Whether numactl has it too.
    pub in_numactl: bool,
}

impl Spelling {
    /// As users read it in messages: "--membind".
    pub fn shown(&self) -> String {
        format!("--{}", self.long)
    }

    const fn help(self, help: &'static str) -> Self {
        Self { help, ..self }
    }
}

const fn spelling(word: Word, long: &'static str, short: char, takes: Takes) -> Spelling {
    Spelling { word, long, short: Some(short), takes, help: "", in_numactl: true }
}

const fn native(word: Word, long: &'static str, takes: Takes) -> Spelling {
    Spelling { word, long, short: None, takes, help: "", in_numactl: false }
}

const OPTIONS: [Spelling; 34] = [
    spelling(Word::CpuNodeBind, "cpunodebind", 'N', Value("NODES"))
        .help("Run only on the CPUs of these nodes"),
    spelling(Word::PhysCpuBind, "physcpubind", 'C', Value("CPUS")).help("Run only on these CPUs"),
    spelling(Word::CpuBind, "cpubind", 'c', Value("NODES")).help("Old name of --cpunodebind"),
    spelling(Word::Membind, "membind", 'm', Value("NODES"))
        .help("Allocate memory only on these nodes"),
    spelling(Word::Preferred, "preferred", 'p', Value("NODE"))
        .help("Allocate on this node, on others when it is full"),
    spelling(Word::PreferredMany, "preferred-many", 'P', Value("NODES"))
        .help("Allocate on the nearest of these nodes, on others when they are full (Linux 5.15)"),
    spelling(Word::Interleave, "interleave", 'i', Value("NODES"))
        .help("Interleave pages over these nodes"),
    spelling(Word::WeightedInterleave, "weighted-interleave", 'w', Value("NODES"))
        .help("Interleave pages over these nodes by the kernel's weights (Linux 6.9)"),
    spelling(Word::Localalloc, "localalloc", 'l', Nothing)
        .help("Allocate on the node of the CPU that first touches a page"),
    native(Word::Default, "default", Nothing)
        .help("Use the kernel's default policy (local), not an inherited one"),
    spelling(Word::Balancing, "balancing", 'b', Nothing)
        .help("With --membind: NUMA balancing moves pages within these nodes (Linux 5.12)"),
    spelling(Word::All, "all", 'a', Nothing)
        .help("Ignore the cpuset in the lists after this option"),
    spelling(Word::Show, "show", 's', Nothing).help("Show this shell's CPUs and memory policy"),
    spelling(Word::Hardware, "hardware", 'H', Nothing)
        .help("Show the nodes: CPUs, memory, distances"),
    Spelling {
        in_numactl: true,
        ..native(Word::CpuCompress, "cpu-compress", Nothing)
            .help("With --hardware: CPUs as ranges, and their number")
    },
    native(Word::Weights, "weights", Maybe("N=W,.."))
        .help("Show the interleave weights of nodes, or set them as root: 0=5,1=2"),
    native(Word::Explain, "explain", Nothing)
        .help("Describe the CPUs and memory that the program would get; run nothing"),
    native(Word::Watch, "watch", Nothing).help(
        "Run the program, and report after two seconds on which nodes its pages are (stderr)",
    ),
    native(Word::As, "as", Value("SYSTEM"))
        .help("Print this placement in the syntax of another system; run nothing"),
    native(Word::Json, "json", Nothing).help(
        "Print JSON: with --show, --hardware, --weights, --explain, --watch, --as, --dump, \
         --verify",
    ),
    spelling(Word::Shm, "shm", 'S', Value("KEYFILE"))
        .help("Set the policy of the System V segment with the key of this file"),
    spelling(Word::File, "file", 'f', Value("FILE"))
        .help("Set the policy of this file in tmpfs or hugetlbfs"),
    spelling(Word::ShmId, "shmid", 'I', Value("ID")).help(
        "Number in the key of --shm [default: 0]; without --shm, the id of an existing segment",
    ),
    spelling(Word::Length, "length", 'L', Value("SIZE"))
        .help("Length of the range: bytes, or with K, M, G [default: to the end]"),
    spelling(Word::Offset, "offset", 'o', Value("SIZE"))
        .help("Start of the range: bytes, or with K, M, G [default: 0]"),
    spelling(Word::ShmMode, "shmmode", 'M', Value("MODE"))
        .help("Mode of a new segment or file, in octal [default: 600]"),
    spelling(Word::Huge, "huge", 'u', Nothing).help("Use huge pages for a new segment"),
    spelling(Word::Strict, "strict", 't', Nothing)
        .help("Fail if existing pages violate the policy"),
    spelling(Word::Touch, "touch", 'T', Nothing)
        .help("Touch all pages, so that they are allocated now"),
    spelling(Word::Dump, "dump", 'd', Nothing).help("Print the policy of each range"),
    spelling(Word::DumpNodes, "dump-nodes", 'D', Nothing).help("Print the node of each range"),
    spelling(Word::Verify, "verify", 'V', Nothing)
        .help("Touch all pages, and check that they follow the policy"),
    Spelling {
        in_numactl: true,
        ..native(Word::Version, "version", Nothing).help("Print the version")
    },
    Spelling { short: Some('h'), ..native(Word::Help, "help", Nothing).help("Print help") },
];

/// The options that a dialect has, in the order of its help.
pub fn options(dialect: Dialect) -> impl Iterator<Item = &'static Spelling> {
    OPTIONS.iter().filter(move |option| dialect == Dialect::Run || option.in_numactl)
}

/// How one option is written.
pub(crate) fn spelled(word: Word) -> String {
    OPTIONS.iter().find(|option| option.word == word).map(Spelling::shown).unwrap_or_default()
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
