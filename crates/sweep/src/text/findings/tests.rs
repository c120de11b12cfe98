//! Each kind of finding, word for word.

use nearfar_infer::trials::{Law, LawKind, RatioTest};

use super::*;
use crate::answers::{BestConfiguration, IrqGain, Lead, SmtGain};

fn sentence_of(finding: &SweepFinding) -> String {
    sentence(finding, &Objective::wall())
}

/// The same of a figure where more is better.
fn sentence_of_rate(finding: &SweepFinding) -> String {
    let metric = Some("rate=([0-9.]+)".to_owned());
    sentence(finding, &Objective { name: "rate".to_owned(), metric, higher_is_better: true })
}

fn best(failed: usize, others_failed_more: bool) -> BestConfiguration {
    BestConfiguration {
        failures: FailureCount { id: "local:0".to_owned(), failed, runs: 20 },
        others_failed_more,
    }
}

fn fastest(best: BestConfiguration, ahead: Option<(f64, bool)>, ties: &[&str]) -> SweepFinding {
    let ahead = ahead.map(|(gain, real)| Lead { of: "unbound".to_owned(), gain, real });
    SweepFinding::Fastest { best, ahead, ties: ties.iter().map(|id| (*id).to_owned()).collect() }
}

#[test]
fn the_fastest_has_its_lead_and_ties() {
    let one = fastest(best(0, true), Some((0.165, true)), &["a"]);
    assert_eq!(
        sentence_of(&one),
        "local:0 has the best median of those that never failed: it takes 16.5 % less time than \
         unbound; a cannot be distinguished from it."
    );
    assert_eq!(
        sentence_of_rate(&one),
        "local:0 has the best median of those that never failed, 16.5 % better than unbound; a \
         cannot be distinguished from it."
    );
    let several = fastest(best(4, false), Some((0.2, false)), &["a", "b", "c"]);
    assert_eq!(
        sentence_of(&several),
        "local:0 (4 of 20 runs failed) has the best median; a, b and c cannot be distinguished \
         from it."
    );
    assert_eq!(
        sentence_of(&fastest(best(4, true), None, &[])),
        "local:0 (4 of 20 runs failed) is fastest of those that failed least."
    );
}

#[test]
fn the_best_median_alone_is_not_fastest() {
    for (finding, expected) in [
        (
            SweepFinding::TooFewRuns { best: best(0, false) },
            "local:0 has the best median, but differences need six runs of each configuration \
             (--runs).",
        ),
        (
            SweepFinding::NothingToCompare { best: best(0, true) },
            "Only local:0 ran: there is nothing to compare it with.",
        ),
        (
            SweepFinding::AllAlike { best: best(0, false), others_differ: true },
            "None of the others can be distinguished from the best, local:0.",
        ),
        (
            SweepFinding::AllAlike { best: best(1, true), others_differ: false },
            "No difference is beyond chance: local:0 (1 of 20 runs failed) has the best median of \
             those that failed least, and none of the others can be distinguished from it.",
        ),
    ] {
        assert_eq!(sentence_of(&finding), expected);
    }
}

#[test]
fn steadiest_is_beyond_chance() {
    let varies = |fastest: Option<&str>, real: bool| {
        let fastest = fastest.map(|id| RunVariability { id: id.to_owned(), cv: 0.123 });
        sentence_of(&SweepFinding::VariesLeast { id: "a".to_owned(), cv: 0.0042, fastest, real })
    };
    assert_eq!(varies(None, true), "a also varies least: its runs vary by 0.4 %.");
    let both = "a varies least: its runs vary by 0.4 %, those of b by 12.3 %.";
    assert_eq!(varies(Some("b"), true), both);
    // At 0206d5e9: "Its runs vary least as well, by 0.4 %, which may be chance."
    assert_eq!([varies(None, false), varies(Some("b"), false)], ["", ""]);
}

