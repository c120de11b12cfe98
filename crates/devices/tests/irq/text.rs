//! The screens of a document of interrupts written by hand, against golden text.

use nearfar_devices::irq::text as irq;
use nearfar_devices::irq::text::Folding;
use nearfar_devices::irq::{CpuFact, IrqControl, IrqDocument};
use nearfar_model::{CpuSet, NodeSet};
use nearfar_view::terminal::width;
use snapbox::{assert_data_eq, file};

use crate::document_by_hand::document;

#[test]
fn all_marks_and_findings_on_one_screen() {
    assert_data_eq!(irq::text(&document(), Folding::Idle).plain(), file!["../golden/irq.txt"]);
}

#[test]
fn interrupts_as_csv() {
    assert_data_eq!(irq::csv(&document()), file!["../golden/irq.csv"]);
}

#[test]
fn lines_fit_narrow_terminals() {
    for columns in [60, 80, 100] {
        let text = width::with(columns, || irq::text(&document(), Folding::Nothing).plain());
        let longest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(longest <= columns, "{columns}:\n{text}");
    }
}

/// Where the table continues in a further block, its rows have the numbers of their interrupts.
#[test]
fn every_block_of_a_narrow_table_has_the_numbers() {
    let text = width::with(60, || irq::text(&document(), Folding::Nothing)).plain();
    let table = text.split("\nInterrupts\n").nth(1).unwrap();
    let first = table.lines().next().unwrap();
    let heads = text.lines().filter(|line| line.trim_start().starts_with("irq  ")).count();
    assert!(first.trim_start().starts_with("irq  ") && heads >= 2, "{text}");
}

#[test]
fn counts_since_boot_are_named_so() {
    let mut document = IrqDocument { seconds: None, balancer: None, ..document() };
    for device in &mut document.devices {
        device.interrupts.iter_mut().for_each(|irq| irq.per_second = None);
    }
    let text = irq::text(&document, Folding::Idle).plain();
    assert!(
        text.contains("counts since boot") && text.contains("Interrupts by device since boot"),
        "{text}"
    );
    assert!(!text.contains("irqbalance runs with"), "{text}");
}

#[test]
fn control_characters_of_handlers_are_replaced() {
    let mut document = document();
    document.devices[0].interrupts[0].actions = vec!["eth0\u{1b}[2J\n-rx-0".to_owned()];
    let shown = [irq::text(&document, Folding::Idle).plain(), irq::csv(&document)];
    assert!(shown.iter().all(|text| !text.contains('\u{1b}')), "{shown:?}");
}

/// Kernels allow all possible CPUs, more than are online.
#[test]
fn allowed_cpus_are_shown_where_they_exclude_a_cpu_that_is_online() {
    let mut document = document();
    let all = CpuFact::Cpus { cpus: CpuSet::parse_list("0-239").unwrap() };
    document.devices[0].interrupts.iter_mut().for_each(|irq| irq.allowed = all.clone());
    let text = irq::text(&document, Folding::Idle).plain();
    assert!(text.contains("5 (node 1!)") && !text.contains("0-239"), "{text}");
}

#[test]
fn marks_are_explained_where_the_table_has_them() {
    let mut document = document();
    let managed = "(m): managed";
    assert!(irq::text(&document, Folding::Idle).plain().contains(managed));
    let devices = document.devices.iter_mut().flat_map(|device| &mut device.interrupts);
    for irq in devices.filter(|irq| irq.control == IrqControl::Managed) {
        (irq.count, irq.per_second) = (Some(0), Some(0.0));
    }
    assert!(!irq::text(&document, Folding::Idle).plain().contains(managed));
    assert!(irq::text(&document, Folding::Nothing).plain().contains(managed));
}

#[test]
fn counts_beyond_64_bits_have_a_share() {
    let mut document = document();
    for total in &mut document.totals {
        total.count = u64::MAX;
    }
    let irq = &mut document.devices[0].interrupts[0];
    irq.by_cpu.iter_mut().for_each(|one| one.count = u64::MAX);
    (irq.effective, document.nodes) = (CpuFact::Absent, NodeSet::new());
    assert!(irq::text(&document, Folding::Nothing).plain().contains("CPU 1 100 %"));
}

/// The kernel moves an interrupt when it arrives.
#[test]
fn a_move_to_come_is_shown() {
    let mut document = document();
    document.devices[0].interrupts[0].allowed =
        CpuFact::Cpus { cpus: CpuSet::parse_list("0-1").unwrap() };
    assert!(irq::text(&document, Folding::Idle).plain().contains("5, allowed 0-1 (node 1!)"));
}
