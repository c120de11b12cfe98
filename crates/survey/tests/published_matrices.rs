//! Matrices that people published, beside what is known of the machines.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::{env, fs};

use nearfar_infer::core_to_core::{Group, Kind, WhoShares, who_shares};
use nearfar_survey::PairMatrix;

/// The folder of matrices; `NEARFAR_CORPUS`, unset means `../shared/corpus` of the workspace, empty means none.
fn folder() -> Option<PathBuf> {
    let corpus = match env::var_os("NEARFAR_CORPUS") {
        Some(corpus) if corpus.is_empty() => None,
        Some(corpus) => Some(PathBuf::from(corpus)),
        None => Some(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus")).filter(|path| path.is_dir()),
    };
    if corpus.is_none() {
        io::stderr().write_all(b"skipped: no corpus\n").unwrap();
    }
    corpus.map(|corpus| corpus.join("c2c"))
}

fn sizes(groups: &[Group]) -> String {
    let mut count = BTreeMap::new();
    groups.iter().for_each(|group| *count.entry(group.cpus.len()).or_insert(0) += 1);
    let all: Vec<String> = count.iter().map(|(size, groups)| format!("{groups}x{size}")).collect();
    if all.is_empty() { "-".to_owned() } else { all.join("+") }
}

fn support(groups: &[Group]) -> f64 {
    groups.iter().map(|group| group.support).fold(1.0, f64::min)
}

#[test]
fn show() {
    let Some(folder) = folder() else { return };
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "csv")) {
        let matrix = PairMatrix::read(file).unwrap();
        let found: WhoShares = who_shares(&matrix.costs, matrix.cpus.len());
        println!(
            "{:60.60} {:4} packages {} ({:.2}) caches {} ({:.2}) smt {} ({:.2})",
            file.file_name().unwrap().to_string_lossy(),
            matrix.cpus.len(),
            sizes(&found.packages),
            support(&found.packages),
            sizes(&found.cache_groups),
            support(&found.cache_groups),
            sizes(&found.smt_pairs),
            support(&found.smt_pairs)
        );
        for untold in &found.cannot_tell {
            println!("      {:?}: {:.160}", untold.kind, format!("{:?}", untold.why));
        }
    }
}
