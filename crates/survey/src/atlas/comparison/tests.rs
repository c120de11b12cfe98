use super::*;
use crate::atlas::row::AtlasRow;

/// How far the ends of an interval are from the median, as a fraction.
const ERROR: f64 = 0.004;

fn cells(matrix: &[Vec<f64>]) -> Vec<NodeFigure> {
    let cell = |cpus: usize, memory: usize, median: f64| NodeFigure {
        cpus: cpus as u32,
        memory: memory as u32,
        median,
        ci95: [median * (1.0 - ERROR), median * (1.0 + ERROR)],
    };
    let row = |(cpus, costs): (usize, &Vec<f64>)| {
        costs.iter().enumerate().map(|(memory, ns)| cell(cpus, memory, *ns)).collect::<Vec<_>>()
    };
    matrix.iter().enumerate().flat_map(row).collect()
}

/// The machine that a row's matrices describe.
fn replay(row: &AtlasRow) -> Option<MachineFigures> {
    let latency = row.latency_ns.as_ref().filter(|_| row.memory_nodes.is_none())?;
    Some(MachineFigures {
        model: row.cpu.clone(),
        packages: row.sockets?,
        nodes: latency.len(),
        latency: cells(latency),
        reads: row.bandwidth_gb_s.as_ref().map(|matrix| cells(matrix)).unwrap_or_default(),
        ..MachineFigures::default()
    })
}

fn xeon_8280(latency: [[f64; 2]; 2], reads: [[f64; 2]; 2]) -> MachineFigures {
    MachineFigures {
        model: "Intel(R) Xeon(R) Platinum 8280 CPU @ 2.70GHz".to_owned(),
        packages: 2,
        nodes: 2,
        latency: cells(&latency.map(Vec::from)),
        reads: cells(&reads.map(Vec::from)),
        node_peak_gb_s: Some(140.8),
        ..MachineFigures::default()
    }
}

const USUAL_NS: [[f64; 2]; 2] = [[84.0, 139.0], [138.5, 84.5]];
const USUAL_GB_S: [[f64; 2]; 2] = [[112.0, 51.0], [51.0, 111.0]];

fn unusual(machine: &MachineFigures) -> Vec<AtlasCheck> {
    compare(machine, Atlas::built_in()).unusual().cloned().collect()
}

#[test]
fn published_machines_beside_all_other_rows_are_usual() {
    let rows = Atlas::built_in().rows();
    let mut replayed = 0;
    for row in rows {
        let Some(machine) = replay(row) else { continue };
        replayed += 1;
        let others = rows.iter().filter(|other| other.id != row.id).cloned().collect();
        let found = compare(&machine, &Atlas::new(others));
        let unusual: Vec<&AtlasCheck> = found.unusual().collect();
        if row.interleaved {
            assert_eq!(unusual.len(), 1, "{}: {unusual:?}", row.id);
        } else {
            assert!(unusual.is_empty(), "{}: {unusual:?}", row.id);
        }
    }
    assert!(replayed >= 20, "{replayed}");
}

#[test]
fn a_usual_machine_passes_every_check_in_order() {
    let found = compare(&xeon_8280(USUAL_NS, USUAL_GB_S), Atlas::built_in());
    assert_eq!(found.matched, MatchedBy::Model);
    let quantity = |check: &AtlasCheck| match check {
        AtlasCheck::Symmetry(symmetry) => format!("{:?}", symmetry.of),
        AtlasCheck::Beside(beside) => format!("{:?}", beside.quantity),
        other => format!("{other:?}"),
    };
    let order: Vec<String> = found.checks.iter().map(quantity).collect();
    assert_eq!(
        order,
        ["Local", "ThereAndBack", "Bandwidth", "Ratio", "BandwidthShare", "LocalNs", "RemoteNs"]
    );
    assert!(found.checks.iter().all(|check| check.outcome() == CheckOutcome::Usual), "{found:#?}");
}

/// Published for one Platinum 8180 (FDio/csit, 2018): socket 1 has a part of its memory only.
#[test]
fn a_half_populated_socket_is_unusual_by_latency_and_bandwidth() {
    let machine = xeon_8280([[81.1, 144.5], [139.6, 72.7]], [[108.03, 16.95], [50.66, 19.47]]);
    let found = unusual(&machine);
    let of = |wanted| {
        found.iter().find_map(|check| match check {
            AtlasCheck::Symmetry(symmetry) if symmetry.of == wanted => Some(symmetry.clone()),
            _ => None,
        })
    };
    assert_eq!(of(SymmetryOf::Bandwidth).unwrap().low.cpus, 1);
    assert!(of(SymmetryOf::Local).is_some() && of(SymmetryOf::ThereAndBack).is_none());
}

#[test]
fn limits_leave_noise_alone() {
    // Three percent between sockets, seven there and back: published of healthy machines.
    let noisy = xeon_8280([[84.0, 139.0], [129.9, 86.5]], USUAL_GB_S);
    assert_eq!(unusual(&noisy), []);
    // An interval that reaches into the limit decides nothing.
    let mut vague = xeon_8280([[84.0, 139.0], [139.0, 95.0]], USUAL_GB_S);
    assert_eq!(unusual(&vague).len(), 1);
    vague.latency.iter_mut().for_each(|cell| cell.ci95[0] = cell.median * 0.9);
    assert_eq!(unusual(&vague), []);
}

