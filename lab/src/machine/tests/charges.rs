//! What descriptions come to, as the plugin charges it.

use nearfar_lab_cost::{Charges, HomeRange};

use super::*;
use crate::emulator::QemuVersion;

const OLD: QemuVersion = QemuVersion { major: 7, minor: 2 };
const NEW: QemuVersion = QemuVersion { major: 10, minor: 0 };
const MIB: u64 = 1 << 20;

fn range(start_mib: u64, end_mib: u64, homes: &[usize]) -> HomeRange {
    HomeRange { start: start_mib * MIB, end: end_mib * MIB, homes: homes.to_vec() }
}

fn of(name: &str, qemu: QemuVersion) -> Charges {
    LabMachine::load(name).unwrap().charges(qemu)
}

#[test]
fn times_are_slowed_down_and_disturbances_are_not() {
    let charges = parse(SOUND).unwrap().charges(NEW);
    assert_eq!(charges.latency_ns, [[800.0, 3000.0], [1500.0, 3100.0]]);
    // 64 B at 100 GB/s take 0.64 ns.
    assert_eq!(charges.home_service_ns, [Some(6.4), Some(32.0)]);
    let modified = charges.modified.unwrap();
    assert_eq!(modified.ns, [[500.0, 1100.0], [1200.0, 500.0]]);
    assert_eq!(
        (modified.homed_at_reader_extra_ns, modified.homed_elsewhere_extra_ns),
        (640.0, 300.0)
    );
    assert_eq!(charges.noise.bursts.unwrap().every_s, 2.0);
    assert_eq!(charges.noise.drift.unwrap().share, 0.02);
    assert_eq!((charges.noise.moves[0].cpu, charges.noise.moves[0].to_group), (1, 1));
    assert_eq!((charges.seed, charges.cache_lines), (7, 2048));
    assert_eq!(charges.streams.unwrap().lines, 32);
}

#[test]
fn cpus_go_by_their_node_and_nodes_without_memory_have_no_home() {
    let charges = parse(SOUND).unwrap().charges(NEW);
    assert_eq!(charges.groups, [0, 0, 1, 1]);
    assert_eq!(charges.own_home, [Some(0), None]);
}

#[test]
fn links_carry_the_lines_of_cpus_at_one_end_for_memory_at_the_other() {
    let links = parse(SOUND).unwrap().charges(NEW).links;
    let carried: Vec<_> =
        links.into_iter().map(|link| (link.carries, link.carries_back, link.service_ns)).collect();
    // Node 1 has no memory, node 2 (home 1) no CPUs. What one direction brings, the other takes
    // back.
    let expected = [
        (vec![(0, 1)], vec![(1, 0)], 12.8),
        (vec![(1, 0)], vec![(0, 1)], 12.8),
        (vec![(1, 1)], vec![], 20.0),
    ];
    assert_eq!(carried, expected);
}

#[test]
fn lines_are_given_back_to_memory_without_cpus_over_the_links_other_direction() {
    let links = of("xeon-2s-slow-node", NEW).links;
    let carries = |link: &nearfar_lab_cost::Link| (link.carries.clone(), link.carries_back.clone());
    assert_eq!(carries(&links[2]), (vec![(0, 2), (1, 2)], vec![]));
    assert_eq!(carries(&links[3]), (vec![], vec![(0, 2), (1, 2)]));
}

#[test]
fn nodes_lie_behind_each_other_and_an_old_qemu_reports_them_at_twice_the_offset() {
    assert_eq!(
        parse(SOUND).unwrap().charges(NEW).ranges,
        [range(0, 256, &[0]), range(256, 384, &[1])]
    );
    assert_eq!(
        parse(SOUND).unwrap().charges(OLD).ranges,
        [range(0, 256, &[0]), range(512, 640, &[1])]
    );
    let memoryless = of("memoryless", OLD);
    assert_eq!(memoryless.ranges, [range(0, 384, &[0]), range(768, 1152, &[1])]);
}

#[test]
fn memory_of_one_block_is_never_shifted() {
    for qemu in [OLD, NEW] {
        assert_eq!(of("hidden-2n", qemu).ranges, [range(0, 384, &[0]), range(384, 768, &[1])]);
        assert_eq!(of("firmware-interleaved", qemu).ranges, [range(0, 768, &[0, 1])]);
        let sparse = [range(1024, 1280, &[0]), range(1280, 1536, &[1]), range(1536, 1792, &[2])];
        assert_eq!(of("sparse-a64", qemu).ranges, sparse);
        assert_eq!(of("sc2a11-24c", qemu).ranges, [range(1024, 1792, &[0])]);
    }
}

#[test]
fn every_machine_charges_each_cpu_for_each_home() {
    for name in LabMachine::builtin() {
        let machine = LabMachine::load(name).unwrap();
        let charges = machine.charges(NEW);
        let (groups, homes) = (charges.latency_ns.len(), charges.home_service_ns.len());
        assert_eq!(charges.groups.len(), machine.cpus(), "{name}");
        assert!(charges.groups.iter().all(|&group| group < groups), "{name}");
        assert!(charges.latency_ns.iter().all(|row| row.len() == homes), "{name}");
        assert_eq!(charges.own_home.len(), groups, "{name}");
        assert!(
            charges.ranges.iter().all(|range| range.homes.iter().all(|&home| home < homes)),
            "{name}"
        );
    }
}
