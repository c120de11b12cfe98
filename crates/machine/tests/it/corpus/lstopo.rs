//! Compares with hwloc's `lstopo` (Debian's hwloc-nox), which reads the same unpacked archive.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use bzip2::read::MultiBzDecoder;
use nearfar_machine::Topology;
use nearfar_machine::topology::CacheKind;
use nearfar_model::{CpuSet, NodeSet};

use super::{Captured, captured_in};

/// Known differences from lstopo: archive, aspects, reason. An aspect without a difference fails
/// the test.
const DISAGREEMENTS: [(&str, &[&str], &str); 8] = [
    (
        "128arm-2pa2n8cluster4co",
        &["L3u caches"],
        "firmware claims 15 ways for an L3 whose size and sets make 128; lstopo computes, nearfar \
         shows what is message",
    ),
    (
        "40intel64-4n10c+pci-conflicts",
        &["packages", "L3u caches"],
        "masks of CPUs 2 and 3 were forged to contradict the lists beside them; lstopo drops \
         parts, nearfar reads lists",
    ),
    (
        "4fake-4gr1nu1pu",
        &["cores"],
        "no core files at all; lstopo shows no core, nearfar counts each CPU as one",
    ),
    (
        "64amd64-4s2n4ca2co",
        &["L1i caches", "L2u caches"],
        "masks were corrected by hand, the lists beside them not; lstopo reads masks, nearfar \
         lists; kernels write both alike",
    ),
    (
        "64fake-4n2s2ca2c2t",
        &["L2u caches"],
        "made by hand; lists and masks differ; lstopo reads masks, nearfar lists",
    ),
    (
        "fakeheterocpunuma",
        &["allowed nodes", "distances", "node CPUs", "node ids", "node memory"],
        "made by hand; CPUs are in several nodes at once; lstopo drops such nodes, nearfar shows \
         them and calls it odd",
    ),
    (
        "fakeheteromemtiers",
        &["node CPUs"],
        "lstopo gives nodes without CPUs the CPUs nearest to them",
    ),
    (
        "fakememinitiators-1np2c+1npp+gi",
        &["node CPUs"],
        "lstopo gives nodes without CPUs the CPUs nearest to them",
    ),
];

/// The output of either tool: aspect to lines.
pub(super) type Aspects = BTreeMap<String, Vec<String>>;

