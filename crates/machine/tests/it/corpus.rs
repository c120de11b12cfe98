//! Compares captured machines of other projects with those projects' tools.
//!
//! hwloc's `lstopo` and util-linux's `lscpu` read the same kernel files independently: a common
//! misreading is unlikely, and each difference needs a reason below.

mod lists;
mod lscpu;
mod lstopo;
mod lstopo_xml;

use std::path::PathBuf;
use std::sync::OnceLock;

use nearfar_machine::{Source, Topology};

use crate::corpus_folder::corpus;

/// A captured machine. Reading an archive takes most of the time, so tests share it.
pub(crate) struct Captured {
    /// The archive's name without its endings.
    pub(crate) name: String,
    pub(crate) archive: PathBuf,
    pub(crate) source: Source,
    pub(crate) topology: Topology,
}

impl Captured {
    fn read(archive: PathBuf) -> Option<Self> {
        let name = archive.file_name()?.to_str()?.split_once(".tar")?.0.to_owned();
        let source = Source::open(&archive).unwrap();
        let topology = Topology::read(&source).unwrap();
        Some(Self { name, archive, source, topology })
    }
}

const FOLDERS: [&str; 3] = ["hwloc", "lscpu", "nri"];

/// The captured machines of a folder of the corpus, in order of their names.
fn captured_in(folder: &str) -> &'static [Captured] {
    static READ: [OnceLock<Vec<Captured>>; 3] = [const { OnceLock::new() }; 3];
    let index = FOLDERS.iter().position(|known| *known == folder).expect("a folder of the corpus");
    READ[index].get_or_init(|| {
        let Some(corpus) = corpus() else { return Vec::new() };
        let folder = corpus.join("sysfs").join(folder);
        let entries = std::fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut found: Vec<Captured> =
            entries.filter_map(|entry| Captured::read(entry.unwrap().path())).collect();
        found.sort_by(|a, b| a.name.cmp(&b.name));
        assert!(!found.is_empty(), "{} holds no archive", folder.display());
        found
    })
}

pub(crate) fn captured() -> impl Iterator<Item = &'static Captured> {
    FOLDERS.into_iter().flat_map(captured_in)
}

/// Archives with malformed files, and what is wrong in them.
const ODD: [(&str, &str); 2] = [
    ("fakeheterocpunuma", "/sys/devices/system/node/node4: CPUs 20-23 are in an earlier node too"),
    ("fakeheterocpunuma", "/sys/devices/system/node/node5: CPUs 16-23 are in an earlier node too"),
];

/// Archives whose maps of caches hwloc's authors corrected, or whose lists are another machine's.
const CONTRADICTING_CACHES: [&str; 3] =
    ["40intel64-4n10c+pci-conflicts", "64amd64-4s2n4ca2co", "64fake-4n2s2ca2c2t"];

#[test]
fn captures_read_without_oddities() {
    for Captured { name, topology, .. } in captured() {
        if CONTRADICTING_CACHES.contains(&name.as_str()) {
            let first = topology.oddities.first().map_or("", String::as_str);
            assert!(
                first.contains("shared_cpu_map: '") && first.contains(" contradicts "),
                "{name}"
            );
            continue;
        }
        let odd = ODD.iter().filter(|(odd, _)| odd == name);
        let expected: Vec<&str> = odd.map(|(_, line)| *line).collect();
        assert_eq!(topology.oddities, expected, "{name}");
    }
}
