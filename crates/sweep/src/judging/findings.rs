//! Which answers deserve a sentence.

use std::cmp::Ordering;

use nearfar_infer::trials::predictors::can_be_significant;
use nearfar_infer::trials::{Law, RatioTest, Trials};
use nearfar_model::CpuSet;

use super::{is_really_fastest, known};
use crate::answers::{
    Answers, BestConfiguration, Bimodal, FailureCount, JobsCurve, Lead, PredictorFigure,
    RunVariability, SweepFinding,
};
use crate::document::{ConfigurationResult, Sweep};

/// Reported drift has a smaller p-value than this.
const DRIFTS: f64 = 0.01;
/// Reported drift is a larger change than this.
const MATTERS: f64 = 0.01;
/// A load of this many programs for each CPU disturbs runs.
const BUSY: f64 = 0.5;
/// Runs that vary by more than this hide differences that users look for.
const SCATTERED: f64 = 0.2;

pub(super) fn of(sweep: &Sweep, answers: &Answers, trials: &Trials) -> Vec<SweepFinding> {
    let mut found = Vec::new();
    found.extend(fastest(sweep, answers, trials));
    found.extend(steadiest(sweep, answers));
    found.extend(answers.bimodal.iter().filter_map(|one| modes(sweep, one)));
    found.extend(answers.scaling.iter().filter_map(pays_until));
    found.extend(super::smt::findings(&answers.smt));
    found.extend(super::irq::findings(sweep, &answers.irq));
    found.extend(failed(sweep));
    found.extend(drift(answers));
    found.extend(unwatched(sweep, answers));
    found.extend(load(sweep));
    found.extend(slowed_by_looks(sweep));
    found.extend(scatter(sweep));
    found
}

fn named<'s>(sweep: &'s Sweep, id: &str) -> Option<&'s ConfigurationResult> {
    sweep.configurations.iter().find(|configuration| configuration.configuration.id == id)
}

fn fastest(sweep: &Sweep, answers: &Answers, trials: &Trials) -> Option<SweepFinding> {
    let measured = named(sweep, answers.fastest.as_ref()?)?;
    let default = answers.default.as_ref()?;
    let best = best(sweep, measured);
    if trials.median_differences().is_empty() && known(sweep) > 1 {
        return Some(SweepFinding::TooFewRuns { best });
    }
    if known(sweep) == 1 {
        return Some(SweepFinding::NothingToCompare { best });
    }
    if !is_really_fastest(sweep, answers) {
        return Some(SweepFinding::AllAlike { best, others_differ: is_any_real(answers, trials) });
    }
    let id = &measured.configuration.id;
    // A lead that may be chance is none.
    let against = answers.difference_to_default.get(id).filter(|compared| compared.real);
    let ahead = |compared: &RatioTest| Lead {
        of: default.clone(),
        gain: if sweep.objective.higher_is_better { compared.ratio } else { -compared.ratio },
        real: compared.real,
    };
    let ahead = against.filter(|_| id != default).map(ahead);
    Some(SweepFinding::Fastest { best, ahead, ties: answers.as_fast.clone() })
}

/// Others may have a better median, and fail more often.
fn best(sweep: &Sweep, best: &ConfigurationResult) -> BestConfiguration {
    let cost = |one: &ConfigurationResult| one.median.map(|median| sweep.objective.turned(median));
    let is_better =
        |one: &ConfigurationResult| cost(one).zip(cost(best)).is_some_and(|(one, best)| one < best);
    BestConfiguration {
        failures: failures(best),
        others_failed_more: sweep.configurations.iter().any(is_better),
    }
}

fn failures(of: &ConfigurationResult) -> FailureCount {
    FailureCount {
        id: of.configuration.id.clone(),
        failed: of.failed,
        runs: of.configuration.runs.len(),
    }
}

fn is_any_real(answers: &Answers, trials: &Trials) -> bool {
    let pays = |curve: &JobsCurve| {
        let fewest = curve.points.first().map(|(jobs, _)| *jobs as u32);
        !curve.scaling.too_few_runs && curve.scaling.stops_paying_at != fewest
    };
    answers.difference_to_default.values().any(|value| value.real)
        || answers.smt.iter().any(|one| one.compared.real)
        || answers.irq.iter().any(|one| one.compared.real)
        || answers.scaling.iter().any(pays)
        || trials.median_differences().iter().any(|difference| difference.compared.real)
}

