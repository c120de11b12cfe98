//! `lscpu`: a line for each field. It has counts; which CPUs share a core, a package or a cache is
//! not in it, and taken in the order in which kernels number CPUs, where the nodes allow that.
//!
//! # References
//!
//! lscpu(1); sizes of caches are those of all instances since util-linux 2.34

use nearfar_model::{Bytes, CpuSet, NodeId};

use super::guessed_cpus::{Counts, GuessedCache, guess};
use crate::source::{MachineFiles, RefusedText};

/// The first lines that people leave.
const FIRST: [&str; 6] = [
    "Architecture:",
    "CPU op-mode(s):",
    "Address sizes:",
    "CPU(s):",
    "Socket(s):",
    "NUMA node(s):",
];
/// Labels in English: every text has one of them.
const ENGLISH: [&str; 9] = [
    "Architecture",
    "On-line CPU(s) list",
    "On-line CPU(s) mask",
    "Thread(s) per core",
    "Core(s) per socket",
    "Socket(s)",
    "NUMA node(s)",
    "Vendor ID",
    "Model name",
];
/// What old releases print after the nodes, and newer ones as well.
const AFTER_NODES: [&str; 2] = ["Flags:", "Vulnerabilit"];
/// Models of Intel's family 6 whose cores each have an L2, and whose packages have one L3, by
/// design: Nehalem to Granite Rapids, without those that have small cores.
const OWN_L2: [usize; 38] = [
    26, 30, 31, 46, 37, 44, 47, 42, 45, 58, 62, 60, 63, 69, 70, 61, 71, 79, 86, 78, 94, 85, 142,
    158, 165, 166, 102, 106, 108, 125, 126, 140, 141, 167, 143, 207, 173, 174,
];
/// Names of hypervisors as `lscpu` prints them, and the usual ones.
const HYPERVISORS: [(&str, &str); 2] = [("Microsoft", "Hyper-V"), ("Windows Subsystem", "Hyper-V")];
/// Caches: name, level, type.
const CACHES: [(&str, u32, &str); 5] = [
    ("L1d cache", 1, "Data"),
    ("L1i cache", 1, "Instruction"),
    ("L2 cache", 2, "Unified"),
    ("L3 cache", 3, "Unified"),
    ("L4 cache", 4, "Unified"),
];

pub(super) fn begins(line: &str) -> bool {
    FIRST.iter().any(|first| line.starts_with(first))
}

/// Reads the text.
pub(super) fn read(text: &str, files: &mut MachineFiles) -> bool {
    let fields = text.lines().filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        Some((name.trim().to_owned(), value.trim().to_owned()))
    });
    let fields = Fields(fields.collect());
    files.refused = fields.cut_after(text).map(RefusedText::CutAfter);
    files.refused.is_none() && fields.put(files)
}

/// The first line with a list that ends too early: "NUMA node1 CPU(s): 12-".
fn cut_list(text: &str) -> Option<usize> {
    let mut fields = text.lines().zip(1..).filter_map(|(line, number)| {
        let (name, value) = line.split_once(':')?;
        let (name, value) = (name.trim(), value.trim());
        let is_list = node_number(name).is_some() || name == "On-line CPU(s) list";
        (is_list && !value.is_empty()).then_some((value, number))
    });
    let is_cut = |value: &str| value != "-" && list(value).is_none();
    fields.find(|(value, _)| is_cut(value)).map(|(_, number)| number)
}

/// The CPUs of a list as `lscpu` prints it: "0-62:2" has each second one.
fn list(text: &str) -> Option<CpuSet> {
    let items = text.split(',').map(|item| match item.split_once(':') {
        Some((range, step)) if !step.contains('/') => format!("{range}:1/{step}"),
        _ => item.to_owned(),
    });
    CpuSet::parse_list(&items.collect::<Vec<_>>().join(",")).ok()
}

/// The node of "NUMA node1 CPU(s)".
fn node_number(name: &str) -> Option<NodeId> {
    let number = name.strip_prefix("NUMA node")?.strip_suffix(" CPU(s)")?;
    number.trim().parse().ok().filter(|&id| id <= nearfar_model::MAX_ID).map(NodeId)
}

/// The fields by name, as text or JSON has them.
pub(super) struct Fields(pub(super) Vec<(String, String)>);

