//! The answers in words: one short paragraph.

use nearfar_infer::trials::telling::can_tell;
use nearfar_infer::trials::{Law, LawKind, Trials};

use nearfar_model::CpuSet;

use super::{SUSPECTS, is_really_fastest, known};
use crate::answers::{Answers, Compared, Curve, TwoHumped};
use crate::document::{Measured, Sweep};
use crate::objective::four_digits;

/// Trends rarer than this are worth a word.
const DRIFTS: f64 = 0.01;
/// And larger than this.
const MATTERS: f64 = 0.01;

pub(super) fn of(sweep: &Sweep, answers: &Answers, trials: &Trials) -> Vec<String> {
    let mut said = Vec::new();
    said.extend(fastest(sweep, answers, trials));
    said.extend(steadiest(sweep, answers));
    said.extend(answers.two_humped.iter().map(|one| humps(sweep, one)));
    said.extend(answers.scaling.iter().filter_map(pays_until));
    said.extend(super::smt::words(sweep, &answers.smt));
    said.extend(failures(sweep));
    said.extend(drift(answers));
    said.extend(unwatched(sweep, answers));
    said.extend(company(sweep));
    said.extend(scatter(sweep));
    said
}

fn named<'s>(sweep: &'s Sweep, id: &str) -> Option<&'s Measured> {
    sweep.configurations.iter().find(|one| one.configuration.id == id)
}

/// "12.3 %"
fn percent(fraction: f64) -> String {
    format!("{:.1} %", 100.0 * fraction)
}

fn fastest(sweep: &Sweep, answers: &Answers, trials: &Trials) -> Option<String> {
    let best = named(sweep, answers.fastest.as_ref()?).filter(|_| sweep.configurations.len() > 1)?;
    let default = answers.default.as_ref()?;
    let (who, among) = (with_failures(best), among(sweep, best));
    if answers.difference_to_default.is_empty() && trials.differences().is_empty() && known(sweep) > 1 {
        return Some(format!(
            "{who} has the best median{among}, but there are too few runs to compare it with the others."
        ));
    }
    if known(sweep) == 1 {
        return Some(format!("Only {who} ran: there is nothing to compare it with."));
    }
    if !is_really_fastest(sweep, answers) {
        return Some(all_alike(&who, among, is_any_real(answers, trials)));
    }
    let ties = match answers.as_fast.as_slice() {
        [] => String::new(),
        ties => format!("; {} cannot be told from it", list(ties)),
    };
    let id = &best.configuration.id;
    let against = answers.difference_to_default.get(id).filter(|_| id != default);
    // The best median may be of who is the slower one run by run: then they are too close to tell.
    let against = against.filter(|compared| gain(sweep, compared) > 0.0);
    let against = against.map_or_else(String::new, |compared| than(sweep, compared, default));
    Some(format!("{who} is {}{among}{against}{ties}.", superlative(sweep)))
}

fn with_failures(one: &Measured) -> String {
    let id = &one.configuration.id;
    match one.failed {
        0 => id.clone(),
        failed => format!("{id} ({failed} of {} runs failed)", one.configuration.runs.len()),
    }
}

/// Others may have a better median, and fail more often.
fn among(sweep: &Sweep, best: &Measured) -> &'static str {
    let cost = |one: &Measured| one.median.map(|median| sweep.objective.turned(median));
    let is_better = |one: &Measured| cost(one).zip(cost(best)).is_some_and(|(one, best)| one < best);
    let is_passed_over = sweep.configurations.iter().any(is_better);
    match (is_passed_over, best.failed) {
        (false, _) => "",
        (true, 0) => " of those that never failed",
        (true, _) => " of those that failed least",
    }
}

/// Nobody can be told from the best; others still may differ from each other.
fn all_alike(best: &str, among: &str, is_any_real: bool) -> String {
    match is_any_real {
        true => format!("None of the others can be told from the best{among}, {best}."),
        false => format!(
            "No difference is real: {best} has the best median{among}, and none of the others can be told from it."
        ),
    }
}

