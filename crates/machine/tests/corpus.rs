//! Machines that other projects captured, read by nearfar and by the tools those projects made them for.
//!
//! hwloc's `lstopo` and util-linux's `lscpu` are written by other people in another language from the same
//! kernel files: where they and nearfar agree, a common misreading is unlikely; where not, a reason is owed below.

#[path = "corpus/lists.rs"]
mod lists;
#[path = "corpus/lscpu.rs"]
mod lscpu;
#[path = "corpus/lstopo.rs"]
mod lstopo;

use std::env;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Once;

use nearfar_machine::{Source, Topology};

static SAID: Once = Once::new();

/// The corpus folder: `NEARFAR_CORPUS`, unset means `../shared/corpus` of the workspace, empty means none.
fn corpus() -> Option<PathBuf> {
    let folder = match env::var_os("NEARFAR_CORPUS") {
        Some(folder) if folder.is_empty() => None,
        Some(folder) => Some(PathBuf::from(folder)),
        None => Some(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus")).filter(|path| path.is_dir()),
    };
    if folder.is_none() {
        // Past the test harness, which keeps what a passing test prints with `println!`.
        SAID.call_once(|| io::stderr().write_all(b"skipped: no corpus\n").unwrap());
    }
    folder
}

/// The archives of a folder of the corpus, with their names less the endings.
fn archives(folder: &str) -> Vec<(String, PathBuf)> {
    let Some(corpus) = corpus() else { return Vec::new() };
    let folder = corpus.join("sysfs").join(folder);
    let mut found: Vec<(String, PathBuf)> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter_map(|path| Some((path.file_name()?.to_str()?.split_once(".tar")?.0.to_owned(), path)))
        .collect();
    found.sort();
    assert!(!found.is_empty(), "{} holds no archive", folder.display());
    found
}

fn read(archive: &Path) -> Topology {
    Topology::read(&Source::open(archive).unwrap()).unwrap()
}

/// Archives whose files make no sense in places, and what is wrong in them.
const ODD: [(&str, &str); 2] = [
    ("fakeheterocpunuma", "/sys/devices/system/node/node4: CPUs 20-23 are in an earlier node too"),
    ("fakeheterocpunuma", "/sys/devices/system/node/node5: CPUs 16-23 are in an earlier node too"),
];

#[test]
fn captures_read_without_oddities() {
    for folder in ["hwloc", "lscpu", "nri"] {
        for (name, archive) in archives(folder) {
            let topology = read(&archive);
            let expected: Vec<&str> = ODD.iter().filter(|(odd, _)| *odd == name).map(|(_, line)| *line).collect();
            assert_eq!(topology.oddities, expected, "{name}");
        }
    }
}
