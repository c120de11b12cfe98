//! The text of a set and of an undo.

use nearfar_devices::irq_set::text::text;
use nearfar_devices::irq_set::{
    DeviceFacts, IrqFacts, IrqFreedom, IrqSetAction, IrqSetDocument, SavedSetting, SettingChange,
    SettingResult, UndoResult,
};
use nearfar_machine::PciAddress;
use nearfar_machine::interrupts::{Balancer, BalancerState, InterruptSetting};
use nearfar_model::{CpuSet, NodeId};

fn cpus(list: &str) -> CpuSet {
    CpuSet::parse_list(list).unwrap()
}

fn card() -> DeviceFacts {
    let irq = |number, name: &str| IrqFacts {
        number,
        name: name.to_owned(),
        queue: None,
        freedom: IrqFreedom::Free,
        shared_with: if number == 11 { vec!["USB0".to_owned()] } else { Vec::new() },
    };
    DeviceFacts {
        label: "NIC0".to_owned(),
        address: PciAddress::parse("0:3.0").unwrap(),
        node: Some(NodeId(1)),
        near: cpus("2-3"),
        interrupts: vec![irq(11, "eth0"), irq(24, "eth0-rx-0")],
        interfaces: Vec::new(),
    }
}

fn result(setting: InterruptSetting, name: &str, now: &str, effective: &str) -> SettingResult {
    let effective = Some(cpus(effective)).filter(|cpus| !cpus.is_empty());
    let asked = cpus("0,2");
    SettingResult {
        before: cpus(""),
        now: Some(cpus(now)),
        is_pending: effective.as_ref().is_some_and(|cpus| !cpus.is_subset(&asked)),
        effective,
        change: SettingChange { setting, name: name.to_owned(), cpus: asked },
    }
}

fn xps() -> InterruptSetting {
    InterruptSetting::Xps { interface: "eth0".to_owned(), queue: 0 }
}

#[test]
fn sets_have_a_line_a_file_and_warnings() {
    let balancer = Balancer {
        state: BalancerState::Running,
        banned_interrupts: vec![11],
        ..Balancer::default()
    };
    let results = vec![
        result(InterruptSetting::Irq(11), "eth0", "0,2", "2"),
        result(InterruptSetting::Irq(24), "eth0-rx-0", "0,2", "1"),
        result(xps(), "", "1", ""),
    ];
    let document = IrqSetDocument::new(IrqSetAction::Set, &card());
    let set = text(&document.with_settings(results, &card(), &balancer));
    assert_eq!(
        set,
        "\
NIC0 (0000:00:03.0), node 1, CPUs 2-3 are near: set
                            before  now  runs on
interrupt 11     eth0       none    0,2  2
interrupt 24     eth0-rx-0  none    0,2  1        takes effect with its next interrupt
eth0 tx-0 (XPS)             off     1             CPUs 0,2 were asked

warning: irqbalance runs and may move these interrupts within its interval (10 s by default). Ban
  them with --banirq=24 in IRQBALANCE_ARGS, or print a policy script with --as irqbalance.
warning: far from the device: CPUs 0; near: CPUs 2-3
warning: interrupt 11 is of USB0, too: it moves for all.

Put back with: nearfar irq set 0000:00:03.0 --undo
"
    );
}

#[test]
fn dry_runs_and_undos_have_their_words() {
    let results = vec![result(InterruptSetting::Irq(24), "eth0", "", "1")];
    let document = IrqSetDocument::new(IrqSetAction::DryRun, &card());
    let dry = text(&document.with_settings(results, &card(), &Balancer::default()));
    assert!(dry.contains("would be set") && dry.contains("asked"), "{dry}");
    assert!(!dry.contains("takes effect") && !dry.contains("Put back"), "{dry}");
    let undone = UndoResult {
        restored: vec![SavedSetting { setting: xps(), text: "0000,00000000".to_owned() }],
        gone: vec![InterruptSetting::Irq(24)],
        refused: Vec::new(),
    };
    let document = IrqSetDocument::new(IrqSetAction::Undo, &card());
    assert_eq!(
        text(&document.with_undo(undone)),
        "\
NIC0 (0000:00:03.0), node 1, CPUs 2-3 are near: put back
                 CPUs
eth0 tx-0 (XPS)  off

no longer of this device: interrupt 24
"
    );
}

/// One node: before and after are the same CPUs.
#[test]
fn a_dry_run_without_a_difference_reports_none() {
    let same = SettingResult {
        before: cpus("0,2"),
        ..result(InterruptSetting::Irq(11), "eth0", "0,2", "2")
    };
    let other = result(InterruptSetting::Irq(24), "eth0-rx-0", "0,2", "1");
    let shown = |results: &[&SettingResult]| {
        let results = results.iter().map(|&one| one.clone()).collect();
        let document = IrqSetDocument::new(IrqSetAction::DryRun, &card());
        text(&document.with_settings(results, &card(), &Balancer::default()))
    };
    assert!(shown(&[&same]).contains("are near: nothing would change\n"), "{}", shown(&[&same]));
    let both = shown(&[&same, &other]);
    assert!(both.contains("are near: would be set\n"), "{both}");
}