fn is_any_real(answers: &Answers, trials: &Trials) -> bool {
    let pays = |curve: &Curve| {
        let fewest = curve.points.first().map(|(jobs, _)| *jobs as u32);
        !curve.scaling.too_few_runs && curve.scaling.stops_paying_at != fewest
    };
    answers.difference_to_default.values().any(|one| one.real)
        || answers.smt.iter().any(|one| one.real)
        || answers.scaling.iter().any(pays)
        || trials.differences().iter().any(|one| one.real)
}

/// Half of the time is "50 % less time", and would be "100 % faster".
fn than(sweep: &Sweep, compared: &Compared, default: &str) -> String {
    let (gain, doubt) = (percent(gain(sweep, compared)), doubt(compared));
    match sweep.objective.metric {
        None => format!(": it takes {gain} less time than {default}{doubt}"),
        Some(_) => format!(", {gain} better than {default}{doubt}"),
    }
}

fn superlative(sweep: &Sweep) -> &'static str {
    if sweep.objective.metric.is_some() { "best" } else { "fastest" }
}

/// How much less time, or how much more of what is better.
fn gain(sweep: &Sweep, compared: &Compared) -> f64 {
    if sweep.objective.higher_is_better { compared.ratio } else { -compared.ratio }
}

fn doubt(compared: &Compared) -> &'static str {
    if compared.real { "" } else { " (not beyond chance)" }
}

