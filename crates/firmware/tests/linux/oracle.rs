//! The logs of the corpus: Linux booted with each table, compared with the prediction from the
//! table alone.

use std::fs;
use std::path::Path;

use nearfar_firmware::linux::{KernelLog, LogEventKind, NumaOutcome, ObservedNuma, Prediction};
use nearfar_model::NodeId;

use super::board::{Board, causes, message, places};
use super::real_tables::{remade, supermicro};
use super::table::{GIB, MIB, halves, memory, srat_with_cpus};
use crate::corpus_folder::corpus;

/// The logs of all boots in a file.
fn boots(file: &Path) -> Vec<(String, KernelLog)> {
    let text = fs::read_to_string(file).unwrap();
    let parts = text.split("=== ").filter(|part| !part.trim().is_empty());
    parts
        .map(|part| part.split_once('\n').unwrap())
        .map(|(name, log)| (name.to_owned(), log))
        .map(parsed)
        .collect()
}

fn parsed((name, text): (String, &str)) -> (String, KernelLog) {
    (name, KernelLog::parse(text.as_bytes()))
}

/// Checks that predicted causes are in the log, and that the log's causes are predicted.
fn agree(name: &str, prediction: &Prediction, log: &KernelLog) {
    let refused = matches!(prediction.outcome, NumaOutcome::Refused | NumaOutcome::Withheld);
    assert_eq!(log.faked(), refused, "{name}: {:?}", prediction.outcome);
    for cause in &prediction.causes {
        let confirmed = log.events.iter().any(|event| event.confirms(cause));
        assert!(confirmed, "{name}: nothing in the log confirms {cause:?}");
    }
    if refused {
        let observed = ObservedNuma::new(None, None, log);
        assert_eq!(observed.outcome, prediction.outcome, "{name}");
        assert!(observed.deciding.unwrap().confirms(prediction.deciding().unwrap()), "{name}");
    }
    ranges_agree(name, prediction, log);
    siblings_agree(name, prediction, log);
}

/// "SRAT: Node 1 PXM 3 [mem ..]": node numbers and claimed ranges.
fn ranges_agree(name: &str, prediction: &Prediction, log: &KernelLog) {
    if prediction.outcome == NumaOutcome::Refused {
        return;
    }
    for event in &log.events {
        let LogEventKind::MemoryAffinity { node, domain, first, last, .. } = event.kind else {
            continue;
        };
        let predicted = prediction.nodes.iter().find(|one| one.id == node);
        let predicted = predicted.unwrap_or_else(|| panic!("{name}: node {node} is not predicted"));
        assert_eq!(predicted.domain, Some(domain), "{name}");
        assert!(
            predicted.ranges.iter().any(|range| (range.first, range.last) == (first, last)),
            "{name}: {event:?}"
        );
    }
}

/// "CPU #2's llc-sibling CPU #0 is not on the same node! [node: 1 != 0]": the CPUs' nodes.
fn siblings_agree(name: &str, prediction: &Prediction, log: &KernelLog) {
    let node_of =
        |cpu| prediction.nodes.iter().find(|node| node.cpus.contains(cpu)).map(|node| node.id);
    for event in &log.events {
        let LogEventKind::SiblingElsewhere { cpu, sibling, node, sibling_node, .. } = event.kind
        else {
            continue;
        };
        assert_eq!((node_of(cpu), node_of(sibling)), (Some(node), Some(sibling_node)), "{name}");
    }
}

#[test]
fn prediction_agrees_with_logs_of_injected_tables() {
    let Some(corpus) = corpus() else { return };
    let folder = corpus.join("oracle");
    let all = boots(&folder.join("linux-6.1.192-injected-SRAT.log"));
    assert_eq!(all.len(), 12);
    for (name, log) in all {
        let prediction = Board::new(&[fs::read(folder.join(&name)).unwrap()]).predict();
        agree(&name, &prediction, &log);
        let (outcome, cpus, cause) = expected(&name);
        assert_eq!((prediction.outcome, places(&prediction).as_str()), (outcome, cpus), "{name}");
        assert_eq!(message(&prediction), cause, "{name}");
    }
}

/// The expected result of each table.
fn expected(name: &str) -> (NumaOutcome, &'static str, Option<&'static str>) {
    let refused = |message| (NumaOutcome::Refused, "0:0-3", Some(message));
    match name {
        "srat_overlap" => refused(
            "node 0 [mem 0x00000000-0x4fffffff] overlaps with node 1 [mem 0x40000000-0x7ffdffff]",
        ),
        "srat_nocover" => {
            refused("NUMA: nodes only cover 1535MB of your 2047MB e820 RAM. Not used.")
        }
        "srat_manypxm" => refused("ACPI: SRAT: Too many proximity domains."),
        "srat_shortmem" => refused("ACPI: SRAT: Unexpected header length: 32"),
        "srat_nomem" => (NumaOutcome::Withheld, "0:0-3", Some("No NUMA configuration found")),
        "srat_single" => (NumaOutcome::OneDomain, "0:0-3", None),
        "srat_cpuless" => (NumaOutcome::Visible, "0:0-3 1:", None),
        "srat_two" | "srat_memless" | "srat_sparse" | "srat_badsum" | "srat_rev1_hi" => {
            (NumaOutcome::Visible, "0:0-1 1:2-3", None)
        }
        other => panic!("the corpus has a new table: {other}"),
    }
}

#[test]
fn prediction_agrees_with_logs_of_real_tables() {
    let Some(corpus) = corpus() else { return };
    for (name, log) in boots(&corpus.join("oracle/linux-6.1.192-real-tables.log")) {
        let prediction = Board::new(&remade(&name)).predict();
        let expected: &[&str] = match name.as_str() {
            "Dell5810" => &["srat-zero-length-entry", "srat-cpu-entry-length"],
            "hmat_spr" => &["hmat-unknown-domain"],
            _ => &[],
        };
        assert_eq!(causes(&prediction), expected, "{name}");
        if name == "H8DGU" {
            // The guest's RAM differs from the table's board: only the nodes are the same.
            assert!(prediction.nodes.iter().any(|node| node.id == NodeId(3)));
            continue;
        }
        agree(&name, &prediction, &log);
    }
}

#[test]
fn hmat_values_agree_with_the_log() {
    let Some(corpus) = corpus() else { return };
    let all = boots(&corpus.join("oracle/linux-6.1.192-real-tables.log"));
    let (_, log) = all.iter().find(|(name, _)| name == "hmat_smc_rev1").unwrap();
    let logged = log.events.iter().filter_map(|event| match &event.kind {
        LogEventKind::HmatValue { value, .. } => Some(*value),
        _ => None,
    });
    let bytes = supermicro();
    let table = nearfar_firmware::acpi::decode::<nearfar_firmware::acpi::Hmat>(&bytes).unwrap();
    let values = table.content.localities().flat_map(|matrix| {
        (0..4).map(|cell| u64::from(matrix.value(cell / 2, cell % 2).unwrap())).collect::<Vec<_>>()
    });
    assert!(values.eq(logged));
}

#[test]
fn memory_only_and_cpu_only_nodes_are_predicted() {
    let prediction = Board::new(&[srat_with_cpus(&[memory(0, 0, 2 * GIB)])]).predict();
    assert_eq!(prediction.nodes[1].ram_bytes, Some(0));
    let whole = Board::new(&[srat_with_cpus(&halves())]).predict();
    let ram: Vec<_> = whole.nodes.iter().map(|node| node.ram_bytes.unwrap()).collect();
    assert_eq!(ram, [GIB - MIB + 0x9_e000, GIB - 0x2_0000]);
}
