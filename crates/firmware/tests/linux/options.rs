//! Command-line parameters, and the result of Linux 6.1.192 for two nodes with each.

use nearfar_firmware::Firmware;
use nearfar_firmware::linux::{Architecture, HmatUse, NumaOutcome, PredictionInput, predict};

use super::board::{Board, causes, message, places};
use super::table::{hmat, hmat_memory, two_nodes};

fn board(line: &str) -> Board {
    Board::new(&[two_nodes()]).with_line(line)
}

#[test]
fn parameter_that_disables_numa_is_named() {
    for (line, code, logged) in [
        ("numa=off", "numa-off", "NUMA turned off"),
        ("numa=noacpi", "numa-noacpi", "No NUMA configuration found"),
        ("acpi=off", "acpi-off", "No NUMA configuration found"),
    ] {
        let prediction = board(line).predict();
        assert_eq!((prediction.outcome, causes(&prediction)), (NumaOutcome::TurnedOff, vec![code]));
        assert_eq!((message(&prediction), prediction.nodes.len()), (Some(logged), 1));
    }
}

#[test]
fn numa_fake_creates_nodes() {
    let nodes = |line: &str| {
        let prediction = board(line).predict();
        (prediction.outcome, prediction.nodes.len())
    };
    assert_eq!(nodes("numa=fake=4"), (NumaOutcome::Emulated, 4));
    assert_eq!(nodes("numa=fake=2U"), (NumaOutcome::Emulated, 4));
    // Half a GiB, and the remainder of each node.
    assert_eq!(nodes("numa=fake=512M"), (NumaOutcome::Emulated, 2));
    // Nodes have at least 32 MiB.
    assert_eq!(nodes("numa=fake=100"), (NumaOutcome::Visible, 2));
    let none = Board::new(&[]).with_line("numa=fake=4").predict();
    assert_eq!((none.outcome, none.nodes.len()), (NumaOutcome::Emulated, 4));
}

#[test]
fn limits_on_cpus_and_memory_reduce_nodes() {
    assert_eq!(places(&board("maxcpus=3").predict()), "0:0-1 1:2");
    assert_eq!(places(&board("mem=1G").predict()), "0:0-1 1:2-3");
    assert_eq!(board("mem=1G").predict().nodes[1].ram_bytes, Some(0));
}

#[test]
fn the_hmat_can_be_turned_off_alone() {
    let tables = [two_nodes(), hmat(2, &[hmat_memory(0, 0, 1)])];
    let prediction = Board::new(&tables).with_line("numa=nohmat").predict();
    assert_eq!((prediction.hmat, causes(&prediction)), (HmatUse::Ignored, vec!["numa-nohmat"]));
}

#[test]
fn a_kernel_without_numa_has_no_nodes() {
    let firmware = Firmware::default();
    let input = PredictionInput {
        numa_configured: false,
        ..PredictionInput::new(&firmware, Architecture::X86)
    };
    let prediction = predict(&input);
    assert_eq!((prediction.outcome, prediction.nodes.len()), (NumaOutcome::Impossible, 0));
    assert_eq!(causes(&prediction), ["no-config-numa"]);
}