#[test]
fn modes_have_their_predictor() {
    let modes = |goes_with: Option<(PredictorFigure, [f64; 2])>, enough_runs: bool| {
        let goes_with =
            goes_with.map(|(figure, means)| Predictor { figure, means, more_often: 1.0, p: 0.001 });
        let modes = Modes { centers: [10.0, 14.25], runs: [8, 4], boundary: 12.0, p: 0.001 };
        let whole = sentence_of(&SweepFinding::Bimodal {
            id: "a".to_owned(),
            modes,
            goes_with,
            enough_runs,
        });
        let head = "a has two typical figures, 10.00 (8 runs) and 14.25 (4 runs); ";
        whole.strip_prefix(head).unwrap_or_else(|| panic!("{whole}")).to_owned()
    };
    assert_eq!(
        modes(Some((PredictorFigure::RemoteShare, [0.05, 0.9])), true),
        "what goes with that is the share of remote pages: 5 % against 90 %."
    );
    assert_eq!(
        modes(Some((PredictorFigure::SysS, [0.1, 2.0])), true),
        "what goes with that is time in the kernel: 0.100 s against 2.000 s."
    );
    assert_eq!(
        modes(Some((PredictorFigure::MinorFaults, [10.0, 2000.4])), true),
        "what goes with that is page faults: 10 against 2000."
    );
    assert_eq!(modes(None, true), "nothing that was recorded goes with that.");
    assert_eq!(modes(None, false), "too few runs to find what goes with that.");
}

#[test]
fn jobs_pay_so_far_and_by_a_law() {
    let law = |kind, peak_jobs| Law {
        kind,
        one_job: 60.0,
        serial: 0.1,
        crosstalk: 0.0,
        worst_miss: 0.012,
        peak_jobs,
    };
    let jobs = |until, law| {
        sentence_of(&SweepFinding::JobsPay { of: "unbound".to_owned(), until, most: 16, law })
    };
    assert_eq!(jobs(Some(1), None), "unbound: more than one job does not pay.");
    assert_eq!(jobs(Some(4), None), "unbound: more than 4 jobs do not pay.");
    assert_eq!(
        jobs(None, Some(law(LawKind::Amdahl, None))),
        "unbound: more jobs are better, up to 16; more were not tried. Its times follow Amdahl's \
         law with a serial share of 10.0 % (within 1.2 %)."
    );
    let universal = |peak| jobs(Some(8), Some(law(LawKind::UniversalScalability, peak)));
    let follows = "unbound: more than 8 jobs do not pay. Its times follow the Universal \
                   Scalability Law (within 1.2 %)";
    assert_eq!(
        universal(Some(7.04)),
        format!("{follows}; by it, 7.0 jobs are the most that help.")
    );
    assert_eq!(universal(None), format!("{follows}."));
    assert_eq!(
        sentence_of(&SweepFinding::JobsUndetermined { of: "unbound".to_owned() }),
        "unbound: too few runs to decide where more jobs stop paying (--runs)."
    );
}

#[test]
fn smt_gains_and_costs_are_listed_by_jobs() {
    let gain = |jobs: usize, jobs_off: usize, ratio: f64, real: bool| {
        let compared =
            RatioTest { ratio, ci95: [ratio - 0.01, ratio + 0.01], p: 0.01, real, blocks: 10 };
        SmtGain { of: "unbound".to_owned(), jobs, jobs_off, compared }
    };
    let smt =
        |gains: &[SmtGain]| SweepFinding::Smt { of: "unbound".to_owned(), gains: gains.to_vec() };
    assert_eq!(
        sentence_of(&smt(&[gain(1, 1, 0.1, true), gain(2, 2, 0.0, false), gain(4, 4, -0.2, true)])),
        "unbound: SMT gains 20.0 % with 4 jobs; costs 10.0 % with one job; makes no difference \
         beyond chance with 2 jobs."
    );
    assert_eq!(
        sentence_of(&smt(&[gain(8, 4, -0.2, true)])),
        "unbound: SMT gains 20.0 % with 8 jobs against 4 without."
    );
    assert_eq!(sentence_of_rate(&smt(&[gain(4, 4, 0.25, true)])), "unbound: SMT gains 25.0 %.");
    assert_eq!(
        sentence_of(&smt(&[gain(4, 4, 0.01, false)])),
        "unbound: SMT makes no difference beyond chance."
    );
}

