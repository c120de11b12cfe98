//! The tables of the corpus, each by itself; the kernel was asked about most of them before, and is
//! asked again.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::case::{Case, ONE_NODE, TWO_NODES};

/// A test for each table, under the name of its file.
macro_rules! judged {
    ($($name:ident: $case:expr;)*) => {
        $(
            #[test]
            #[ignore = "long: boots a guest"]
            fn $name() {
                judge(stringify!($name), $case);
            }
        )*

        const JUDGED: &[&str] = &[$(stringify!($name)),*];
    };
}

judged! {
    srat_overlap: refused("nodes-overlap", &["overlaps with node 1 [mem 0x40000000-0x7ff"]);
    srat_nocover: refused(
        "ram-not-covered",
        &[
            "nodes only cover 1535MB of your 2047MB e820 RAM",
            "no nodes coverage for 511MB of 2047MB RAM",
        ]
    );
    srat_manypxm: refused("too-many-domains", &["SRAT: Too many proximity domains"]);
    srat_shortmem: refused("srat-memory-entry-length", &["SRAT: Unexpected header length: 32"]);
    srat_nomem: withheld("srat-no-memory", &["No NUMA configuration found"]);
    srat_single: withheld("one-domain", &[]);
    srat_cpuless: visible(
        "cpus-in-one-node",
        "node 0: CPUs 0-3, distances 10 20\nnode 1: CPUs , distances 20 10\n",
    );
    srat_memless: visible(
        "cpu-only-node",
        "node 0: CPUs 0-1, distances 10 20\nnode 1: CPUs 2-3, distances 20 10, no memory\n"
    );
    srat_gi_disabled_first: visible(
        "initiator-disabled-first",
        "node 0: CPUs 0,2, distances 10 20\nnode 1: CPUs 1,3, distances 20 10\n"
    );
    srat_two: visible("slit-default", TWO_NODES);
    // QEMU corrects it: what is left is the table before.
    srat_badsum: visible("slit-default", TWO_NODES);
    srat_sparse: visible("slit-default", TWO_NODES);
    srat_rev1_hi: visible("srat-domain-cut", TWO_NODES);
    slit_ok: Case {
        log: &["Unknown NUMA node"],
        ..visible(
            "pci-without-node",
            "node 0: CPUs 0-1, distances 10 21\nnode 1: CPUs 2-3, distances 21 10\n",
        )
    };
    slit_20: visible("slit-default", TWO_NODES);
    slit_all10: Case {
        log: &["SLIT table looks invalid. Not used."],
        ..visible("slit-invalid", TWO_NODES)
    };
    slit_diag: Case {
        log: &["SLIT table looks invalid. Not used."],
        ..visible("slit-invalid", TWO_NODES)
    };
    slit_asym: visible(
        "slit-asymmetric",
        "node 0: CPUs 0-1, distances 10 21\nnode 1: CPUs 2-3, distances 31 10\n",
    );
    slit_ff: visible(
        "slit-unreachable",
        "node 0: CPUs 0-1, distances 10 255\nnode 1: CPUs 2-3, distances 255 10\n",
    );
}

#[test]
fn no_table_of_the_corpus_is_left_out() {
    let Some(folder) = folder() else { return };
    let names = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut tables: Vec<String> = names.filter(|name| !name.ends_with(".log")).collect();
    let mut judged = JUDGED.to_vec();
    tables.sort_unstable();
    judged.sort_unstable();
    assert_eq!(tables, judged);
}

/// Of `NEARFAR_CORPUS`; unset means `../shared/corpus` of the workspace, empty means none.
fn folder() -> Option<PathBuf> {
    let corpus = match env::var_os("NEARFAR_CORPUS") {
        Some(folder) if folder.is_empty() => None,
        Some(folder) => Some(PathBuf::from(folder)),
        None => Some(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus"))
            .filter(|path| path.is_dir()),
    };
    if corpus.is_none() {
        // Past the test harness, which keeps what a passing test prints with `println!`.
        io::stderr().write_all(b"skipped: no corpus\n").unwrap();
    }
    Some(corpus?.join("oracle"))
}

/// A SLIT needs nodes to speak of.
#[allow(clippy::needless_pass_by_value)] // a case is made for one judgement
fn judge(name: &str, case: Case) {
    let Some(folder) = folder() else { return };
    let mut tables = vec![fs::read(folder.join(name)).unwrap()];
    if name.starts_with("slit") {
        tables.push(fs::read(folder.join("srat_two")).unwrap());
    }
    Case { tables, ..case }.agree();
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
