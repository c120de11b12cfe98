//! The tables of the corpus that the kernel was asked about before, asked again.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::case::{Case, ONE_NODE, TWO_NODES};

/// `NEARFAR_CORPUS`, unset means `../shared/corpus` of the workspace, empty means none.
fn corpus() -> Option<PathBuf> {
    let folder = match env::var_os("NEARFAR_CORPUS") {
        Some(folder) if folder.is_empty() => None,
        Some(folder) => Some(PathBuf::from(folder)),
        None => Some(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus")).filter(|path| path.is_dir()),
    };
    if folder.is_none() {
        // Past the test harness, which keeps what a passing test prints with `println!`.
        io::stderr().write_all(b"skipped: no corpus\n").unwrap();
    }
    folder
}

#[test]
#[ignore = "boots a guest for each of twenty tables"]
fn every_table_of_the_corpus_is_judged_as_linux_judges_it() {
    let Some(folder) = corpus().map(|corpus| corpus.join("oracle")) else { return };
    let names = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    for name in names.filter(|name| !name.ends_with(".log")) {
        let mut tables = vec![fs::read(folder.join(&name)).unwrap()];
        if name.starts_with("slit") {
            tables.push(fs::read(folder.join("srat_two")).unwrap());
        }
        eprintln!("{name}");
        Case { tables, ..known(&name) }.agree();
    }
}

/// What each of them comes to, written out.
fn known(name: &str) -> Case {
    match name {
        "srat_overlap" => refused("nodes-overlap", &["overlaps with node 1 [mem 0x40000000-0x7ff"]),
        "srat_nocover" => refused(
            "ram-not-covered",
            &["nodes only cover 1535MB of your 2047MB", "no nodes coverage for 511MB of 2047MB RAM"],
        ),
        "srat_manypxm" => refused("too-many-domains", &["SRAT: Too many proximity domains"]),
        "srat_shortmem" => refused("srat-memory-entry-length", &["SRAT: Unexpected header length: 32"]),
        "srat_nomem" => withheld("srat-no-memory", &["No NUMA configuration found"]),
        "srat_single" => withheld("one-domain", &[]),
        "srat_cpuless" => {
            visible("cpus-in-one-node", "node 0: CPUs 0-3, distances 10 20\nnode 1: CPUs , distances 20 10\n")
        }
        "srat_memless" => Case { log: &["Initmem setup node 1 as memoryless"], ..visible("cpu-only-node", TWO_NODES) },
        "srat_gi_disabled_first" => visible(
            "initiator-disabled-first",
            "node 0: CPUs 0,2, distances 10 20\nnode 1: CPUs 1,3, distances 20 10\n",
        ),
        "srat_two" | "srat_badsum" => visible("slit-default", TWO_NODES),
        "srat_sparse" => visible("slit-default", TWO_NODES),
        "srat_rev1_hi" => visible("srat-domain-cut", TWO_NODES),
        "slit_ok" => Case {
            log: &["Unknown NUMA node"],
            ..visible("pci-without-node", "node 0: CPUs 0-1, distances 10 21\nnode 1: CPUs 2-3, distances 21 10\n")
        },
        "slit_20" => visible("slit-default", TWO_NODES),
        "slit_all10" | "slit_diag" => {
            Case { log: &["SLIT table looks invalid. Not used."], ..visible("slit-invalid", TWO_NODES) }
        }
        "slit_asym" => visible("slit-asymmetric", "?"),
        "slit_ff" => visible("slit-unreachable", "?"),
        other => panic!("the corpus has a new table: {other}"),
    }
}

fn refused(cause: &'static str, log: &'static [&'static str]) -> Case {
    Case { log, nodes: ONE_NODE, verdict: "refused-by-kernel", cause, ..Case::default() }
}

fn withheld(cause: &'static str, log: &'static [&'static str]) -> Case {
    Case { log, nodes: ONE_NODE, verdict: "withheld-by-hypervisor", cause, ..Case::default() }
}

fn visible(cause: &'static str, nodes: &'static str) -> Case {
    Case { nodes, verdict: "visible-but-doubtful", cause, ..Case::default() }
}