impl Fields {
    fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(field, value)| field == name && !value.is_empty());
        found.map(|(_, value)| value.as_str()).filter(|value| *value != "-")
    }

    fn number(&self, name: &str) -> Option<usize> {
        self.get(name)?.parse().ok()
    }

    /// Puts what the fields have.
    pub(super) fn put(&self, files: &mut MachineFiles) -> bool {
        if self.is_foreign() {
            files.refused = Some(RefusedText::OtherLanguage);
            return false;
        }
        let Some(cpus) = self.cpus() else { return false };
        files.cpus = cpus.clone();
        let nodes = self.nodes();
        for (node, cpus) in &nodes {
            files.node(*node, cpus, None);
        }
        self.names(files);
        let caches = CACHES.iter().filter_map(|&(name, level, kind)| {
            let value = self.get(name)?;
            let (size, instances) =
                instances(value).or_else(|| self.assumed(value, level, cpus.len()))?;
            Some(GuessedCache { level, kind, size, instances })
        });
        let counts = Counts {
            threads: self.threads(),
            packages: self.number("Socket(s)"),
            cores_of_package: self
                .number("Core(s) per socket")
                .or_else(|| self.number("Core(s) per cluster")),
            caches: caches.collect(),
        };
        guess(files, &cpus, &nodes, &counts);
        true
    }

    /// The last line of a text that is cut off: in a list, or before the last node.
    fn cut_after(&self, text: &str) -> Option<usize> {
        let in_list = cut_list(text);
        let nodes = self.0.iter().filter(|(name, _)| node_number(name).is_some()).count();
        // Lines that a user selected may have the number alone.
        let is_whole = nodes > 0 || self.get("Architecture").is_some();
        let lacks_nodes =
            is_whole && self.number("NUMA node(s)").is_some_and(|count| nodes < count);
        // CPUs may be in no node: where nodes are not the end of a text, they are all.
        let goes_on = text
            .lines()
            .any(|line| AFTER_NODES.iter().any(|start| line.trim_start().starts_with(start)));
        let lacks_cpus = || {
            let of_nodes =
                self.nodes().into_iter().fold(CpuSet::new(), |all, (_, cpus)| all.union(&cpus));
            self.listed().is_some_and(|cpus| !cpus.difference(&of_nodes).is_empty())
        };
        let ends = lacks_nodes || nodes > 0 && !goes_on && lacks_cpus();
        in_list.or_else(|| ends.then(|| text.trim_end().lines().count()))
    }

    /// Whether labels of CPUs are there, and none is in English.
    fn is_foreign(&self) -> bool {
        let is_english = |name: &str| {
            ENGLISH.contains(&name) || name.starts_with("NUMA node") || name.starts_with("Off-line")
        };
        let mut names = self.0.iter().map(|(name, _)| name.as_str());
        let has_other = names.clone().any(|name| name != "CPU(s)" && name.contains("CPU(s)"));
        has_other && !names.any(is_english)
    }

    /// The CPUs that are online.
    fn cpus(&self) -> Option<CpuSet> {
        let counted = || {
            let count = self.number("CPU(s)").filter(|&count| count > 0)?;
            CpuSet::parse_list(&format!("0-{}", count - 1)).ok()
        };
        // Lines that a user selected may have the nodes alone.
        let of_nodes = || {
            let nodes = self.nodes().into_iter().map(|(_, cpus)| cpus);
            self.number("NUMA node(s)")
                .map(|_| nodes.fold(CpuSet::new(), |all, cpus| all.union(&cpus)))
        };
        self.listed().or_else(counted).or_else(of_nodes).filter(|cpus| !cpus.is_empty())
    }

    fn listed(&self) -> Option<CpuSet> {
        let mask = || CpuSet::parse_mask(self.get("On-line CPU(s) mask")?).ok();
        self.get("On-line CPU(s) list").and_then(list).or_else(mask)
    }

    fn nodes(&self) -> Vec<(NodeId, CpuSet)> {
        let nodes = self.0.iter().filter_map(|(name, value)| {
            Some((node_number(name)?, list(value).unwrap_or_default()))
        });
        let nodes: Vec<(NodeId, CpuSet)> = nodes.collect();
        // Where people cut the text, some nodes are missing: then none is known.
        let are_all = self.number("NUMA node(s)").is_none_or(|count| count <= nodes.len());
        if are_all { nodes } else { Vec::new() }
    }

    fn threads(&self) -> usize {
        self.number("Thread(s) per core").unwrap_or(1)
    }

    /// Size and number of a cache without its number of instances. Each core has its own L1. That
    /// cores have their own L2 and packages one L3 is the design of some models.
    fn assumed(&self, value: &str, level: u32, cpus: usize) -> Option<(Bytes, usize)> {
        let has_own = self.get("Vendor ID") == Some("GenuineIntel")
            && self.get("CPU family") == Some("6")
            && self.number("Model").is_some_and(|model| OWN_L2.contains(&model));
        let cores = cpus.checked_div(self.threads())?;
        let instances = match level {
            1 => cores,
            2 if has_own => cores,
            3 if has_own => self.number("Socket(s)")?,
            _ => return None,
        };
        // "32K" is the size of one; "1.5 MiB" of util-linux 2.34 to 2.36 that of all.
        if let Some(each) = value.strip_suffix('K').and_then(|each| each.parse::<u64>().ok()) {
            return Some((Bytes(each.checked_mul(1 << 10)?), instances)).filter(|_| instances > 0);
        }
        Some((all_instances(value)?, instances)).and_then(each)
    }

    fn names(&self, files: &mut MachineFiles) {
        if let Some(arch) = self.get("Architecture") {
            files.put("/proc/sys/kernel/arch", arch);
        }
        if let Some(name) = self.get("Hypervisor vendor") {
            let known = HYPERVISORS.iter().find(|(theirs, _)| name.starts_with(theirs));
            let name = known.map_or(name, |(_, name)| name);
            // KVM shows features of Hyper-V to guests; QEMU's SMBIOS is never Hyper-V's.
            let is_kvm = name == "Hyper-V" && self.get("BIOS Vendor ID") == Some("QEMU");
            files.put("/nearfar/hypervisor", if is_kvm { "KVM" } else { name });
        }
        // Kernels of x86 alone have "flags", in which a guest has "hypervisor".
        let arch = self.get("Architecture").unwrap_or("x86");
        let is_x86 = arch.starts_with("x86") || arch.ends_with("86");
        let named = [
            (if is_x86 { "flags" } else { "Features" }, "Flags"),
            ("model name", "Model name"),
            ("vendor_id", "Vendor ID"),
            ("cpu family", "CPU family"),
            ("model", "Model"),
            ("stepping", "Stepping"),
        ];
        let lines = named
            .iter()
            .filter_map(|(key, field)| Some(format!("{key}\t\t: {}", self.get(field)?)));
        let lines: Vec<String> = lines.collect();
        if !lines.is_empty() {
            files.put("/proc/cpuinfo", lines.join("\n"));
        }
    }
}

