//! Answers about near and far interrupts.

use fastrand::Rng;
use nearfar_devices::irq::NodeCount;
use nearfar_model::NodeId;
use nearfar_sweep::answers::SweepFinding;
use nearfar_sweep::{Configuration, RunInterrupts, Sweep, SystemSetting};

use crate::interrupts::axis;
use crate::made_up::{TEN, swept, switching};

fn is_far(configuration: &Configuration) -> bool {
    configuration.system.get(&SystemSetting::Irq).is_some_and(|value| value == "far")
}

/// Far interrupts cost a tenth.
fn slower_if_far(configuration: &Configuration, _: &mut Rng) -> Result<(f64, f64), i32> {
    Ok((if is_far(configuration) { 11.0 } else { 10.0 }, 0.0))
}

fn no_difference(_: &Configuration, _: &mut Rng) -> Result<(f64, f64), i32> {
    Ok((10.0, 0.0))
}

/// A sweep whose runs have these interrupts, and this number of them elsewhere.
fn judged(
    cost: crate::made_up::Cost,
    seed: u64,
    interrupts: impl Fn(u32) -> Option<(u64, u64)>,
) -> Sweep {
    let values = ["near", "far"].map(str::to_owned).to_vec();
    let mut document =
        switching(&["unbound"], &[4], "make", seed, vec![(SystemSetting::Irq, values)]);
    document.interrupts = Some(axis().facts().clone());
    let (mut found, _) = swept(document, cost, 0.005, &TEN);
    for run in found
        .configurations
        .iter_mut()
        .flat_map(|configuration| &mut configuration.configuration.runs)
    {
        run.interrupts = interrupts(run.block).map(|(count, elsewhere)| RunInterrupts {
            count,
            by_node: vec![NodeCount { node: NodeId(1), count }],
            elsewhere,
            ..RunInterrupts::default()
        });
    }
    found.judge();
    found
}

/// The findings about interrupts.
fn findings(sweep: &Sweep) -> Vec<&SweepFinding> {
    let all = sweep.answers.findings.iter();
    all.filter(|one| {
        let code = serde_json::to_value(one).unwrap()["code"].as_str().unwrap().to_owned();
        code.starts_with("irq")
    })
    .collect()
}

#[test]
fn far_interrupts_that_cost_are_reported() {
    let found = judged(slower_if_far, 5, |_| Some((5_000, 0)));
    let ids: Vec<&str> = found
        .configurations
        .iter()
        .map(|configuration| configuration.configuration.id.as_str())
        .collect();
    assert_eq!(ids, ["unbound irq=near", "unbound irq=far"]);
    let [SweepFinding::Irq { of, device, gains }] = findings(&found)[..] else {
        panic!("{:?}", findings(&found))
    };
    assert_eq!((of.as_str(), device.as_str()), ("unbound", "NIC0"));
    let compared = gains[0].compared;
    assert!(compared.real && (compared.ratio + 1.0 / 11.0).abs() < 0.01, "{compared:?}");
}

#[test]
fn equal_costs_are_no_difference() {
    let made_up = (0..40).filter(|&seed| {
        let found = judged(no_difference, seed, |_| Some((5_000, 0)));
        found.answers.irq[0].compared.real
    });
    // Of 40 families at 5 %, more than six are rarer than one in a hundred.
    assert!(made_up.count() <= 6);
}

#[test]
fn idle_devices_have_no_answer() {
    let found = judged(slower_if_far, 5, |block| Some((u64::from(block == 0), 0)));
    let [SweepFinding::IrqIdle { per_second, .. }] = findings(&found)[..] else {
        panic!("{:?}", findings(&found))
    };
    assert!((0.0..0.1).contains(per_second));
}

#[test]
fn interrupts_elsewhere_are_reported() {
    // One for each of the two interrupts is a move.
    let moved = judged(slower_if_far, 5, |_| Some((30, 2)));
    assert!(matches!(findings(&moved)[..], [SweepFinding::Irq { .. }]));
    let found = judged(slower_if_far, 5, |block| Some((5_000, if block < 2 { 900 } else { 1 })));
    let [_, SweepFinding::IrqElsewhere { runs, counted, .. }] = findings(&found)[..] else {
        panic!("{:?}", findings(&found))
    };
    assert_eq!((*runs, *counted), (4, 20));
}

#[test]
fn unknown_counts_are_reported() {
    let found = judged(slower_if_far, 5, |block| (block > 0).then_some((5_000, 0)));
    let [_, SweepFinding::IrqUncounted { runs: 2, .. }] = findings(&found)[..] else {
        panic!("{:?}", findings(&found))
    };
    let none = judged(slower_if_far, 5, |_| None);
    assert!(
        findings(&none).iter().any(|finding| matches!(finding, SweepFinding::IrqUncounted { .. }))
    );
    assert!(!findings(&none).iter().any(|finding| matches!(finding, SweepFinding::IrqIdle { .. })));
}

#[test]
fn irqbalance_is_reported() {
    let mut found = judged(slower_if_far, 5, |_| Some((5_000, 0)));
    assert_eq!(findings(&found).len(), 1);
    found.interrupts.as_mut().unwrap().irqbalance = vec![24];
    found.judge();
    assert!(matches!(findings(&found)[1], SweepFinding::Irqbalance { .. }));
}