fn list(ids: &[String]) -> String {
    match ids {
        [] => String::new(),
        [one] => one.clone(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    }
}

fn steadiest(sweep: &Sweep, answers: &Answers) -> Option<String> {
    let steadiest = named(sweep, answers.steadiest.as_ref()?).filter(|_| sweep.configurations.len() > 1)?;
    let cv = steadiest.cv?;
    let fastest = named(sweep, answers.fastest.as_ref()?)?;
    let name = &steadiest.configuration.id;
    if name == &fastest.configuration.id {
        let doubt = if answers.is_really_steadiest() { "" } else { ", which may be chance" };
        return Some(format!("Its runs vary least as well, by {}{doubt}.", percent(cv)));
    }
    let (own, other) = (percent(cv), percent(fastest.cv?));
    Some(match answers.is_really_steadiest() {
        true => format!(
            "{name} is the steadiest: its runs vary by {own}, those of {} by {other}.",
            fastest.configuration.id
        ),
        false => format!(
            "Runs of {name} vary least, by {own}; those of {} by {other}, which may be chance.",
            fastest.configuration.id
        ),
    })
}

fn humps(sweep: &Sweep, one: &TwoHumped) -> String {
    let Some(modes) = named(sweep, &one.id).and_then(|measured| measured.modes.as_ref()) else { return String::new() };
    let [low, high] = modes.centers;
    let why = match one.differs.first() {
        Some(cause) => format!(
            "what goes with that is {}: {} against {}",
            figure(&cause.figure),
            amount(&cause.figure, cause.means[0]),
            amount(&cause.figure, cause.means[1])
        ),
        None if !can_tell(modes.runs, SUSPECTS.len()) => "too few runs to tell what goes with that".to_owned(),
        None => "nothing that was recorded goes with that".to_owned(),
    };
    format!(
        "{} has two typical figures, {} ({} runs) and {} ({} runs); {why}.",
        one.id,
        four_digits(low),
        modes.runs[0],
        four_digits(high),
        modes.runs[1]
    )
}

fn figure(name: &str) -> &str {
    match name {
        "remote_share" => "the share of remote pages",
        "pages_migrated" => "pages that the kernel moved",
        "numa_miss" => "pages that were not had from the wanted node",
        "minor_faults" => "page faults",
        "major_faults" => "page faults that read from a disk",
        "sys_s" => "time in the kernel",
        other => other,
    }
}

fn amount(name: &str, value: f64) -> String {
    match name {
        "remote_share" => format!("{:.0} %", 100.0 * value),
        "sys_s" => format!("{value:.3} s"),
        _ => format!("{value:.0}"),
    }
}

fn pays_until(curve: &Curve) -> Option<String> {
    let (most, _) = curve.points.last()?;
    if curve.scaling.too_few_runs {
        return Some(format!("{}: too few runs to tell where more jobs stop paying (--runs).", curve.of));
    }
    let until = match curve.scaling.stops_paying_at {
        Some(1) => format!("{}: more than one job does not pay.", curve.of),
        Some(jobs) => format!("{}: more than {jobs} jobs do not pay.", curve.of),
        None => format!("{}: jobs pay up to {most}, the most that were tried.", curve.of),
    };
    Some(curve.scaling.law.as_ref().map_or(until.clone(), |law| format!("{until} {}", followed(law, *most))))
}

/// A peak is told from where jobs were tried to twice as many: farther away the law is not known to hold.
fn followed(law: &Law, most: usize) -> String {
    let missed = percent(law.worst_miss);
    match law.kind {
        LawKind::Amdahl => {
            format!("Its times follow Amdahl's law with a serial share of {} (within {missed}).", percent(law.serial))
        }
        LawKind::UniversalScalability => {
            let peak = law
                .peak_jobs
                .filter(|jobs| (1.0..=2.0 * most as f64).contains(jobs))
                .map_or_else(String::new, |jobs| format!("; by it, {jobs:.1} jobs are the most that help"));
            format!("Its times follow the Universal Scalability Law (within {missed}){peak}.")
        }
    }
}

fn failures(sweep: &Sweep) -> Option<String> {
    let failed: Vec<String> = sweep
        .configurations
        .iter()
        .filter(|one| one.failed > 0)
        .map(|one| format!("{} in {} of {}", one.configuration.id, one.failed, one.configuration.runs.len()))
        .collect();
    (!failed.is_empty()).then(|| format!("Runs failed: {}.", failed.join(", ")))
}

fn drift(answers: &Answers) -> Option<String> {
    let drift = answers.drift.filter(|drift| drift.p < DRIFTS && drift.change.abs() > MATTERS)?;
    let default = answers.default.as_ref()?;
    Some(format!(
        "The machine drifted: {default} changed by {:+.1} % in the course of the sweep. Differences are taken within blocks, which that does not touch.",
        100.0 * drift.change
    ))
}

/// Drift is seen in runs of the reference; where others run and it does not, nobody looked.
fn unwatched(sweep: &Sweep, answers: &Answers) -> Option<String> {
    let reference = &sweep.configurations.first().filter(|_| answers.fastest.is_some())?.configuration;
    let fails = !reference.runs.is_empty() && reference.successes().next().is_none();
    fails.then(|| format!("The reference {} fails always: drift could not be watched.", reference.id))
}

/// A load of this many programs for each CPU disturbs runs.
const BUSY: f64 = 0.5;

fn company(sweep: &Sweep) -> Option<String> {
    let load = sweep.machine.load_average?;
    let cpus = sweep.machine.cpus.parse::<CpuSet>().ok()?.len();
    (load >= BUSY * cpus as f64)
        .then(|| format!("Other programs were running: the load was {load:.1} on {cpus} CPUs before the sweep."))
}

/// Runs that vary by more than this hide differences that users look for.
const SCATTERED: f64 = 0.2;

fn scatter(sweep: &Sweep) -> Option<String> {
    let cv = |one: &Measured| one.cv.filter(|_| one.modes.is_none());
    let most = sweep.configurations.iter().filter(|one| cv(one) >= Some(SCATTERED));
    let most = most.max_by(|a, b| a.cv.partial_cmp(&b.cv).unwrap_or(std::cmp::Ordering::Equal))?;
    Some(format!(
        "Runs of {} vary by {}: smaller differences may be missed. Stop other programs, or make more runs (--runs).",
        most.configuration.id,
        percent(most.cv?)
    ))
}