fn steadiest(sweep: &Sweep, answers: &Answers) -> Option<SweepFinding> {
    // That the least of several varies least by chance deserves no sentence.
    let steadiest =
        named(sweep, answers.steadiest.as_ref()?).filter(|_| answers.is_really_steadiest())?;
    let varies = |one: &ConfigurationResult| {
        Some(RunVariability { id: one.configuration.id.clone(), cv: one.cv? })
    };
    let RunVariability { id, cv } = varies(steadiest)?;
    let fastest = named(sweep, answers.fastest.as_ref()?)?;
    let fastest = if id == fastest.configuration.id { None } else { Some(varies(fastest)?) };
    Some(SweepFinding::VariesLeast { id, cv, fastest, real: answers.is_really_steadiest() })
}

fn modes(sweep: &Sweep, one: &Bimodal) -> Option<SweepFinding> {
    let modes = named(sweep, &one.id)?.modes.clone()?;
    let enough_runs = can_be_significant(modes.runs, PredictorFigure::ALL.len());
    Some(SweepFinding::Bimodal {
        id: one.id.clone(),
        modes,
        goes_with: one.differs.first().cloned(),
        enough_runs,
    })
}

fn pays_until(curve: &JobsCurve) -> Option<SweepFinding> {
    let (most, _) = *curve.points.last()?;
    let of = curve.of.clone();
    if curve.scaling.too_few_runs {
        return Some(SweepFinding::JobsUndetermined { of });
    }
    // A peak is reported up to twice the jobs that were tried: farther away the law is not known
    // to hold.
    let is_near = |jobs: &f64| (1.0..=2.0 * most as f64).contains(jobs);
    let law = curve.scaling.law.map(|law| Law { peak_jobs: law.peak_jobs.filter(is_near), ..law });
    Some(SweepFinding::JobsPay { of, until: curve.scaling.stops_paying_at, most, law })
}

fn failed(sweep: &Sweep) -> Option<SweepFinding> {
    let all: Vec<FailureCount> = sweep
        .configurations
        .iter()
        .filter(|configuration| configuration.failed > 0)
        .map(failures)
        .collect();
    (!all.is_empty()).then_some(SweepFinding::RunsFailed { all })
}

fn drift(answers: &Answers) -> Option<SweepFinding> {
    let drift = answers.drift.filter(|drift| drift.p < DRIFTS && drift.change.abs() > MATTERS)?;
    Some(SweepFinding::Drifted { reference: answers.default.clone()?, change: drift.change })
}

/// Drift is seen in runs of the reference; without them it is unknown.
fn unwatched(sweep: &Sweep, answers: &Answers) -> Option<SweepFinding> {
    let reference =
        &sweep.configurations.first().filter(|_| answers.fastest.is_some())?.configuration;
    let fails = !reference.runs.is_empty() && reference.successes().next().is_none();
    fails.then(|| SweepFinding::DriftUnwatched { reference: reference.id.clone() })
}

/// The configuration that looking at its pages slowed most.
fn slowed_by_looks(sweep: &Sweep) -> Option<SweepFinding> {
    let all = sweep.configurations.iter().flat_map(|one| {
        let id = &one.configuration.id;
        one.configuration.runs.iter().filter_map(move |run| Some((id, run.slowed_by_looks?)))
    });
    let (id, share) = all.max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    Some(SweepFinding::SlowedByLooks { id: id.clone(), share })
}

fn load(sweep: &Sweep) -> Option<SweepFinding> {
    let load = sweep.machine.load_average?;
    let cpus = sweep.machine.cpus.parse::<CpuSet>().ok()?.len();
    (load >= BUSY * cpus as f64).then_some(SweepFinding::Load { load, cpus })
}

fn scatter(sweep: &Sweep) -> Option<SweepFinding> {
    let cv = |one: &ConfigurationResult| one.cv.filter(|_| one.modes.is_none());
    let most =
        sweep.configurations.iter().filter(|configuration| cv(configuration) >= Some(SCATTERED));
    let most = most.max_by(|a, b| a.cv.partial_cmp(&b.cv).unwrap_or(Ordering::Equal))?;
    Some(SweepFinding::Scattered { id: most.configuration.id.clone(), cv: most.cv? })
}
