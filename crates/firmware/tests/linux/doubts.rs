//! Data that the kernel accepts silently.

use nearfar_firmware::linux::{NumaOutcome, Prediction};

use super::board::{Board, doubts};
use super::table::{GIB, cpu, cpus, halves, memory, slit, srat, srat_with_cpus, table, two_nodes};

fn predicted(tables: &[Vec<u8>]) -> Prediction {
    Board::new(tables).predict()
}

#[test]
fn valid_tables_give_no_doubts() {
    let prediction = predicted(&[two_nodes(), slit(2, &[10, 21, 21, 10])]);
    assert!(prediction.doubts.is_empty() && prediction.causes.is_empty(), "{prediction:?}");
    assert!(prediction.undecided.is_empty(), "{:?}", prediction.undecided);
}

#[test]
fn default_and_asymmetric_distances_are_doubted() {
    let with = |rows: &[u8]| doubts(&predicted(&[two_nodes(), slit(2, rows)]));
    assert_eq!(with(&[10, 21, 31, 10]), ["slit-asymmetric"]);
    assert_eq!(with(&[10, 255, 255, 10]), ["slit-unreachable"]);
    assert_eq!(with(&[10, 20, 20, 10]), ["slit-default"]);
    let one = predicted(&[two_nodes(), slit(1, &[10])]);
    assert_eq!(doubts(&one), ["slit-too-small"]);
    let cut = predicted(&[two_nodes(), slit(9, &[10; 8])]);
    assert_eq!((doubts(&cut), cut.distances.is_none()), (vec!["slit-cut-short"], true));
}

#[test]
fn doubted_distance_has_its_offset() {
    let prediction = predicted(&[two_nodes(), slit(2, &[10, 21, 31, 10])]);
    let evidence = &prediction.doubts[0].evidence;
    assert_eq!(
        evidence.iter().map(|one| (one.offset.unwrap(), one.bytes.0[0])).collect::<Vec<_>>(),
        [(45, 21), (46, 31)]
    );
}

#[test]
fn nodes_without_cpus_or_memory_are_doubted() {
    let cpuless = srat(&[vec![cpu(0, 0), cpu(1, 0), cpu(2, 0), cpu(3, 0)], halves()].concat());
    assert_eq!(doubts(&predicted(&[cpuless])), ["cpus-in-one-node", "memory-only-node"]);
    assert_eq!(doubts(&predicted(&[srat_with_cpus(&[memory(0, 0, 2 * GIB)])])), ["cpu-only-node"]);
}

#[test]
fn wrong_checksum_is_accepted_with_a_doubt() {
    let mut wrong = two_nodes();
    wrong[9] ^= 1;
    let prediction = predicted(&[wrong]);
    assert_eq!(
        (prediction.outcome, doubts(&prediction)),
        (NumaOutcome::Visible, vec!["bad-checksum"])
    );
}

#[test]
fn revision_1_has_8_bit_domains() {
    let body = two_nodes()[36..].to_vec();
    let mut old = table("SRAT", 1, &body);
    let second = old.len() - 40;
    old[second + 3] = 1;
    let prediction = predicted(&[old]);
    assert_eq!((prediction.outcome, prediction.nodes.len()), (NumaOutcome::Visible, 2));
    assert!(doubts(&prediction).contains(&"srat-domain-cut"));
}

/// A MADT with these APIC IDs.
fn madt(ids: &[u8]) -> Vec<u8> {
    let cpus = ids.iter().flat_map(|&id| [0, 8, id, id, 1, 0, 0, 0]);
    table("APIC", 5, &[vec![0; 8], cpus.collect()].concat())
}

#[test]
fn srat_and_madt_are_compared() {
    assert_eq!(doubts(&predicted(&[two_nodes(), madt(&[0, 1, 2, 3])])), Vec::<&str>::new());
    assert_eq!(doubts(&predicted(&[two_nodes(), madt(&[0, 1, 2, 3, 4])])), ["cpus-without-domain"]);
    assert_eq!(doubts(&predicted(&[two_nodes(), madt(&[0, 1, 2])])), ["cpus-not-in-madt"]);
}

/// A MSCT with this highest domain.
fn msct(highest: u32) -> Vec<u8> {
    table(
        "MSCT",
        1,
        &[&56u32.to_le_bytes()[..], &highest.to_le_bytes(), &[0; 4], &[0xff; 8]].concat(),
    )
}

#[test]
fn other_tables_may_have_more_domains() {
    assert_eq!(doubts(&predicted(&[two_nodes(), msct(1)])), Vec::<&str>::new());
    assert_eq!(doubts(&predicted(&[two_nodes(), msct(0)])), ["msct-disagrees"]);
    assert_eq!(doubts(&predicted(&[msct(3)])), ["msct-promises-more"]);
    let memory = |domain: u8| {
        let mut entry = vec![1, 40, 0, 0, 1, 0, 0, 0, domain];
        entry.resize(40, 0);
        entry
    };
    let crat = table(
        "CRAT",
        1,
        &[vec![2, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0], memory(0), memory(1)].concat(),
    );
    assert_eq!(doubts(&predicted(std::slice::from_ref(&crat))), ["crat-knows-more"]);
    assert_eq!(doubts(&predicted(&[two_nodes(), crat])), Vec::<&str>::new());
}

#[test]
fn empty_range_is_ignored() {
    let table = srat(&[cpus(), halves(), vec![memory(1, 4 * GIB, 0)]].concat());
    let prediction = predicted(&[table]);
    assert_eq!(
        (prediction.outcome, doubts(&prediction)),
        (NumaOutcome::Visible, vec!["srat-empty-range"])
    );
}
