//! Doses of machines.

use nearfar_machine::Source;

use super::*;
use crate::placement::NodeDistance;

/// Nodes of one CPU each; the last ones without.
fn machine(nodes: usize, without_cpus: usize) -> Topology {
    let folder = "/sys/devices/system/node";
    let mut files = vec![
        (format!("{folder}/online"), format!("0-{}", nodes - 1)),
        (format!("{folder}/has_memory"), format!("0-{}", nodes - 1)),
        (format!("{folder}/has_cpu"), format!("0-{}", nodes - without_cpus - 1)),
        ("/sys/devices/system/cpu/online".to_owned(), format!("0-{}", nodes - without_cpus - 1)),
    ];
    for id in 0..nodes {
        let cpus = if id < nodes - without_cpus { id.to_string() } else { String::new() };
        files.push((format!("{folder}/node{id}/cpulist"), cpus));
        files.push((
            format!("{folder}/node{id}/meminfo"),
            format!("Node {id} MemTotal: 1048576 kB\n"),
        ));
    }
    Topology::read(&Source::from_files(files)).unwrap()
}

fn doses(machine: &Topology, ns: &[f64], named: DoseNodes) -> Result<SweepDoses, SweepError> {
    let survey = DoseSurvey { file: "a.json".to_owned(), started: String::new() };
    let distance = |_: NodeId, to: NodeId| {
        let value = ns[to.0 as usize];
        Some(NodeDistance { value, interval: Some([value - 1.0, value + 1.0]) })
    };
    SweepDoses::new(machine, named, Some((survey, &distance)))
}

fn shown(doses: &SweepDoses) -> Vec<(&str, u32)> {
    doses.placements.iter().map(|one| (one.words.as_str(), one.percent)).collect()
}

#[test]
fn two_nodes_have_three_doses() {
    let two = machine(2, 0);
    let by_latency = doses(&two, &[80.0, 140.0], DoseNodes::default()).unwrap();
    let expected = [
        ("--cpunodebind=0 --membind=0", 0),
        ("--cpunodebind=0 --interleave=0-1", 50),
        ("--cpunodebind=0 --membind=1", 100),
    ];
    assert_eq!(shown(&by_latency), expected);
    assert_eq!((by_latency.near.ns, by_latency.interleaved.ns), (80.0, 110.0));
    let by_share = SweepDoses::new(&two, DoseNodes::default(), None).unwrap();
    assert_eq!((shown(&by_share), &by_share.survey), (expected.to_vec(), &None));
}

#[test]
fn more_nodes_have_more_doses() {
    let eight = machine(8, 0);
    let ns = [90.0, 155.0, 153.0, 152.0, 304.0, 308.0, 286.0, 301.0];
    let found = doses(&eight, &ns, DoseNodes::default()).unwrap();
    let percents: Vec<u32> = found.placements.iter().map(|one| one.percent).collect();
    assert_eq!((percents[0], percents.len(), percents[4]), (0, 5, 100), "{found:#?}");
    assert!(percents.windows(2).all(|two| two[0] < two[1]), "{percents:?}");
    assert_eq!(found.placements[4].words, "--cpunodebind=0 --membind=5");
    // Of an expander, beside which no CPU is.
    let named = DoseNodes { cpus: Some(NodeId(1)), far: Some(NodeId(2)) };
    let found = doses(&machine(3, 1), &[140.0, 80.0, 280.0], named).unwrap();
    assert_eq!(found.placements[0].words, "--cpunodebind=1 --membind=1");
    assert_eq!(found.placements.last().unwrap().words, "--cpunodebind=1 --membind=2");
}

#[test]
fn machines_without_doses_are_refused() {
    let refused = |found: Result<SweepDoses, SweepError>| found.unwrap_err().to_string();
    let one = SweepDoses::new(&machine(1, 0), DoseNodes::default(), None);
    assert!(refused(one).contains("needs two nodes"));
    let alike = doses(&machine(2, 0), &[80.0, 81.0], DoseNodes::default());
    assert!(refused(alike).contains("no memory is far"));
    let cpus = DoseNodes { cpus: Some(NodeId(1)), far: None };
    assert!(refused(doses(&machine(2, 1), &[80.0, 140.0], cpus)).contains("no CPU"));
    let far = DoseNodes { cpus: None, far: Some(NodeId(7)) };
    assert!(refused(doses(&machine(2, 0), &[80.0, 140.0], far)).contains("node 7"));
}
