//! How the answers follow from the runs.

mod findings;
mod irq;
mod smt;

use nearfar_infer::trials::predictors::predictors;
use nearfar_infer::trials::scaling::scaling;
use nearfar_infer::trials::{Ranking, Trials};

use crate::answers::{Answers, Bimodal, JobsCurve, PredictorFigure, ReferenceDrift};
use crate::document::{ConfigurationResult, Sweep};
use crate::record::SweepRun;

impl Sweep {
    /// Derives every figure from the runs, and what follows.
    pub fn judge(&mut self) {
        self.summarise();
        for measured in &mut self.configurations {
            let runs = &measured.configuration.runs;
            let figures: Vec<f64> =
                runs.iter().filter_map(|run| self.objective.figure(run)).collect();
            measured.modes = nearfar_infer::trials::find_modes(&figures, self.seed);
        }
        let trials = self.trials();
        self.answers = answers(self, &trials);
    }
}

/// The answers of a sweep whose figures are judged already.
fn answers(sweep: &Sweep, trials: &Trials) -> Answers {
    let failures: Vec<usize> =
        sweep.configurations.iter().map(|configuration| configuration.failed).collect();
    let ranking: Ranking = trials.ranking(&failures);
    let id = |at: usize| sweep.configurations[at].configuration.id.clone();
    let ids = |all: &[usize]| all.iter().map(|&at| id(at)).collect::<Vec<_>>();
    let differences =
        if sweep.configurations.is_empty() { Vec::new() } else { trials.median_differences_to(0) };
    let mut answers = Answers {
        fastest: ranking.fastest.map(id),
        as_fast: ids(&ranking.as_fast),
        steadiest: ranking.least_variable.map(id),
        steadiest_p: trials.least_variable_p(&ranking),
        front: ids(&ranking.front),
        default: sweep
            .configurations
            .first()
            .map(|configuration| configuration.configuration.id.clone()),
        difference_to_default: differences
            .iter()
            .map(|one| (id(one.of), sweep.objective.compared(one.compared)))
            .collect(),
        bimodal: sweep
            .configurations
            .iter()
            .filter_map(|configuration| bimodal(sweep, configuration))
            .collect(),
        scaling: curves(sweep, trials),
        smt: smt::gains(sweep, trials),
        response: sweep.response(),
        irq: irq::gains(sweep, trials),
        drift: drift(trials),
        findings: Vec::new(),
        run_line: None,
    };
    if is_line_to_use(sweep, &answers) {
        let fastest = ranking.fastest.map(|at| &sweep.configurations[at].configuration);
        answers.run_line = fastest.map(|fastest| sweep.run_line(fastest));
    }
    answers.findings = findings::of(sweep, &answers, trials);
    answers
}

/// Whether the best is worth a change: it is faster than the reference, or is the reference, and
/// some other is slower.
fn is_line_to_use(sweep: &Sweep, answers: &Answers) -> bool {
    let is_as_fast = answers.default.as_ref().is_some_and(|id| answers.as_fast.contains(id));
    is_really_fastest(sweep, answers) && !is_as_fast
}

/// Whether the fastest is distinguishable from any other that ran.
pub fn is_really_fastest(sweep: &Sweep, answers: &Answers) -> bool {
    answers.fastest.is_some() && answers.as_fast.len() + 1 < known(sweep)
}

/// Configurations that have a figure.
fn known(sweep: &Sweep) -> usize {
    sweep.configurations.iter().filter(|configuration| configuration.median.is_some()).count()
}

fn bimodal(sweep: &Sweep, measured: &ConfigurationResult) -> Option<Bimodal> {
    let modes = measured.modes.as_ref()?;
    let counted: Vec<(&SweepRun, f64)> = measured
        .configuration
        .runs
        .iter()
        .filter_map(|run| Some((run, sweep.objective.figure(run)?)))
        .collect();
    let is_high: Vec<bool> = counted.iter().map(|(_, figure)| *figure > modes.boundary).collect();
    let figure = |suspect: PredictorFigure| {
        (suspect, counted.iter().map(|(run, _)| suspect.of(run)).collect())
    };
    let differs = predictors(&is_high, &PredictorFigure::ALL.map(figure));
    Some(Bimodal { id: measured.configuration.id.clone(), differs })
}

/// Configurations that differ in jobs alone, where there are at least two of them.
fn curves(sweep: &Sweep, trials: &Trials) -> Vec<JobsCurve> {
    let mut groups: Vec<(String, Vec<(usize, usize)>)> = Vec::new();
    for (at, ConfigurationResult { configuration, .. }) in sweep.configurations.iter().enumerate() {
        let (of, point) = (configuration.curve(), (configuration.jobs, at));
        match groups.iter_mut().find(|(known, _)| *known == of) {
            Some((_, by_jobs)) => by_jobs.push(point),
            None => groups.push((of, vec![point])),
        }
    }
    let curve = |(of, mut by_jobs): (String, Vec<(usize, usize)>)| {
        by_jobs.sort_unstable();
        let jobs: Vec<(u32, usize)> = by_jobs.iter().map(|&(jobs, at)| (jobs as u32, at)).collect();
        let points =
            by_jobs.iter().filter_map(|&(jobs, at)| Some((jobs, sweep.configurations[at].median?)));
        JobsCurve { of, points: points.collect(), scaling: scaling(trials, &jobs) }
    };
    let several = groups.into_iter().filter(|(_, by_jobs)| by_jobs.len() > 1);
    several.map(curve).filter(|curve| curve.points.len() > 1).collect()
}

/// Kendall's tau of the reference's costs over blocks, with its normal approximation (*Rank
/// Correlation Methods*, 1948).
fn drift(trials: &Trials) -> Option<ReferenceDrift> {
    let runs: Vec<f64> =
        (trials.configurations() > 0).then(|| trials.of(0).map(|(_, cost)| cost.ln()).collect())?;
    let count = runs.len();
    if count < 5 {
        return None;
    }
    let pairs = (0..count).flat_map(|early| (early + 1..count).map(move |late| (early, late)));
    let sum: f64 = pairs.map(|(early, late)| (runs[late] - runs[early]).signum()).sum();
    let n = count as f64;
    let sd = (n * (n - 1.0) * (2.0 * n + 5.0) / 18.0).sqrt();
    // Half a step less, since the sum has whole steps of two.
    let z = (sum.abs() - 1.0).max(0.0) / sd;
    let middle = (n - 1.0) / 2.0;
    let mean = runs.iter().sum::<f64>() / n;
    let slope =
        runs.iter().enumerate().map(|(at, log)| (at as f64 - middle) * (log - mean)).sum::<f64>()
            / (0..count).map(|at| (at as f64 - middle).powi(2)).sum::<f64>();
    Some(ReferenceDrift {
        change: (slope * (n - 1.0)).exp_m1(),
        p: nearfar_infer::trials::normal_p(z),
    })
}