#[test]
fn interleaved_memory_is_reported_once() {
    let alike = xeon_8280([[107.0, 107.1], [106.8, 107.0]], [[50.0, 50.0], [50.0, 50.0]]);
    assert!(matches!(unusual(&alike)[..], [AtlasCheck::AllAlike { .. }, ..]));
    let one_node = MachineFigures {
        nodes: 1,
        latency: cells(&[vec![107.0]]),
        reads: vec![],
        ..xeon_8280(USUAL_NS, USUAL_GB_S)
    };
    let found = compare(&one_node, Atlas::built_in());
    assert!(matches!(found.checks[..], [AtlasCheck::FewerNodes { nodes: 1 }]), "{found:?}");
    let board = MachineFigures { model: "Cortex-A53".to_owned(), ..one_node };
    assert_eq!(unusual(&board), []);
    // One package whose nodes are alike is no fault: NPS4 of some machines.
    let one_package = MachineFigures { packages: 1, ..alike };
    assert!(
        !compare(&one_package, Atlas::built_in())
            .checks
            .iter()
            .any(|check| matches!(check, AtlasCheck::AllAlike { .. }))
    );
}

#[test]
fn ratios_and_latencies_beyond_all_methods_are_unusual() {
    let far = xeon_8280([[84.0, 300.0], [300.0, 84.0]], USUAL_GB_S);
    let quantities: Vec<Quantity> = unusual(&far)
        .iter()
        .filter_map(|check| match check {
            AtlasCheck::Beside(beside) => Some(beside.quantity),
            _ => None,
        })
        .collect();
    assert_eq!(quantities, [Quantity::Ratio, Quantity::RemoteNs]);
    let slow = xeon_8280([[130.0, 215.0], [215.0, 130.0]], USUAL_GB_S);
    assert!(!unusual(&slow).is_empty());
    // 15 % above every published row: other methods explain as much.
    let other_method = xeon_8280([[105.0, 166.0], [166.0, 105.0]], USUAL_GB_S);
    assert_eq!(unusual(&other_method), []);
}

#[test]
fn half_of_the_channels_is_unusual_and_more_than_others_is_not() {
    let half = xeon_8280(USUAL_NS, [[50.0, 40.0], [40.0, 50.0]]);
    assert!(matches!(
        &unusual(&half)[..],
        [AtlasCheck::Beside(Beside { quantity: Quantity::BandwidthShare, .. })]
    ));
    let full = xeon_8280(USUAL_NS, [[135.0, 51.0], [51.0, 135.0]]);
    assert_eq!(unusual(&full), []);
    let unknown = MachineFigures { node_peak_gb_s: None, ..half };
    assert_eq!(unusual(&unknown), []);
}

#[test]
fn guests_lie_beside_rows_and_nothing_is_decided() {
    let guest = MachineFigures {
        hypervisor: Some("KVM".to_owned()),
        ..xeon_8280([[84.0, 300.0], [139.0, 130.0]], [[10.0, 5.0], [5.0, 90.0]])
    };
    let found = compare(&guest, Atlas::built_in());
    assert!(!found.is_judged() && !found.checks.is_empty(), "{found:#?}");
}

#[test]
fn unknown_models_lie_beside_their_family_or_nothing() {
    let sibling = MachineFigures {
        model: "Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz".to_owned(),
        ..xeon_8280(USUAL_NS, USUAL_GB_S)
    };
    let found = compare(&sibling, Atlas::built_in());
    assert_eq!(found.matched, MatchedBy::Family);
    assert_eq!(found.family.as_deref(), Some("Cascade Lake-SP"));
    let anonymous = MachineFigures { model: "Intel(R) Xeon(R) Processor".to_owned(), ..sibling };
    let by_number = MachineFigures {
        cpuid: Some(crate::CpuNumbers { vendor: "GenuineIntel".to_owned(), family: 6, model: 106 }),
        ..anonymous.clone()
    };
    let found = compare(&by_number, Atlas::built_in());
    assert_eq!(found.family.as_deref(), Some("Ice Lake-SP"));
    let found = compare(&anonymous, Atlas::built_in());
    assert_eq!(found.matched, MatchedBy::Nothing);
    let besides = found.checks.iter().filter(|check| matches!(check, AtlasCheck::Beside(_)));
    // Channels alone are compared with all machines.
    assert_eq!(besides.count(), 1);
}

#[test]
fn few_rows_decide_nothing() {
    let milan = MachineFigures {
        model: "AMD EPYC 7763 64-Core Processor".to_owned(),
        packages: 2,
        nodes: 8,
        latency: vec![NodeFigure { cpus: 0, memory: 0, median: 400.0, ci95: [399.0, 401.0] }],
        ..MachineFigures::default()
    };
    let found = compare(&milan, Atlas::built_in());
    assert_eq!(found.checks[0].outcome(), CheckOutcome::NotJudged(Unjudged::FewRows));
}
