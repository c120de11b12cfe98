//! What nearfar finds in machines whose costs are known: the survey from end to end.
//!
//! Each change asks for verdicts that differ by far more than a busy host takes away. [`figures`]
//! holds every cell against what the plugin charged.

mod figures;

use nearfar_survey::Survey;
use serde_json::Value;

use crate::lab::{Measurement, is_ready, lab, machine};

const NUMA_YES: &str = r#"grep -q '"numa": *"yes"' $document"#;

/// The median of a row's CPUs and a column's memory, by the nodes' numbers.
fn median(survey: &Survey, row: usize, node: u32) -> f64 {
    let columns = &survey.latency.columns;
    let is_of = |column: usize| columns[column].node.is_some_and(|found| found.0 == node);
    let mut cells = survey.latency.cells.iter();
    let cell = cells.find(|cell| cell.row == row && is_of(cell.column)).unwrap();
    cell.median.unwrap_or_else(|| panic!("{:?}", cell.why))
}

#[test]
fn far_memory_is_numa_and_its_near_node_is_a_class() {
    if !is_ready("x86_64") {
        return;
    }
    let document = Measurement {
        machine: "epyc-7451-2p",
        slowdown: 10.0,
        command: "survey --quick --cpus 0 --nodes 0,1,4,6",
        settled: NUMA_YES,
    }
    .document();
    let survey: Survey = serde_json::from_value(document).unwrap();
    assert_eq!(survey.verdict.numa.to_string(), "yes", "{:#?}", survey.verdict);
    let [own, package, far, near] = [0, 1, 4, 6].map(|node| median(&survey, 0, node));
    // 90, 155, 305 and 286 ns of the machine.
    assert!(own < package && package < near && package < far, "{own} {package} {far} {near}");
}

/// A document's check of the table of distances.
fn slit_check(survey: &Value) -> &Value {
    let checks = survey["claims_vs_measured"]["checks"].as_array().unwrap();
    checks.iter().find(|check| check["claim"] == "slit").unwrap()
}

#[test]
fn eight_claimed_nodes_of_one_memory_are_not_called_numa() {
    if !is_ready("x86_64") {
        return;
    }
    let document = Measurement {
        machine: "uma-claims-8-nodes",
        slowdown: 10.0,
        command: "survey --quick --cpus 0,4 --nodes 0,4",
        settled: r#"grep -q '"numa": *"no"' $document"#,
    }
    .document();
    assert_ne!(document["verdict"]["numa"], "yes", "{:#}", document["verdict"]);
    let ordered = &slit_check(&document)["ordered"];
    assert_eq!(ordered["confirmed"], 0, "{ordered}");
}

/// The cells of lying-slit for which its table lies: CPUs' node, memory's node.
const LIES: [[u64; 2]; 3] = [[0, 2], [2, 3], [3, 1]];

#[test]
fn a_table_that_lies_about_three_cells_is_found_out_cell_by_cell() {
    if !is_ready("x86_64") {
        return;
    }
    let document = Measurement {
        machine: &machine("lying-slit"),
        slowdown: 10.0,
        command: "survey --quick --cpus 0,2-3 --no-samples",
        settled: r#"[ $(grep -o '"agrees": *false' $document | wc -l) = 3 ]"#,
    }
    .document();
    assert_eq!(document["verdict"]["numa"], "yes", "{:#}", document["verdict"]);
    let check = slit_check(&document);
    let mut refuted = 0;
    // A busy host leaves cells without a judgement: each that has one is right.
    for cell in check["cells"].as_array().unwrap() {
        let nodes = [&cell["cpu_node"], &cell["memory_node"]].map(|node| node.as_u64().unwrap());
        let Some(agrees) = cell["agrees"].as_bool() else { continue };
        assert_eq!(agrees, !LIES.contains(&nodes), "{check:#}");
        refuted += usize::from(!agrees);
    }
    assert!(refuted > 0, "{check:#}");
}

/// Nothing is charged here, so memory is uniform but for the host's noise: the verdict depends on
/// the host, and is not asserted.
#[test]
fn nodes_without_memory_have_a_reason() {
    if !is_ready("x86_64") {
        return;
    }
    // Without any figure its status is 1.
    let script = "nearfar survey --quick --no-samples --seed 1 --json || [ $? = 1 ]";
    let machine = machine("memoryless-small");
    let output = lab(&["run", &machine, "--no-plugin", "--no-wait", "--", "sh", "-c", script]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let survey: Survey = serde_json::from_slice(&output.stdout).unwrap();
    let node = |column: usize| survey.latency.columns[column].node.map(|node| node.0);
    let (without, with): (Vec<_>, Vec<_>) =
        survey.latency.cells.iter().partition(|cell| node(cell.column) == Some(1));
    assert_eq!((without.len(), with.len()), (3, 6));
    let has_reason = |why: &Option<String>| why.as_deref() == Some("node 1 has no memory");
    assert!(without.iter().all(|cell| has_reason(&cell.why)), "{without:?}");
    assert!(with.iter().all(|cell| cell.median.is_some() || cell.why.is_some()), "{with:?}");
}