/// Size and number of a cache's instances: "1.5 MiB (48 instances)", "3145728 (96 instances)".
/// Older texts have no number: then neither is known.
fn instances(value: &str) -> Option<(Bytes, usize)> {
    let (size, rest) = value.split_once('(')?;
    let instances = rest.split_whitespace().next()?.parse().ok()?;
    each((all_instances(size)?, instances))
}

/// The size of one of several caches that have this size together.
fn each((all, instances): (Bytes, usize)) -> Option<(Bytes, usize)> {
    (instances > 0).then(|| (Bytes((all.0 as f64 / instances as f64).round() as u64), instances))
}

/// "1.5 MiB", "3145728"
fn all_instances(size: &str) -> Option<Bytes> {
    let mut words = size.split_whitespace();
    let number: f64 = words.next()?.parse().ok()?;
    let unit = match words.next() {
        None | Some("B") => 0,
        Some("KiB") => 10,
        Some("MiB") => 20,
        Some("GiB") => 30,
        Some(_) => return None,
    };
    Some(Bytes((number * f64::from(1_u32 << unit)).round() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_caches_are_those_of_all_instances() {
        for (text, expected) in [
            ("1.5 MiB (48 instances)", Some((32 << 10, 48))),
            ("3145728 (96 instances)", Some((32 << 10, 96))),
            ("8388608 (1 instance)", Some((8 << 20, 1))),
            ("32K", None),
            ("12 MiB", None),
            ("1 MiB (0 instances)", None),
        ] {
            assert_eq!(instances(text).map(|(size, count)| (size.0, count)), expected, "{text}");
        }
    }

    #[test]
    fn older_texts_have_caches_where_the_design_is_known() {
        let fields = |vendor: &str, model: &str| {
            let mut all = vec![("Vendor ID", vendor), ("Thread(s) per core", "2")];
            all.extend([("Socket(s)", "2"), ("CPU family", "6"), ("Model", model)]);
            Fields(all.into_iter().map(|(a, b)| (a.to_owned(), b.to_owned())).collect())
        };
        let intel = fields("GenuineIntel", "45");
        let of = |fields: &Fields, value: &str, level| {
            fields.assumed(value, level, 32).map(|(size, count)| (size.0 >> 10, count))
        };
        assert_eq!(of(&intel, "32K", 1), Some((32, 16)));
        assert_eq!(of(&intel, "256K", 2), Some((256, 16)));
        assert_eq!(of(&intel, "20480K", 3), Some((20480, 2)));
        assert_eq!(of(&intel, "4 MiB", 2), Some((256, 16)), "the size of all");
        for shared in ["29", "15", "151", "156"] {
            assert_eq!(of(&fields("GenuineIntel", shared), "3072K", 2), None, "{shared}");
            assert_eq!(of(&fields("GenuineIntel", shared), "16384K", 3), None, "{shared}");
        }
        assert_eq!(of(&fields("AuthenticAMD", "45"), "8192K", 3), None, "one a CCX");
        assert_eq!(of(&intel, "12 apples", 1), None);
    }
}
