//! The answers of a sweep, each a sentence.

mod best;
mod irq;
mod jobs;
mod smt;
#[cfg(test)]
mod tests;

use nearfar_infer::trials::Modes;
use nearfar_infer::trials::predictors::Predictor;
use nearfar_view::text::percent::{change, share};

use super::figures::four_digits;
use crate::Objective;
use crate::answers::{FailureCount, PredictorFigure, RunVariability, SweepFinding};

/// A sentence, of figures that are judged so.
pub fn sentence(finding: &SweepFinding, objective: &Objective) -> String {
    match finding {
        SweepFinding::TooFewRuns { best } => best::too_few_runs(best),
        SweepFinding::NothingToCompare { best } => best::alone(best),
        SweepFinding::AllAlike { best, others_differ } => best::all_alike(best, *others_differ),
        SweepFinding::Fastest { best, ahead, ties } => {
            best::fastest(best, ahead.as_ref(), ties, objective)
        }
        SweepFinding::VariesLeast { id, cv, fastest, real } => {
            varies_least(id, *cv, fastest.as_ref(), *real)
        }
        SweepFinding::Bimodal { id, modes, goes_with, enough_runs } => {
            bimodal(id, modes, &what_goes(goes_with.as_ref(), *enough_runs))
        }
        SweepFinding::JobsUndetermined { of } => {
            format!("{of}: too few runs to decide where more jobs stop paying (--runs).")
        }
        SweepFinding::JobsPay { of, until, most, law } => {
            jobs::pay(of, *until, *most, law.as_ref())
        }
        SweepFinding::Smt { of, gains } => smt::sentence(of, gains, objective),
        SweepFinding::Irq { of, device, gains } => irq::gains(of, device, gains, objective),
        SweepFinding::IrqIdle { device, per_second } => irq::idle(device, *per_second),
        SweepFinding::IrqElsewhere { device, runs, counted } => {
            irq::elsewhere(device, *runs, *counted)
        }
        SweepFinding::IrqUncounted { device, runs } => irq::uncounted(device, *runs),
        SweepFinding::Irqbalance { device, interrupts } => irq::irqbalance(device, interrupts),
        SweepFinding::RunsFailed { all } => failed(all),
        SweepFinding::Drifted { reference, change: by } => format!(
            "The machine drifted: {reference} changed by {} in the course of the sweep. \
             Comparisons within one block are not affected.",
            change(*by)
        ),
        SweepFinding::DriftUnwatched { reference } => {
            format!("The reference {reference} fails always: drift could not be watched.")
        }
        SweepFinding::Load { load, cpus } => {
            format!(
                "Other programs were running: the load was {load:.1} on {cpus} CPUs before the \
                 sweep."
            )
        }
        SweepFinding::SlowedByLooks { id, share: of_run } => format!(
            "Looking at the pages of {id} took {} of a run, and no CPU was idle for three \
             quarters of it: that run was repeated without, and later ones were not looked at \
             (--no-pages: none is).",
            share(*of_run)
        ),
        SweepFinding::Scattered { id, cv } => format!(
            "Runs of {id} vary by {}: smaller differences may be missed. Stop other programs, or \
             make more runs (--runs).",
            share(*cv)
        ),
    }
}

/// Only older documents hold a least variable one by chance.
fn varies_least(id: &str, cv: f64, fastest: Option<&RunVariability>, real: bool) -> String {
    let own = share(cv);
    match fastest {
        _ if !real => String::new(),
        None => format!("{id} also varies least: its runs vary by {own}."),
        Some(other) => format!(
            "{id} varies least: its runs vary by {own}, those of {} by {}.",
            other.id,
            share(other.cv)
        ),
    }
}

fn bimodal(id: &str, modes: &Modes, why: &str) -> String {
    let [low, high] = modes.centers.map(four_digits);
    let [lower, higher] = modes.runs;
    format!("{id} has two typical figures, {low} ({lower} runs) and {high} ({higher} runs); {why}.")
}

fn what_goes(with: Option<&Predictor<PredictorFigure>>, enough_runs: bool) -> String {
    match with {
        Some(cause) => {
            let [low, high] = cause.means.map(|mean| amount(cause.figure, mean));
            format!("what goes with that is {}: {low} against {high}", figure(cause.figure))
        }
        None if enough_runs => "nothing that was recorded goes with that".to_owned(),
        None => "too few runs to find what goes with that".to_owned(),
    }
}

fn figure(suspect: PredictorFigure) -> &'static str {
    match suspect {
        PredictorFigure::RemoteShare => "the share of remote pages",
        PredictorFigure::PagesMigrated => "pages that the kernel moved",
        PredictorFigure::NumaMiss => "pages that were not had from the wanted node",
        PredictorFigure::MinorFaults => "page faults",
        PredictorFigure::MajorFaults => "page faults that read from a disk",
        PredictorFigure::SysS => "time in the kernel",
    }
}

fn amount(of: PredictorFigure, value: f64) -> String {
    match of {
        PredictorFigure::RemoteShare => format!("{:.0} %", 100.0 * value),
        PredictorFigure::SysS => format!("{value:.3} s"),
        _ => format!("{value:.0}"),
    }
}

fn failed(all: &[FailureCount]) -> String {
    let each = all.iter().map(|one| format!("{} in {} of {}", one.id, one.failed, one.runs));
    format!("Runs failed: {}.", each.collect::<Vec<_>>().join(", "))
}
