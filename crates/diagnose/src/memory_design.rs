//! Number of memories in one package of a CPU model, which firmware can hide.
//!
//! A package has one memory, or several dies with a memory each, or one memory that firmware can
//! split. Before integrated memory controllers, all packages shared one memory behind a bus. The
//! model's name decides.

use serde::{Deserialize, Serialize};

/// The memory layout of a CPU model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemoryDesign {
    pub(crate) kind: MemoryDesignKind,
    /// The setting that splits a package's memory, or joins its dies.
    pub(crate) split: Option<MemorySplit>,
}

/// The location of the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemoryDesignKind {
    /// Behind a bus that all packages share: uniform, regardless of firmware.
    FrontSideBus,
    /// One memory for each package.
    OneInAPackage,
    /// One memory for the only package of such machines: notebooks, desktops.
    OneInAMachine,
    /// One memory for each of this many dies of a package: never uniform within a package.
    Dies(u32),
    Unknown,
}

/// The setting that splits a package's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MemorySplit {
    /// AMD: nodes per socket (NPS).
    NodesPerSocket,
    /// AMD's first EPYC and Threadripper: memory interleaving over dies.
    DieInterleaving,
    /// Intel: sub-NUMA clustering.
    SubNuma,
    /// Intel's E5 v3 and v4: cluster on die.
    ClusterOnDie,
    /// Ampere: ANC.
    Ampere,
}

/// Models for boards with only one socket.
const IN_ONE_SOCKET: [&str; 17] = [
    "Ryzen",
    "Core(TM)",
    "Core(tm)",
    "Athlon",
    "Phenom",
    "Sempron",
    "Turion",
    "AMD FX",
    "AMD A4",
    "AMD A6",
    "AMD A8",
    "AMD A10",
    "AMD E",
    "Atom",
    "Celeron",
    "Pentium",
    "Processor N",
];

impl MemoryDesign {
    /// From the model's name in `/proc/cpuinfo` or SMBIOS.
    pub(crate) fn from_model(model: Option<&str>) -> Self {
        let words: Vec<&str> = model.unwrap_or_default().split_whitespace().collect();
        let text = words.join(" ");
        let (kind, split) = match () {
            () if text.contains("EPYC") => epyc(&words),
            () if text.contains("Threadripper") => threadripper(&words),
            () if text.contains("Opteron") => (opteron(&words), None),
            () if text.contains("Xeon Phi") => {
                (MemoryDesignKind::OneInAPackage, Some(MemorySplit::SubNuma))
            }
            // NetBurst names contain (TM).
            () if text.contains("Xeon(TM)") => (MemoryDesignKind::FrontSideBus, None),
            () if text.contains("Xeon") => xeon(&words),
            () if text.contains("Altra") || text.contains("AmpereOne") => {
                (MemoryDesignKind::OneInAPackage, Some(MemorySplit::Ampere))
            }
            () if is_behind_a_bus(&text) => (MemoryDesignKind::FrontSideBus, None),
            () if IN_ONE_SOCKET.iter().any(|name| text.contains(name)) => {
                (MemoryDesignKind::OneInAMachine, None)
            }
            () => (MemoryDesignKind::Unknown, None),
        };
        Self { kind, split }
    }

    /// The smallest number of memories of this many packages.
    pub(crate) fn least_memories(self, packages: usize) -> Option<usize> {
        match self.kind {
            MemoryDesignKind::FrontSideBus | MemoryDesignKind::OneInAMachine => Some(1),
            MemoryDesignKind::OneInAPackage => Some(packages),
            MemoryDesignKind::Dies(dies) => Some(packages.saturating_mul(dies as usize)),
            MemoryDesignKind::Unknown => None,
        }
    }
}