#[test]
fn topology_agrees_with_lstopo() {
    let mut wrong = Vec::new();
    for Captured { name, archive, topology, .. } in captured_in("hwloc") {
        let (ours, theirs) = (ours(topology), theirs(archive));
        let aspects: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
        for aspect in aspects {
            let of = |message: &Aspects| message.get(aspect).cloned().unwrap_or_default();
            let (ours, theirs) = (of(&ours), of(&theirs));
            let listed = DISAGREEMENTS
                .iter()
                .any(|(odd, on, _)| odd == name && on.contains(&aspect.as_str()));
            match (ours == theirs, listed) {
                (false, false) => {
                    wrong.push(format!("{name}: {aspect}:\n{}", difference(&ours, &theirs)));
                }
                (true, true) => {
                    wrong.push(format!("{name}: {aspect}: agrees now; take it off the list"));
                }
                _ => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

pub(super) fn difference(ours: &[String], theirs: &[String]) -> String {
    let lacking = |these: &[String], those: &[String], who: &str| -> String {
        these
            .iter()
            .filter(|line| !those.contains(line))
            .take(4)
            .map(|line| format!("    {who}: {line}\n"))
            .collect()
    };
    lacking(ours, theirs, "nearfar") + &lacking(theirs, ours, "lstopo ")
}

pub(super) fn ours(topology: &Topology) -> Aspects {
    let online = || topology.nodes.iter().filter(|node| node.online);
    let memory =
        |node: &nearfar_machine::topology::Node| node.memory.map_or(0, |memory| memory.total.0);
    // lstopo shows no distance of a single node to itself.
    let rows =
        topology.distances.as_ref().filter(|matrix| matrix.nodes().len() > 1).map(|matrix| {
            let values: Vec<u32> = matrix.rows().concat();
            vec![
                format!("{:?}", matrix.nodes().iter().map(|node| node.0).collect::<Vec<_>>()),
                format!("{values:?}"),
            ]
        });
    let caches = topology.caches.iter().map(|cache| {
        let size = cache.size.unwrap_or_default().0;
        let (line, ways) = (cache.line.unwrap_or_default().0, cache.ways.unwrap_or(0));
        cache_line(cache.level, letter(cache.kind), &cache.cpus, [size, line, u64::from(ways)])
    });
    aspects([
        ("CPUs", vec![topology.online().to_string()]),
        ("node ids", vec![topology.online_nodes().to_string()]),
        ("node CPUs", online().map(|node| format!("{}: {}", node.id, node.cpus)).collect()),
        ("node memory", online().map(|node| format!("{}: {}", node.id, memory(node))).collect()),
        ("distances", rows.unwrap_or_default()),
        ("packages", topology.packages().iter().map(|package| package.cpus.to_string()).collect()),
        ("cores", topology.cores().iter().map(|core| core.cpus.to_string()).collect()),
        ("caches", caches.collect()),
        ("allowed CPUs", vec![topology.allowed.cpus.to_string()]),
        ("allowed nodes", vec![topology.allowed.nodes.to_string()]),
    ])
}

/// One aspect for each kind of cache ("L1d caches"), and all lines sorted, but those of distances.
fn aspects(message: [(&str, Vec<String>); 10]) -> Aspects {
    let mut found = Aspects::new();
    for (aspect, lines) in message {
        for line in lines {
            let kind = line.split(' ').next().filter(|_| aspect == "caches");
            found
                .entry(kind.map_or_else(|| aspect.to_owned(), |kind| format!("{kind} caches")))
                .or_default()
                .push(line);
        }
    }
    found
        .iter_mut()
        .filter(|(aspect, _)| *aspect != "distances")
        .for_each(|(_, lines)| lines.sort());
    found
}

fn letter(kind: CacheKind) -> &'static str {
    match kind {
        CacheKind::Data => "d",
        CacheKind::Instruction => "i",
        CacheKind::Unified => "u",
    }
}

fn cache_line(level: u32, kind: &str, cpus: &CpuSet, [size, line, ways]: [u64; 3]) -> String {
    format!("L{level}{kind} of {cpus}: {size} bytes, line {line}, {ways} ways")
}

fn theirs(archive: &Path) -> Aspects {
    // Thousands of small files: in memory if possible.
    let place = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let root = unpack(archive, place.path());
    aspects_of_xml(&lstopo(&root))
}

/// What lstopo's XML has.
pub(super) fn aspects_of_xml(xml: &str) -> Aspects {
    let mut found = Lstopo::default();
    xml.lines().for_each(|line| found.take(line));
    found.aspects()
}

/// Folders of a capture without data about CPUs, caches and nodes.
const OTHER_MATTERS: [&str; 8] = [
    "sys/bus",
    "sys/class",
    "devices/pci",
    "/power/",
    "/cpuidle",
    "/cpufreq",
    "/thermal_throttle",
    "/memory",
];

/// Unpacks what lstopo reads of CPUs and nodes (devices are three quarters of the files), and finds
/// the root.
fn unpack(archive: &Path, place: &Path) -> PathBuf {
    let mut tar = tar::Archive::new(MultiBzDecoder::new(File::open(archive).unwrap()));
    let mut root = None;
    for entry in tar.entries().unwrap() {
        let mut entry = entry.unwrap();
        let name = entry.path().unwrap().into_owned();
        let Some((top, inner)) = name.to_str().and_then(|name| name.split_once('/')) else {
            continue;
        };
        if OTHER_MATTERS.iter().any(|other| inner.contains(other)) {
            continue;
        }
        root.get_or_insert_with(|| place.join(top));
        fs::create_dir_all(place.join(&name).parent().unwrap()).unwrap();
        if let Some(target) = entry.link_name().unwrap() {
            symlink(target, place.join(&name)).unwrap();
        } else if entry.header().entry_type().is_file() {
            io::copy(&mut entry, &mut File::create(place.join(&name)).unwrap()).unwrap();
        }
    }
    root.unwrap()
}

fn lstopo(root: &Path) -> String {
    let run = Command::new("lstopo-no-graphics")
        .args(["--of", "xml", "--no-io", "--disallowed", "--filter", "all:all"])
        .env("HWLOC_FSROOT", root)
        .env("HWLOC_COMPONENTS", "linux,stop")
        .env("HWLOC_THISSYSTEM", "0")
        .output()
        .unwrap_or_else(|_| panic!("install hwloc-nox (./dev test does)"));
    assert!(run.status.success(), "lstopo: {}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap()
}

/// Parses lstopo's XML. Every object is on its own line, with all its attributes.
#[derive(Default)]
struct Lstopo {
    cpus: CpuSet,
    nodes: BTreeMap<u32, (CpuSet, u64)>,
    packages: Vec<String>,
    cores: Vec<String>,
    caches: Vec<String>,
    allowed: (CpuSet, NodeSet),
    in_node_distances: bool,
    indexes: Vec<u32>,
    values: Vec<u32>,
}

impl Lstopo {
    fn take(&mut self, line: &str) {
        let line = line.trim();
        if line.starts_with("<distances2") {
            self.in_node_distances =
                attribute(line, "type") == Some("NUMANode") && line.contains("NUMALatency");
        } else if self.in_node_distances && line.starts_with("<indexes") {
            self.indexes.extend(numbers(line));
        } else if self.in_node_distances && line.starts_with("<u64values") {
            self.values.extend(numbers(line));
        } else if line.starts_with("<object") {
            self.take_object(line);
        }
    }

    fn take_object(&mut self, line: &str) {
        let number = |key| attribute(line, key).map_or(0, |text| text.parse().unwrap());
        let cpus = attribute(line, "cpuset").map(set).unwrap_or_default();
        match attribute(line, "type").unwrap() {
            "Machine" => {
                let nodes =
                    NodeSet::from_words(set(attribute(line, "allowed_nodeset").unwrap()).words());
                self.cpus = cpus;
                self.allowed = (set(attribute(line, "allowed_cpuset").unwrap()), nodes);
            }
            "NUMANode" => {
                self.nodes.insert(number("os_index") as u32, (cpus, number("local_memory")));
            }
            "Package" => self.packages.push(cpus.to_string()),
            "Core" => self.cores.push(cpus.to_string()),
            cache if cache.contains("Cache") => {
                let kind = ["u", "d", "i"][number("cache_type") as usize];
                let sizes = ["cache_size", "cache_linesize", "cache_associativity"].map(number);
                self.caches.push(cache_line(number("depth") as u32, kind, &cpus, sizes));
            }
            _ => {}
        }
    }

    fn aspects(self) -> Aspects {
        let ids: NodeSet = self.nodes.keys().map(|&id| nearfar_model::NodeId(id)).collect();
        let distances = vec![format!("{:?}", self.indexes), format!("{:?}", self.values)];
        aspects([
            ("CPUs", vec![self.cpus.to_string()]),
            ("node ids", vec![ids.to_string()]),
            (
                "node CPUs",
                self.nodes.iter().map(|(id, (cpus, _))| format!("{id}: {cpus}")).collect(),
            ),
            (
                "node memory",
                self.nodes.iter().map(|(id, (_, memory))| format!("{id}: {memory}")).collect(),
            ),
            ("distances", if self.indexes.is_empty() { Vec::new() } else { distances }),
            ("packages", self.packages),
            ("cores", self.cores),
            ("caches", self.caches),
            ("allowed CPUs", vec![self.allowed.0.to_string()]),
            ("allowed nodes", vec![self.allowed.1.to_string()]),
        ])
    }
}

fn attribute<'l>(line: &'l str, key: &str) -> Option<&'l str> {
    let start = line.find(&format!(" {key}=\""))? + key.len() + 3;
    line[start..].split('"').next()
}

fn numbers(line: &str) -> Vec<u32> {
    let inner = line.split('>').nth(1).unwrap().split('<').next().unwrap();
    inner.split_whitespace().map(|number| number.parse().unwrap()).collect()
}

/// hwloc's mask: like the kernel's, with `0x` before each word and nothing for a word of zeros.
fn set(mask: &str) -> CpuSet {
    let words: Vec<&str> =
        mask.split(',').map(|word| if word.is_empty() { "0" } else { word }).collect();
    CpuSet::parse_mask(&words.join(",")).unwrap()
}
