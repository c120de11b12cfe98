//! The answers of a sweep, each a sentence.

mod best;
mod jobs;
mod smt;
#[cfg(test)]
mod tests;

use nearfar_infer::trials::Modes;
use nearfar_infer::trials::predictors::Predictor;
use nearfar_sweep::Objective;
use nearfar_sweep::answers::{Failures, Finding, Suspect, Varies};

use super::figures::four_digits;
use crate::percent::{change, share};

/// A sentence, of figures that are judged so.
pub fn sentence(finding: &Finding, objective: &Objective) -> String {
    match finding {
        Finding::TooFewRuns { best } => best::too_few_runs(best),
        Finding::NothingToCompare { best } => best::alone(best),
        Finding::AllAlike { best, others_differ } => best::all_alike(best, *others_differ),
        Finding::Fastest { best, ahead, ties } => {
            best::fastest(best, ahead.as_ref(), ties, objective)
        }
        Finding::VariesLeast { id, cv, fastest, real } => {
            varies_least(id, *cv, fastest.as_ref(), *real)
        }
        Finding::Bimodal { id, modes, goes_with, can_be_significant } => {
            bimodal(id, modes, &what_goes(goes_with.as_ref(), *can_be_significant))
        }
        Finding::JobsUntold { of } => {
            format!("{of}: too few runs to tell where more jobs stop paying (--runs).")
        }
        Finding::JobsPay { of, until, most, law } => jobs::pay(of, *until, *most, law.as_ref()),
        Finding::Smt { of, gains } => smt::sentence(of, gains, objective),
        Finding::RunsFailed { all } => failed(all),
        Finding::Drifted { reference, change: by } => format!(
            "The machine drifted: {reference} changed by {} in the course of the sweep. \
             Differences are taken within blocks, which that does not touch.",
            change(*by)
        ),
        Finding::DriftUnwatched { reference } => {
            format!("The reference {reference} fails always: drift could not be watched.")
        }
        Finding::Load { load, cpus } => {
            format!(
                "Other programs were running: the load was {load:.1} on {cpus} CPUs before the \
                 sweep."
            )
        }
        Finding::Scattered { id, cv } => format!(
            "Runs of {id} vary by {}: smaller differences may be missed. Stop other programs, or \
             make more runs (--runs).",
            share(*cv)
        ),
    }
}

fn varies_least(id: &str, cv: f64, fastest: Option<&Varies>, real: bool) -> String {
    let own = share(cv);
    let Some(fastest) = fastest else {
        let doubt = if real { "" } else { ", which may be chance" };
        return format!("Its runs vary least as well, by {own}{doubt}.");
    };
    let (other, by) = (&fastest.id, share(fastest.cv));
    match real {
        true => format!("{id} is the steadiest: its runs vary by {own}, those of {other} by {by}."),
        false => format!(
            "Runs of {id} vary least, by {own}; those of {other} by {by}, which may be chance."
        ),
    }
}

fn bimodal(id: &str, modes: &Modes, why: &str) -> String {
    let [low, high] = modes.centers.map(four_digits);
    let [lower, higher] = modes.runs;
    format!("{id} has two typical figures, {low} ({lower} runs) and {high} ({higher} runs); {why}.")
}

fn what_goes(with: Option<&Predictor<Suspect>>, can_be_significant: bool) -> String {
    match with {
        Some(cause) => {
            let [low, high] = cause.means.map(|mean| amount(cause.figure, mean));
            format!("what goes with that is {}: {low} against {high}", figure(cause.figure))
        }
        None if can_be_significant => "nothing that was recorded goes with that".to_owned(),
        None => "too few runs to tell what goes with that".to_owned(),
    }
}

fn figure(suspect: Suspect) -> &'static str {
    match suspect {
        Suspect::RemoteShare => "the share of remote pages",
        Suspect::PagesMigrated => "pages that the kernel moved",
        Suspect::NumaMiss => "pages that were not had from the wanted node",
        Suspect::MinorFaults => "page faults",
        Suspect::MajorFaults => "page faults that read from a disk",
        Suspect::SysS => "time in the kernel",
    }
}

fn amount(of: Suspect, value: f64) -> String {
    match of {
        Suspect::RemoteShare => format!("{:.0} %", 100.0 * value),
        Suspect::SysS => format!("{value:.3} s"),
        _ => format!("{value:.0}"),
    }
}

fn failed(all: &[Failures]) -> String {
    let each = all.iter().map(|one| format!("{} in {} of {}", one.id, one.failed, one.runs));
    format!("Runs failed: {}.", each.collect::<Vec<_>>().join(", "))
}