/// Model numbers of four characters: those of the first generation (7451) end in 1.
fn epyc(words: &[&str]) -> (MemoryDesignKind, Option<MemorySplit>) {
    let first =
        |word: &&str| word.len() >= 4 && word.starts_with("7") && word.as_bytes()[3] == b'1';
    if words.iter().any(first) {
        return (MemoryDesignKind::Dies(4), Some(MemorySplit::DieInterleaving));
    }
    (MemoryDesignKind::OneInAPackage, Some(MemorySplit::NodesPerSocket))
}

fn threadripper(words: &[&str]) -> (MemoryDesignKind, Option<MemorySplit>) {
    match words.iter().any(|word| word.starts_with("19") || word.starts_with("29")) {
        true => (MemoryDesignKind::Dies(2), Some(MemorySplit::DieInterleaving)),
        false => (MemoryDesignKind::OneInAPackage, Some(MemorySplit::NodesPerSocket)),
    }
}

/// 61xx, 62xx and 63xx have two dies in a package.
fn opteron(words: &[&str]) -> MemoryDesignKind {
    let twin = |word: &&str| {
        word.len() == 4 && ["61", "62", "63"].iter().any(|start| word.starts_with(start))
    };
    if words.iter().any(twin) { MemoryDesignKind::Dies(2) } else { MemoryDesignKind::OneInAPackage }
}

/// Desktops and notebooks before integrated memory controllers.
fn is_behind_a_bus(text: &str) -> bool {
    const PENTIUMS: [&str; 9] = ["Pro", "II", "III", "4", "D", "M", "Dual", "Dual-Core", "Extreme"];
    let plain =
        ["(R)", "(TM)", "(tm)"].iter().fold(text.to_owned(), |text, mark| text.replace(mark, " "));
    let words: Vec<&str> = plain.split_whitespace().collect();
    let follows = |name: &str| words.windows(2).find(|two| two[0] == name).map(|two| two[1]);
    follows("Pentium").is_some_and(|word| PENTIUMS.contains(&word))
        || follows("Core").is_some_and(|word| word.starts_with(['2', 'D', 'S']))
        || follows("Athlon") == Some("MP")
}

fn xeon(words: &[&str]) -> (MemoryDesignKind, Option<MemorySplit>) {
    if words.iter().any(|word| is_bus_xeon(word)) {
        return (MemoryDesignKind::FrontSideBus, None);
    }
    if words
        .iter()
        .any(|word| ["E3-", "E-2", "D-1", "D-2"].iter().any(|start| word.starts_with(start)))
    {
        return (MemoryDesignKind::OneInAMachine, None);
    }
    let clusters =
        words.iter().any(|word| *word == "v3" || *word == "v4") && words.iter().any(is_e5_or_e7);
    let scalable = words.iter().any(|word| {
        matches!(*word, "Platinum" | "Gold" | "Silver" | "Bronze" | "6" | "Max" | "MAX")
    });
    let split = match () {
        () if clusters => Some(MemorySplit::ClusterOnDie),
        () if scalable => Some(MemorySplit::SubNuma),
        () => None,
    };
    (MemoryDesignKind::OneInAPackage, split)
}

fn is_e5_or_e7(word: &&str) -> bool {
    word.starts_with("E5-") || word.starts_with("E7-")
}

