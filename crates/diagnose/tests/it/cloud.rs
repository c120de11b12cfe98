//! 160 cloud machines of the corpus, from `lstopo`'s XML alone, from `lscpu` alone, and joined.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use nearfar_diagnose::{Diagnosis, DiagnosisVerdict, Witnesses, diagnose};
use nearfar_machine::{CacheKind, Sent, Topology};
use nearfar_model::Bytes;

use crate::corpus_folder::corpus;

/// The machines whose two outputs disagree about nodes: they are of two virtual machines.
const DISAGREE: &[&str] = &["gcp_c3d-highcpu-360"];

fn machines() -> Vec<PathBuf> {
    let Some(corpus) = corpus() else { return Vec::new() };
    let entries = std::fs::read_dir(corpus.join("cloud")).unwrap();
    let folders = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    let mut folders: Vec<PathBuf> = folders.collect();
    folders.sort();
    folders
}

fn opened(paths: &[PathBuf]) -> Sent {
    Sent::open(paths).unwrap_or_else(|error| panic!("{paths:?}: {error}"))
}

type Caches = BTreeMap<(u32, CacheKind), (Option<Bytes>, usize)>;

#[derive(Debug, PartialEq)]
struct Shape {
    cpus: usize,
    nodes: Vec<String>,
    packages: usize,
    cores: usize,
    caches: Caches,
}

fn shape(topology: &Topology) -> Shape {
    let mut caches = Caches::new();
    for cache in &topology.caches {
        let entry = caches.entry((cache.level, cache.kind)).or_insert((cache.size, 0));
        entry.1 += 1;
    }
    let nodes = topology.nodes.iter().filter(|node| node.online);
    Shape {
        cpus: topology.online().len(),
        nodes: nodes.map(|node| format!("{}: {}", node.id, node.cpus)).collect(),
        packages: topology.packages().len(),
        cores: topology.cores().len(),
        caches,
    }
}

fn diagnosed(sent: &Sent) -> Diagnosis {
    let mut witnesses = Witnesses::read(&sent.source);
    witnesses.conflicts.clone_from(&sent.conflicts);
    diagnose(&witnesses)
}

fn name(folder: &Path) -> String {
    folder.file_name().unwrap().to_string_lossy().into_owned()
}

/// `lscpu` has no cache whose instances it cannot count, and none without a size.
fn agree(xml: &Shape, lscpu: &Shape) -> bool {
    let parts = |shape: &Shape| (shape.cpus, shape.nodes.clone(), shape.packages, shape.cores);
    let same_size = lscpu.caches.iter().all(|(level, (size, _))| {
        xml.caches.get(level).is_none_or(|(other, _)| other.is_none() || other == size)
    });
    parts(xml) == parts(lscpu) && same_size
}

#[test]
fn xml_and_lscpu_are_the_same_machine() {
    let (mut disagree, mut refused) = (Vec::new(), Vec::new());
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let mut verdicts: BTreeMap<String, usize> = BTreeMap::new();
    for folder in machines() {
        let (xml, lscpu) = (folder.join("lstopo.xml"), folder.join("lscpu.json"));
        let from = |path: &PathBuf| {
            let sent = opened(std::slice::from_ref(path));
            (shape(&Topology::read(&sent.source).unwrap()), diagnosed(&sent))
        };
        let ((left, by_xml), (right, by_lscpu)) = (from(&xml), from(&lscpu));
        let joined = match Sent::open(&[xml, lscpu]) {
            Ok(sent) => {
                if !agree(&left, &right) {
                    disagree.push(name(&folder));
                    eprintln!("{}: {left:?}\n     {right:?}", name(&folder));
                }
                Some(diagnosed(&sent))
            }
            Err(error) => {
                refused.push(error.to_string());
                None
            }
        };
        // More files never make less known.
        let is_unknown = |one: &Diagnosis| one.verdict == DiagnosisVerdict::Unknown;
        if let Some(joined) = joined.as_ref().filter(|joined| is_unknown(joined)) {
            assert!(is_unknown(&by_xml) && is_unknown(&by_lscpu), "{}: {joined:?}", name(&folder));
        }
        let all = [("xml", Some(by_xml)), ("lscpu", Some(by_lscpu)), ("both", joined)];
        for (form, diagnosis) in all.into_iter().filter_map(|(form, one)| Some((form, one?))) {
            *verdicts.entry(format!("{form} {:?}", diagnosis.verdict)).or_default() += 1;
            let codes: BTreeSet<&str> =
                diagnosis.findings.iter().map(|finding| finding.code.as_str()).collect();
            for code in codes {
                *kinds.entry(format!("{form} {code}")).or_default() += 1;
                if std::env::var_os("SHOW").is_some_and(|wanted| wanted == *code) {
                    eprintln!("{form} {}: {:?}", name(&folder), diagnosis.findings);
                }
            }
        }
    }
    eprintln!("{verdicts:#?}\n{kinds:#?}\n{}", refused.join("\n"));
    // Outputs of two virtual machines of one kind.
    assert!(refused.iter().all(|why| why.contains("the CPU's model is")), "{refused:?}");
    assert!(disagree.is_empty() || disagree == DISAGREE, "{disagree:?}");
}