fn gain(jobs: usize, ratio: f64, real: bool) -> IrqGain {
    let compared =
        RatioTest { ratio, ci95: [ratio - 0.01, ratio + 0.01], p: 0.001, real, blocks: 10 };
    IrqGain { of: "unbound".to_owned(), jobs, compared }
}

#[test]
fn near_interrupts_gain_cost_or_do_neither() {
    let finding = |gains: Vec<IrqGain>| {
        let (of, device) = ("unbound".to_owned(), "NIC0".to_owned());
        SweepFinding::Irq { of, device, gains }
    };
    assert_eq!(
        sentence_of(&finding(vec![gain(4, -0.04, true)])),
        "unbound: interrupts near NIC0: 4.0 % faster than far from it."
    );
    assert_eq!(
        sentence_of_rate(&finding(vec![gain(4, -0.04, true)])),
        "unbound: interrupts near NIC0: 4.0 % worse than far from it."
    );
    assert_eq!(
        sentence_of(&finding(vec![gain(4, 0.04, false)])),
        "unbound: interrupts near NIC0: no difference beyond chance."
    );
    assert_eq!(
        sentence_of(&finding(vec![gain(1, 0.02, true), gain(2, 0.0, false), gain(4, 0.0, false)])),
        "unbound: interrupts near NIC0: 2.0 % slower than far from it with one job; no difference \
         beyond chance with 2 jobs, with 4 jobs."
    );
}

#[test]
fn weak_comparisons_of_interrupts_are_reported() {
    let device = || "NIC0".to_owned();
    for (finding, expected) in [
        (
            SweepFinding::IrqIdle { device: device(), per_second: 0.25 },
            "NIC0 had 0.2 interrupts a second during runs: that is too few to decide whether near \
             or far matters.",
        ),
        (
            SweepFinding::IrqElsewhere { device: device(), runs: 3, counted: 20 },
            "In 3 of 20 runs, interrupts of NIC0 did not run where they were set. The comparison \
             of near and far is unreliable.",
        ),
        (
            SweepFinding::IrqUncounted { device: device(), runs: 1 },
            "Where interrupts of NIC0 ran is unknown for 1 run: their counters were not readable, \
             or started again.",
        ),
        (
            SweepFinding::Irqbalance { device: device(), interrupts: vec![24, 25] },
            "irqbalance ran at the start, and may move interrupts 24-25 of NIC0 within 10 s: stop \
             it during a sweep.",
        ),
    ] {
        assert_eq!(sentence_of(&finding), expected);
    }
}

#[test]
fn disturbances_follow_the_answers() {
    let failures = |id: &str, failed: usize| FailureCount { id: id.to_owned(), failed, runs: 10 };
    for (finding, expected) in [
        (
            SweepFinding::RunsFailed { all: vec![failures("a", 2), failures("b", 10)] },
            "Runs failed: a in 2 of 10, b in 10 of 10.",
        ),
        (
            SweepFinding::Drifted { reference: "a".to_owned(), change: -0.0312 },
            "The machine drifted: a changed by -3.1 % in the course of the sweep. Comparisons \
             within one block are not affected.",
        ),
        (
            SweepFinding::DriftUnwatched { reference: "a".to_owned() },
            "The reference a fails always: drift could not be watched.",
        ),
        (
            SweepFinding::Load { load: 2.55, cpus: 4 },
            "Other programs were running: the load was 2.5 on 4 CPUs before the sweep.",
        ),
        (
            SweepFinding::SlowedByLooks { id: "a".to_owned(), share: 0.214 },
            "Looking at the pages of a took 21.4 % of a run, and no CPU was idle for three \
             quarters of it: that run was repeated without, and later ones were not looked at \
             (--no-pages: none is).",
        ),
        (
            SweepFinding::Scattered { id: "a".to_owned(), cv: 0.31 },
            "Runs of a vary by 31.0 %: smaller differences may be missed. Stop other programs, or \
             make more runs (--runs).",
        ),
    ] {
        assert_eq!(sentence_of(&finding), expected);
    }
}
