//! Recipes with the programs that they are for, made small, on a machine of two nodes.
//!
//! What is best there follows from the machine's description: a program that has memory of its own
//! for each thread is fastest where each CPU has it near, and two CPUs do more than one. What the
//! kernel does costs nothing in the lab, so that a program which works there is not judged.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::lab::{is_ready_with, lab};

struct Real {
    recipe: &'static str,
    /// What is made smaller in the recipe's text.
    smaller: &'static [(&'static str, &'static str)],
    /// CPUs of each node.
    cpus: u32,
    runs: u32,
    /// How configurations that the description makes best begin; they are equal.
    best: &'static [&'static str],
    /// The same of those that are slower by it.
    slower: &'static [&'static str],
}

const REDIS: Real = Real {
    recipe: "redis",
    smaller: &[
        ("-n 400000 -r 200000", "-n 6000 -r 5000"),
        ("-n 1000000 -r 200000", "-n 20000 -r 5000"),
    ],
    cpus: 2,
    // The kernel takes an unbound server's memory where it likes: that varies.
    runs: 10,
    // Two servers do more than one.
    best: &["per-node"],
    slower: &["unbound", "local:0", "preferred:0", "interleave", "weighted"],
};

const XZ: Real = Real {
    recipe: "xz",
    smaller: &[("seq 1 8000000", "seq 1 300000"), ("--block-size=2MiB", "--block-size=128KiB")],
    cpus: 1,
    runs: 6,
    best: &["unbound"],
    // Spread: as many threads as half of the CPUs.
    slower: &["local:0", "interleave", "weighted", "spread"],
};

const COMPILE: Real = Real {
    recipe: "compile",
    smaller: &[("-lt 16 ", "-lt 4 "), ("seq 1 20 ", "seq 1 5 ")],
    cpus: 1,
    runs: 6,
    best: &["unbound"],
    slower: &["local:0", "interleave", "spread"],
};

const POSTGRES: Real = Real {
    recipe: "postgres",
    smaller: &[("-s 10 postgres", "-s 1 postgres"), ("512MB", "64MB")],
    cpus: 1,
    runs: 6,
    // Its buffers are far from half of the CPUs wherever they are: one node's CPUs do less.
    best: &["unbound", "interleave", "weighted"],
    slower: &["local:0", "preferred:0"],
};

const JAVA: Real = Real {
    recipe: "java",
    smaller: &[("-Xms512m -Xmx512m", "-Xms96m -Xmx96m"), ("long[20000][]", "long[4000][]")],
    cpus: 1,
    runs: 6,
    best: &["per-node"],
    slower: &["local:0", "preferred:0", "interleave"],
};

const MPI: Real = Real {
    recipe: "mpi",
    smaller: &[("LENGTH = 1 << 20", "LENGTH = 1 << 16"), ("BORDER = 1024", "BORDER = 64")],
    cpus: 1,
    runs: 6,
    // Ranks that mpirun leaves unbound are where the kernel puts them.
    best: &["unbound BIND=core", "unbound BIND=numa"],
    slower: &["local:0"],
};

/// A machine with more memory and less CPUs than `xeon-2s`: with one a node, a host of two CPUs
/// plays them all.
fn machine(folder: &Path, cpus: u32) -> PathBuf {
    let text = include_str!("../../../machines/xeon-2s.toml");
    let mut text = text.replace("memory = \"384M\"", "memory = \"900M\"");
    if cpus == 1 {
        text = text
            .replace("cpus = \"0-1\"", "cpus = \"0\"")
            .replace("cpus = \"2-3\"", "cpus = \"1\"");
    }
    let path = folder.join("two-nodes.toml");
    fs::write(&path, text).unwrap();
    path
}

/// Steps find Debian's programs first, a user for what refuses root, and a shell that runs no
/// programs of its own.
const SCRIPT: &str = "
    export PATH=/usr/bin:/bin
    ln -sf /usr/bin/dash /bin/sh
    echo user:x:65534:65534::/tmp:/bin/sh >>/etc/passwd
    echo user:x:65534: >>/etc/group
    nearfar sweep --recipe /root/RECIPE.toml --runs RUNS --seed 1 -o /out/sweep.json \
    >/out/sweep.txt";

