//! How much memory delivers.

use serde_json::Value;

use super::document::{cells, index, is_near, measured, median, number};
use super::truth::Truth;
use crate::lab::{is_ready, undisturbed};

const MACHINE: &str = "epyc-9224-nps2-cxl";
const CPUS_OF_A_NODE: usize = 2;
/// A line takes a busy CPU two microseconds of the host, and passes a node's memory in two of
/// these.
const SLOWDOWN: f64 = 3000.0;

/// What reading gives within 10 % of what the machine's clocks let through; how many cells were
/// looked at.
fn reads_as_put_in(command: &str) -> Result<usize, String> {
    let document = measured(MACHINE, SLOWDOWN, command);
    let truth = Truth::of(MACHINE);
    let part = &document["bandwidth"];
    let node = |column: &Value| index(&part["columns"][index(column)]["node"]);
    let mut looked_at = 0;
    for cell in cells(part) {
        let (from, to) = (index(&part["rows"][index(&cell["row"])]["node"]), node(&cell["column"]));
        let cpus = index(&cell["threads"]);
        let what = format!("{cpus} CPUs of node {from}, memory of node {to}, GB/s");
        is_near(&what, median(cell)? * SLOWDOWN / 1e9, truth.read(cpus, from, to), 0.1)?;
        looked_at += 1;
    }
    Ok(looked_at)
}

#[test]
#[ignore = "long: figures to the percent"]
fn own_memory_the_other_sockets_and_an_expanders_are_as_fast_as_they_were_put_in() {
    if !is_ready("x86_64") {
        return;
    }
    let command = "nearfar bandwidth --kernels read --threads 2 --size 4M --window 1000 --quick \
                   --cpus 0-1 --nodes 0,2,4 --no-samples --json";
    assert_eq!(undisturbed(|| reads_as_put_in(command)), 3);
}

#[test]
#[ignore = "long: minutes"]
fn the_whole_matrix_is_as_fast_as_it_was_put_in() {
    if !is_ready("x86_64") {
        return;
    }
    let command =
        "nearfar bandwidth --kernels read --threads 2 --size 4M --window 1000 --no-samples --json";
    assert_eq!(undisturbed(|| reads_as_put_in(command)), 4 * 5);
}

/// What memory sees of a kernel for each byte that the program does.
#[test]
#[ignore = "long: minutes"]
fn kernels_that_write_pass_memory_as_often_as_they_do() {
    if !is_ready("x86_64") {
        return;
    }
    let command = "nearfar bandwidth --kernels read,write,nt-write,copy,triad --threads 2 --size \
                   4M --window 1000 --cpus 0-1 --nodes 0 --no-samples --json";
    undisturbed(|| {
        let document = measured(MACHINE, SLOWDOWN, command);
        let node = Truth::of(MACHINE).read(CPUS_OF_A_NODE, 0, 0);
        for cell in cells(&document["bandwidth"]) {
            // Lines that pass memory, and lines that the program counts.
            let (pass, count) = match cell["kernel"].as_str().unwrap() {
                "read" | "nt-write" => (1.0, 1.0),
                "write" => (2.0, 1.0),
                "copy" => (3.0, 2.0),
                "triad" => (4.0, 3.0),
                other => return Err(format!("unexpected {other}")),
            };
            let what = cell["kernel"].as_str().unwrap();
            is_near(what, number(&cell["median"]) * SLOWDOWN / 1e9, node * count / pass, 0.1)?;
        }
        Ok(())
    });
}
