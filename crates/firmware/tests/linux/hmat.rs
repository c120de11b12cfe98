//! Handmade HMATs beside a SRAT of two nodes, and the log of Linux 6.1.192 for each.

use nearfar_firmware::linux::{HmatUse, NumaOutcome};

use super::board::{Board, causes, doubts};
use super::table::{hmat, hmat_memory, locality, srat_with_cpus, table, two_nodes};

/// Whether it is used, and the message about it.
fn judged(table: Vec<u8>) -> (HmatUse, Option<String>) {
    let prediction = Board::new(&[two_nodes(), table]).predict();
    assert_eq!(prediction.outcome, NumaOutcome::Visible);
    (prediction.hmat, prediction.causes.first().and_then(|cause| cause.message.clone()))
}

fn ignored(line: &str) -> (HmatUse, Option<String>) {
    (HmatUse::Ignored, Some(line.to_owned()))
}

fn own() -> Vec<u8> {
    hmat_memory(0, 0, 1)
}

#[test]
fn valid_hmat_is_used() {
    let latencies = locality(0, 1000, &[0, 1], &[0, 1], &[80, 140, 140, 80]);
    let prediction =
        Board::new(&[two_nodes(), hmat(2, &[own(), hmat_memory(1, 1, 1), latencies])]).predict();
    assert_eq!(
        (prediction.hmat, causes(&prediction), doubts(&prediction)),
        (HmatUse::Used, vec![], vec![])
    );
    assert_eq!(Board::new(&[two_nodes()]).predict().hmat, HmatUse::Absent);
    // A matrix may have unknown domains.
    let foreign = locality(0, 1000, &[0, 9], &[0, 7], &[80, 140, 140, 80]);
    assert_eq!(judged(hmat(2, &[own(), foreign])), (HmatUse::Used, None));
}

#[test]
fn only_two_hmat_revisions_are_supported() {
    assert_eq!(judged(hmat(3, &[own()])), ignored("acpi/hmat: Ignoring: Unknown revision:3"));
}

#[test]
fn wrong_structure_length_disables_the_hmat() {
    let mut short = own();
    short[4] = 32;
    short.truncate(32);
    assert_eq!(
        judged(hmat(2, &[short])),
        ignored("acpi/hmat: Unexpected address range header length: 32")
    );
    let mut matrix = vec![1, 0, 0, 0, 24, 0, 0, 0];
    matrix.resize(24, 0);
    assert_eq!(
        judged(hmat(2, &[own(), matrix])),
        ignored("acpi/hmat: Unexpected locality header length: 24")
    );
    let mut cache = vec![2, 0, 0, 0, 16, 0, 0, 0];
    cache.resize(16, 0);
    assert_eq!(
        judged(hmat(2, &[own(), cache])),
        ignored("acpi/hmat: Unexpected cache header length: 16")
    );
    let mut nothing = vec![2, 0, 0, 0, 0, 0, 0, 0];
    nothing.resize(32, 0);
    assert_eq!(
        judged(hmat(2, &[own(), nothing])),
        ignored("ACPI: [HMAT:0x00] Invalid zero length")
    );
}

#[test]
fn truncated_matrix_disables_the_hmat() {
    let fewer = locality(0, 1000, &[0, 1], &[0, 1], &[80, 140, 140]);
    let line = "acpi/hmat: Unexpected locality header length:54, minimum required:56";
    assert_eq!(judged(hmat(2, &[own(), fewer])), ignored(line));
}

#[test]
fn unknown_memory_domain_disables_the_hmat() {
    let invalid = ignored("acpi/hmat: Ignoring: Invalid table");
    assert_eq!(judged(hmat(2, &[hmat_memory(0, 7, 1)])), invalid);
    assert_eq!(judged(hmat(2, &[hmat_memory(9, 1, 1)])), invalid);
    // Revision 1 has a flag for whether the domain is valid.
    assert_eq!(judged(hmat(1, &[hmat_memory(0, 7, 1)])), (HmatUse::Used, None));
    assert_eq!(judged(hmat(1, &[hmat_memory(0, 7, 3)])), invalid);
}

#[test]
fn implausible_values_are_doubted() {
    let with = |revision, data, base, entry: u16| {
        let matrix = locality(data, base, &[0, 1], &[0, 1], &[entry; 4]);
        doubts(&Board::new(&[two_nodes(), hmat(revision, &[own(), matrix])]).predict())
    };
    assert_eq!(with(1, 0, 100, 760), ["hmat-revision-1-units"]);
    assert_eq!(with(2, 0, 100, 760), Vec::<&str>::new());
    assert_eq!(with(2, 0, 1, 760), ["hmat-implausible"]);
    assert_eq!(with(2, 3, 1, 20_000), Vec::<&str>::new());
    assert_eq!(with(2, 3, 1, 100), ["hmat-implausible"]);
}

#[test]
fn hmat_is_ignored_without_nodes() {
    let prediction = Board::new(&[srat_with_cpus(&[]), hmat(2, &[own()])]).predict();
    assert_eq!((prediction.outcome, prediction.hmat), (NumaOutcome::Withheld, HmatUse::Ignored));
    assert_eq!(causes(&prediction), ["srat-no-memory", "hmat-without-nodes"]);
    let cut = Board::new(&[two_nodes(), table("HMAT", 2, &[0; 4])[..20].to_vec()]).predict();
    assert_eq!(cut.hmat, HmatUse::Unknown);
}