/// The sweep of a recipe in a guest, and what it printed. The guest does at a thirtieth of the
/// machine's pace what programs wait for; none without a lab.
fn swept(real: &Real) -> Option<(Value, String)> {
    let part = format!("programs/{}", real.recipe);
    if !is_ready_with("x86_64", &[&part]) {
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let file =
        format!("{}/../crates/sweep/recipes/{}.toml", env!("CARGO_MANIFEST_DIR"), real.recipe);
    let mut text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
    for (large, small) in real.smaller {
        assert!(text.contains(large), "{file}: no {large}");
        text = text.replace(large, small);
    }
    fs::create_dir_all(path("with/root")).unwrap();
    fs::write(path(&format!("with/root/{}.toml", real.recipe)), text).unwrap();
    fs::create_dir(path("out")).unwrap();
    let kit = PathBuf::from(std::env::var_os("NEARFAR_LAB_KIT").unwrap());
    let programs = kit.join("x86_64").join(part).display().to_string();
    let machine = machine(folder.path(), real.cpus).display().to_string();
    let script = SCRIPT.replace("RECIPE", real.recipe).replace("RUNS", &real.runs.to_string());
    let words = ["run", &machine, "--no-wait", "--timeout", "3000", "--slowdown", "30"];
    let with = ["--with", &programs, "--with", &path("with"), "--out", &path("out")];
    let output = lab(&[&words[..], &with, &["--", "sh", "-c", &script]].concat());
    let errors = String::from_utf8_lossy(&output.stderr);
    let [document, printed] = ["out/sweep.json", "out/sweep.txt"]
        .map(|name| fs::read_to_string(path(name)).unwrap_or_else(|_| panic!("{name}: {errors}")));
    println!("{printed}");
    assert!(output.status.success(), "{printed}{errors}");
    Some((serde_json::from_str(&document).unwrap(), printed))
}

/// The best placement of the description is the fastest or as fast, and slower ones are neither.
fn assert_best(real: &Real) {
    let Some((sweep, printed)) = swept(real) else { return };
    let answers = &sweep["answers"];
    let fastest = answers["fastest"].as_str().unwrap();
    let as_fast: Vec<&str> =
        answers["as_fast"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let begins = |name: &str, all: &[&str]| all.iter().any(|one| name.starts_with(one));
    let is_best = |name: &str| begins(name, real.best);
    assert!(is_best(fastest) || as_fast.iter().any(|name| is_best(name)), "{printed}");
    let is_slower = |name: &&str| begins(name, real.slower);
    let wrong: Vec<&str> = [fastest].into_iter().chain(as_fast).filter(is_slower).collect();
    assert!(wrong.is_empty(), "{}: {wrong:?}: {printed}", real.recipe);
}

#[test]
#[ignore = "a long test: Redis in a guest"]
fn redis_does_most_with_a_server_on_each_node() {
    assert_best(&REDIS);
}

#[test]
#[ignore = "a long test: xz in a guest"]
fn xz_is_fastest_where_each_thread_has_its_memory() {
    assert_best(&XZ);
}

#[test]
#[ignore = "a long test: a compiler in a guest"]
fn a_build_is_fastest_where_each_compiler_has_its_memory() {
    assert_best(&COMPILE);
}

#[test]
#[ignore = "a long test: PostgreSQL in a guest"]
fn a_database_does_most_with_the_cpus_of_all_nodes() {
    assert_best(&POSTGRES);
}

#[test]
#[ignore = "a long test: Java in a guest"]
fn java_does_most_with_a_machine_on_each_node() {
    assert_best(&JAVA);
}

#[test]
#[ignore = "a long test: Open MPI in a guest"]
fn ranks_do_most_where_they_are_bound() {
    assert_best(&MPI);
}
