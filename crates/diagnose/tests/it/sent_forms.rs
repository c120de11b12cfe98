//! Every file of the corpus that people would send: recognised by its content, or refused.

use std::collections::BTreeMap;
use std::path::PathBuf;

use nearfar_diagnose::{DiagnosisVerdict, Witnesses, diagnose};
use nearfar_machine::{Sent, Source, Topology};

use crate::corpus_folder::{corpus, files_below};

/// What files of a folder are: the folder, an end of their names, their form.
const EXPECTED: &[(&str, &str, &str)] = &[
    ("cloud", "lstopo.xml", "XML of hwloc"),
    ("cloud", "lscpu.json", "lscpu -J"),
    ("cloud", "nvidia-smi.xml", "nvidia-smi -q -x"),
    ("hwloc-xml", ".xml", "XML of hwloc"),
    ("pci", ".xml", "XML of NCCL"),
    ("cases", "dmesg.txt", "kernel log"),
    ("cases", "dmesg-H.txt", "kernel log"),
    ("cases", "dmesg-x.txt", "kernel log"),
    ("cases", "dmesg-xT.txt", "kernel log"),
    ("cases", "dmesg-iso.txt", "kernel log"),
    ("cases", "dmesg-color.txt", "kernel log"),
    ("cases", "topo-m.txt", "nvidia-smi topo -m"),
    ("cases", "swapped-affinity.txt", "nvidia-smi topo -m"),
    ("cases", "eight-gpus.txt", "nvidia-smi topo -m"),
    ("cases", "interrupts.txt", "/proc/interrupts"),
    ("sysfs/lscpu", "lscpu-ppc64-POWER7-64cpu", "lscpu"),
    ("sysfs/lscpu", "lscpu-x86_64-64cpu", "lscpu"),
    ("sysfs/lscpu", "lscpu-x86_64-dell_e4310", "lscpu"),
    ("sysfs/lscpu", "lscpu-rv64-milkvpioneer", "lscpu"),
    ("irq", "lscpu_output", "lscpu -p"),
    ("irq", "interrupts", "/proc/interrupts"),
    ("acpi/fwts", ".acpidump", "acpidump"),
    ("cloud", "membench.csv", ""),
    ("cloud", "bw_mem.txt", ""),
];

fn is_right(sent: &Sent, form: &str) -> bool {
    sent.parts.first().is_some_and(|part| part.form == form)
}

#[test]
fn every_file_is_what_its_content_is() {
    let Some(corpus) = corpus() else { return };
    let mut table: BTreeMap<(&str, &str), [usize; 3]> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (folder, end, form) in EXPECTED {
        let files = files_below(&corpus.join(folder));
        for file in files.iter().filter(|file| file.to_string_lossy().ends_with(end)) {
            let counts = table.entry((folder, form)).or_default();
            match Sent::open(std::slice::from_ref(file)) {
                Ok(sent) if is_right(&sent, form) => counts[0] += 1,
                Err(error) => {
                    counts[1] += 1;
                    if !form.is_empty() {
                        eprintln!("refused: {error}");
                    }
                }
                Ok(sent) => {
                    counts[2] += 1;
                    let forms: Vec<&str> = sent.parts.iter().map(|part| part.form).collect();
                    wrong.push(format!("{}: {forms:?}", file.display()));
                }
            }
        }
    }
    eprintln!("{:<12} {:<20} read refused wrong", "folder", "form");
    for ((folder, form), [read, refused, wrong]) in &table {
        eprintln!("{folder:<12} {form:<20} {read:4} {refused:7} {wrong:5}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// `lscpu` of util-linux' snapshots, with its table of CPUs, is the machine of the snapshot.
#[test]
fn lscpu_is_the_machine_of_its_snapshot() {
    let Some(corpus) = corpus() else { return };
    let folder = corpus.join("sysfs/lscpu");
    let archives = files_below(&folder);
    let is_archive = |path: &&PathBuf| path.to_string_lossy().ends_with(".tar.gz");
    let mut compared = 0;
    for archive in archives.iter().filter(is_archive) {
        let name = archive.file_name().unwrap().to_string_lossy().into_owned();
        let text = folder.join(format!("lscpu-{}", name.trim_end_matches(".tar.gz")));
        let sent = Sent::open(&[text]).unwrap();
        let of = |source: &Source| shape(&Topology::read(source).unwrap());
        assert_eq!(of(&sent.source), of(&Source::open(archive).unwrap()), "{name}");
        compared += 1;
    }
    assert_eq!(compared, 4);
}

/// What a file leaves out was not sent: no finding follows from it.
#[test]
fn cpus_whose_node_was_not_sent_are_no_fault() {
    let table = "# CPU,Core,Socket,Node\n0,0,0,0\n1,1,0,1\n2,2,0,\n";
    let sent = nearfar_machine::sent::parse(table.as_bytes()).unwrap();
    let found = diagnose(&Witnesses::read(&sent.source));
    assert_eq!(found.verdict, DiagnosisVerdict::Visible, "{found:#?}");
    assert!(found.findings.iter().all(|one| one.code != "outside-the-nodes"), "{found:#?}");
}

/// CPUs, the CPUs of each node and package, and the number of cores.
fn shape(topology: &Topology) -> (String, Vec<String>, Vec<String>, usize) {
    let nodes = topology.nodes.iter().filter(|node| !node.cpus.is_empty());
    (
        topology.online().to_string(),
        nodes.map(|node| format!("{}: {}", node.id, node.cpus)).collect(),
        topology.packages().iter().map(|package| package.cpus.to_string()).collect(),
        topology.cores().len(),
    )
}