/// Xeon 30xx to 33xx, 50xx to 54xx, 70xx to 74xx ("E5430"): before Nehalem.
fn is_bus_xeon(word: &str) -> bool {
    let digits = word.trim_start_matches(['E', 'L', 'W', 'X']);
    let [thousands, hundreds, b'0'..=b'9', b'0'..=b'9'] = *digits.as_bytes() else { return false };
    match thousands {
        b'3' => (b'0'..=b'3').contains(&hundreds),
        b'5' | b'7' => (b'0'..=b'4').contains(&hundreds),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_determine_the_memory_design() {
        for (model, kind, split) in [
            (
                "AMD EPYC 7451 24-Core Processor",
                MemoryDesignKind::Dies(4),
                Some(MemorySplit::DieInterleaving),
            ),
            (
                "AMD EPYC 7742 64-Core Processor",
                MemoryDesignKind::OneInAPackage,
                Some(MemorySplit::NodesPerSocket),
            ),
            (
                "AMD EPYC 9354 32-Core Processor",
                MemoryDesignKind::OneInAPackage,
                Some(MemorySplit::NodesPerSocket),
            ),
            (
                "AMD Ryzen Threadripper 1950X 16-Core Processor",
                MemoryDesignKind::Dies(2),
                Some(MemorySplit::DieInterleaving),
            ),
            ("AMD Opteron(tm) Processor 6174", MemoryDesignKind::Dies(2), None),
            ("AMD Opteron(tm) Processor 8218", MemoryDesignKind::OneInAPackage, None),
            ("Intel(R) Xeon(TM) CPU 3.40GHz", MemoryDesignKind::FrontSideBus, None),
            ("Intel(R) Xeon(R) CPU E5430 @ 2.66GHz", MemoryDesignKind::FrontSideBus, None),
            ("Intel(R) Xeon(R) CPU E5530 @ 2.40GHz", MemoryDesignKind::OneInAPackage, None),
            ("Intel(R) Xeon(R) CPU E5-2620 0 @ 2.00GHz", MemoryDesignKind::OneInAPackage, None),
            (
                "Intel(R) Xeon(R) CPU E5-2682 v4 @ 2.50GHz",
                MemoryDesignKind::OneInAPackage,
                Some(MemorySplit::ClusterOnDie),
            ),
            (
                "Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz",
                MemoryDesignKind::OneInAPackage,
                Some(MemorySplit::SubNuma),
            ),
            (
                "Ampere(R) Altra(R) Processor",
                MemoryDesignKind::OneInAPackage,
                Some(MemorySplit::Ampere),
            ),
            ("Intel(R) Xeon(R) CPU E3-1230 V2 @ 3.30GHz", MemoryDesignKind::OneInAMachine, None),
            ("Intel(R) Core(TM) i5-8250U CPU @ 1.60GHz", MemoryDesignKind::OneInAMachine, None),
            ("Intel(R) Core(TM) Ultra 7 155H", MemoryDesignKind::OneInAMachine, None),
            ("Intel(R) Core(TM)2 Duo CPU E8400 @ 3.00GHz", MemoryDesignKind::FrontSideBus, None),
            ("Intel(R) Core(TM) Duo CPU T2400 @ 1.83GHz", MemoryDesignKind::FrontSideBus, None),
            ("Intel(R) Pentium(R) 4 CPU 3.00GHz", MemoryDesignKind::FrontSideBus, None),
            ("Pentium(R) Dual-Core CPU E5200 @ 2.50GHz", MemoryDesignKind::FrontSideBus, None),
            ("Intel(R) Pentium(R) Gold G5400 CPU @ 3.70GHz", MemoryDesignKind::OneInAMachine, None),
            ("Intel(R) Pentium(R) CPU G620 @ 2.60GHz", MemoryDesignKind::OneInAMachine, None),
            ("AMD Ryzen 7 5800X 8-Core Processor", MemoryDesignKind::OneInAMachine, None),
            ("AMD Athlon(tm) MP 2000+", MemoryDesignKind::FrontSideBus, None),
            ("AMD Turion(tm) X2 Dual-Core Mobile RM-74", MemoryDesignKind::OneInAMachine, None),
            ("Cortex-A53", MemoryDesignKind::Unknown, None),
            ("", MemoryDesignKind::Unknown, None),
        ] {
            assert_eq!(
                MemoryDesign::from_model(Some(model)),
                MemoryDesign { kind, split },
                "{model}"
            );
        }
    }

    #[test]
    fn memories_are_counted_over_packages() {
        let memories =
            |model, packages| MemoryDesign::from_model(Some(model)).least_memories(packages);
        assert_eq!(memories("AMD Opteron(tm) Processor 6174", 4), Some(8));
        assert_eq!(memories("Intel(R) Xeon(R) CPU X5450 @ 3.00GHz", 2), Some(1));
        assert_eq!(memories("Cortex-A53", 1), None);
    }
}
