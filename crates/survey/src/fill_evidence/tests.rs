use std::collections::BTreeMap;

use nearfar_machine::Source;
use nearfar_model::{Bytes, NodeId};
use nearfar_probe::{LayoutRequest, ProbeSpec};

use super::*;
use crate::fill_warning::warning;
use crate::{CellWarning, Survey, Warning, WarningKind};

/// Nodes 0 and 1 in packages 0 and 1; node 2 is memory without CPUs.
fn topology(packages: [u32; 2]) -> Topology {
    let cpu = |cpu: usize, file: &str| format!("/sys/devices/system/cpu/cpu{cpu}/topology/{file}");
    let node = |node: u32, file: &str| format!("/sys/devices/system/node/node{node}/{file}");
    let mut files = vec![
        ("/sys/devices/system/cpu/online".to_owned(), "0-1".to_owned()),
        ("/sys/devices/system/cpu/present".to_owned(), "0-1".to_owned()),
        ("/sys/devices/system/node/online".to_owned(), "0-2".to_owned()),
        ("/sys/devices/system/node/has_memory".to_owned(), "0-2".to_owned()),
    ];
    for (number, package) in packages.into_iter().enumerate() {
        files.push((cpu(number, "physical_package_id"), package.to_string()));
        files.push((cpu(number, "core_id"), number.to_string()));
        files.push((cpu(number, "core_cpus_list"), number.to_string()));
        let siblings = if packages[0] == packages[1] { "0-1" } else { &number.to_string() };
        files.push((cpu(number, "package_cpus_list"), siblings.to_owned()));
    }
    for (number, cpus) in ["0", "1", ""].into_iter().enumerate() {
        let number = number as u32;
        let memory =
            format!("Node {number} MemTotal: 1048576 kB\nNode {number} MemFree: 999999 kB");
        files.extend([
            (node(number, "cpulist"), cpus.to_owned()),
            (node(number, "meminfo"), memory),
        ]);
    }
    Topology::read(&Source::from_files(files)).unwrap()
}

/// Counts of 100 visits for cells of two rows and three columns: (local, remote) as parts of all.
fn outcome(shares: [[(f64, f64); 3]; 2], running_ns: u64) -> PlanOutcome {
    let loads = 819_200_u64;
    let count = |share: f64| (share * loads as f64) as u64;
    let mut fills = BTreeMap::new();
    for (row, columns) in shares.into_iter().enumerate() {
        for (column, (local, remote)) in columns.into_iter().enumerate() {
            let (local, remote) = (count(local), count(remote));
            let counted = Fills { local, remote, enabled_ns: 1_000, running_ns };
            fills.insert(CellIndex::new(row, column), LoadFills { loads, fills: counted });
        }
    }
    // A control is no cell of the document.
    fills.insert(CellIndex::new(0, 3), LoadFills { loads, fills: Fills::default() });
    PlanOutcome { fills, ..PlanOutcome::default() }
}

const SOUND: [[(f64, f64); 3]; 2] =
    [[(0.99, 0.0), (0.01, 0.98), (0.0, 0.0)], [(0.01, 0.97), (0.98, 0.0), (0.0, 0.0)]];

fn evidence(packages: [u32; 2], outcome: &PlanOutcome) -> FillEvidence {
    let topology = topology(packages);
    let probe = ProbeSpec { size: Bytes::mib(2), ..ProbeSpec::page() };
    let layout = Layout::new(&topology, &LayoutRequest::default(), &probe).unwrap();
    assert_eq!(layout.columns[2].memory.node, Some(NodeId(2)));
    let events = Ok(FillEvents { name: "fills.{near,far}".to_owned(), local: 1, remote: 2 });
    let sources = EventSources { nmi_watchdog: true, ..EventSources::default() };
    FillEvidence::new(
        FillCounting { events: &events, sources: &sources },
        &topology,
        &layout,
        outcome,
    )
}

/// The warning of a survey with this evidence.
fn warning_of(fills: FillEvidence) -> Option<Warning> {
    warning(&Survey { fills: Some(fills), ..crate::sketch::survey() })
}

#[test]
fn cells_have_counts_and_expectations() {
    let evidence = evidence([0, 1], &outcome(SOUND, 1_000));
    let expected: Vec<_> = evidence.cells.iter().map(|cell| cell.expected).collect();
    let (near, far) = (Some(MemoryKind::Local), Some(MemoryKind::Remote));
    assert_eq!(expected, [near, far, None, far, near, None]);
    assert_eq!(evidence.cells[0].remote_share, Some(0.0));
    assert!(evidence.cells[1].remote_share.unwrap() > 0.98);
    assert_eq!(evidence.cells[2].remote_share, None, "too few fills");
    assert_eq!(evidence.least_counted_share(), Some(1.0));
    assert_eq!(warning_of(evidence), None);
}

#[test]
fn contradictions_are_a_warning() {
    let mut swapped = SOUND;
    swapped[0][1] = (0.97, 0.01);
    let warning = warning_of(evidence([0, 1], &outcome(swapped, 600))).unwrap();
    assert_eq!(warning.code(), crate::WarningCode::FillsContradict);
    let WarningKind::Cell(CellWarning::FillsContradict(found)) = warning.kind else {
        panic!("another warning")
    };
    assert_eq!((found.cells, found.judged, found.expected), (1, 4, MemoryKind::Remote));
    assert_eq!((found.row.as_str(), found.column.as_str()), ("node 0", "node 1"));
}

#[test]
fn nodes_of_one_package_contradict_nothing() {
    let mut swapped = SOUND;
    swapped[0][1] = (0.97, 0.01);
    swapped[1][1] = (0.01, 0.97);
    assert_eq!(warning_of(evidence([0, 0], &outcome(swapped, 1_000))), None);
}

#[test]
fn what_was_never_counted_has_a_reason() {
    let evidence = evidence([0, 1], &outcome(SOUND, 0));
    assert_eq!(evidence.refusal, Some(PmuRefusal::CountersBusy { nmi_watchdog: true }));
    assert_eq!((evidence.events, evidence.cells), (None, vec![]));
}

#[test]
fn the_document_keeps_counts_and_refusals() {
    let refusal = Some(PmuRefusal::NoPmu { guest: true });
    let refused = FillEvidence { refusal, ..FillEvidence::default() };
    for fills in [refused, evidence([0, 1], &outcome(SOUND, 1_000))] {
        let survey = Survey { fills: Some(fills.clone()), ..crate::sketch::survey() };
        let text = serde_json::to_string(&survey).unwrap();
        let read: Survey = serde_json::from_str(&text).unwrap();
        assert_eq!(read.fills, Some(fills));
    }
    assert_eq!(crate::sketch::survey().fills, None, "an older document");
}
