//! Plans of hwloc's XML have the same parts as those of the machine that the XML describes.

use std::path::Path;

use nearfar_diagnose::{Witnesses, usual_devices};
use nearfar_machine::{Environment, Source, Topology};
use nearfar_report::pictures::PictureKind;
use nearfar_survey::Survey;

use crate::corpus_folder::corpus;

/// Captures and the XML that lstopo made of each. (hwloc-xml has others of the same names, without
/// sizes of memory.)
const PAIRS: [(&str, &str); 8] = [
    ("16amd64-8n2c-cpusets", "16amd64-8n2c-cpusets-xml.xml"),
    ("16em64t-4s2c2t", "16em64t-4s2c2t-xml.xml"),
    ("16em64t-4s2c2t-offlines", "16em64t-4s2c2t-offlines-xml.xml"),
    ("32amd64-4s2n4c-cgroup2", "32amd64-4s2n4c-cgroup2.xml"),
    ("32em64t-2n8c+dax+nvme+mic+dimms", "32em64t-2n8c+dax+nvme+mic+dimms.xml"),
    ("fakeheterocpunuma", "fakeheterocpunuma.xml"),
    ("fakepcilocalities", "fakepcilocalities.xml"),
    ("nvidia-dgx-gb10", "nvidia-dgx-gb10.xml"),
];

/// What XML cannot have, or has otherwise: capture, part, reason. A part without a difference
/// fails the test.
const DIFFERENCES: [(&str, &str, &str); 6] = [
    (
        "16amd64-8n2c-cpusets",
        "nodes",
        "lstopo wrote neither what is not allowed nor caches of instructions",
    ),
    (
        "32amd64-4s2n4c-cgroup2",
        "nodes",
        "lstopo wrote neither what is not allowed nor caches of instructions",
    ),
    ("32em64t-2n8c+dax+nvme+mic+dimms", "devices", "XML has no slots for memory"),
    ("fakeheterocpunuma", "nodes", "made by hand; lstopo drops nodes that share CPUs in part"),
    ("nvidia-dgx-gb10", "nodes", "hwloc joins capacities of cores with one MIDR"),
    ("nvidia-dgx-gb10", "kinds", "hwloc joins capacities of cores with one MIDR"),
];

fn survey(path: &Path) -> Survey {
    let source = Source::open(path).unwrap();
    let witnesses = Witnesses::read(&source);
    let devices = usual_devices(&witnesses, &source);
    let topology = Topology::read(&source).unwrap();
    Survey::unmeasured(&topology, &Environment::read(&source), &witnesses, devices)
}

/// Rows of the plan's table: nodes with their CPUs, cores and caches; devices with their nodes;
/// kinds of CPUs.
fn parts(survey: &Survey) -> [(&'static str, Vec<String>); 3] {
    let drawn = PictureKind::Machine.draw(survey, None);
    let table = drawn.pictures[0].picture().table();
    let rows_of = |range: std::ops::Range<usize>, column: usize| -> Vec<String> {
        let rows = table.rows.iter().filter(|row| !row[column].is_empty());
        rows.map(|row| row[range.clone()].join(" | ")).collect()
    };
    let mut devices: Vec<String> = rows_of(7..8, 7);
    devices.sort();
    let kinds = survey.claims.parts.iter().flat_map(|parts| &parts.cpu_kinds);
    let kinds = kinds.map(|kind| format!("{} {}", kind.name, kind.cpus)).collect();
    [("nodes", rows_of(0..7, 4)), ("devices", devices), ("kinds", kinds)]
}

#[test]
fn plans_of_xml_are_those_of_sysfs() {
    let Some(corpus) = corpus() else { return };
    let mut wrong = Vec::new();
    for (capture, xml) in PAIRS {
        let archive = corpus.join(format!("sysfs/hwloc/{capture}.tar.bz2"));
        let xml = corpus.join("sysfs/hwloc").join(xml);
        let (of_sysfs, of_xml) = (parts(&survey(&archive)), parts(&survey(&xml)));
        for ((part, sysfs), (_, xml)) in of_sysfs.iter().zip(&of_xml) {
            let listed = DIFFERENCES.iter().any(|(name, on, _)| *name == capture && on == part);
            if (sysfs == xml) == listed {
                let lacking = |these: &[String], those: &[String]| -> String {
                    let lines = these.iter().filter(|line| !those.contains(line)).take(6);
                    lines.map(|line| format!("    {line}\n")).collect()
                };
                let (first, second) = (lacking(sysfs, xml), lacking(xml, sysfs));
                wrong.push(format!("{capture}: {part}\n  sysfs:\n{first}  XML:\n{second}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
