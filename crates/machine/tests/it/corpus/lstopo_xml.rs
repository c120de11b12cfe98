//! hwloc's XML, read by nearfar and by `lstopo`. lstopo 2.9 (Debian 12) refuses version 3.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use nearfar_machine::{Source, Topology};

use super::lstopo::{Aspects, aspects_of_xml, difference, ours};
use crate::corpus_folder::{corpus, files_below};

/// What XML has of CPUs and nodes; sizes of caches without lines and ways.
const ASPECTS: [&str; 5] = ["CPUs", "node ids", "node memory", "packages", "cores"];

/// Known differences: file, aspects, reason. An aspect without a difference fails the test.
const DISAGREEMENTS: [(&str, &[&str], &str); 0] = [];

#[test]
fn xml_agrees_with_lstopo() {
    let Some(corpus) = corpus() else { return };
    let files = files_below(&corpus.join("hwloc-xml"));
    let files = files.iter().filter(|path| path.extension().is_some_and(|end| end == "xml"));
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for path in files.filter(|path| !fs::read_to_string(path).unwrap().contains("version=\"3.")) {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let ours = ours(&Topology::read(&Source::open(path).unwrap()).unwrap());
        let theirs = aspects_of_xml(&lstopo(path));
        for (aspect, ours, theirs) in compared_aspects(&ours, &theirs) {
            let listed = DISAGREEMENTS
                .iter()
                .any(|(file, on, _)| *file == name && on.contains(&aspect.as_str()));
            if (ours == theirs) == listed {
                wrong.push(format!("{name}: {aspect}:\n{}", difference(&ours, &theirs)));
            }
        }
        compared += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > 15, "{compared} files");
}

fn compared_aspects(ours: &Aspects, theirs: &Aspects) -> Vec<(String, Vec<String>, Vec<String>)> {
    let all: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
    let compared = all
        .into_iter()
        .filter(|aspect| ASPECTS.contains(&aspect.as_str()) || aspect.ends_with("caches"));
    let of = |these: &Aspects, aspect: &String| -> Vec<String> {
        let lines = these.get(aspect).cloned().unwrap_or_default();
        let sizes = lines.iter().map(|line| line.split(", line").next().unwrap_or_default());
        sizes.map(str::to_owned).collect()
    };
    compared.map(|aspect| (aspect.clone(), of(ours, aspect), of(theirs, aspect))).collect()
}

fn lstopo(path: &Path) -> String {
    let run = Command::new("lstopo-no-graphics")
        .args(["--if", "xml", "--of", "xml", "--no-io", "--disallowed", "--filter", "all:all"])
        .arg("-i")
        .arg(path)
        .output()
        .unwrap_or_else(|_| panic!("install hwloc-nox (./dev test does)"));
    assert!(run.status.success(), "lstopo: {}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap()
}
