//! What remote memory costs a program that ends, of a sweep over doses.

use nearfar_infer::response::{dose_points, relative_time};
use nearfar_live::explain::{
    Direction, DosePlacement, DoseUnit, DroppedDose, Metric, MetricKind, MovingCost,
    RESPONSE_SCHEMA, ResponseDocument, ResponsePeriod, SurveyUsed, forecasts_here,
};
use nearfar_model::Bytes;
use nearfar_sweep::{DosedRuns, Sweep, SweepDose, SweepDoses, SweepPlacement, SweepRun};

/// The doses, and wherever the kernel puts it.
pub(super) fn placements(doses: &SweepDoses) -> Vec<SweepPlacement> {
    let words = doses.placements.iter().map(|dose| SweepPlacement::Words(dose.words.clone()));
    words.chain([SweepPlacement::Unbound]).collect()
}

/// The response that the runs have; `None` of a sweep without doses.
pub(crate) fn response_of(sweep: &Sweep) -> Option<ResponseDocument> {
    let doses = sweep.doses.as_ref().filter(|doses| !doses.placements.is_empty())?;
    let runs = DosedRuns::new(sweep, doses);
    let found = sweep.answers.response.clone()?;
    let mut periods: Vec<ResponsePeriod> = Vec::new();
    for one in &sweep.configurations {
        let dose = doses.of(&one.configuration.placement);
        periods.extend(one.configuration.runs.iter().map(|run| {
            let figure = sweep.objective.figure(run).filter(|figure| *figure > 0.0);
            period(run, dose, figure)
        }));
    }
    periods.sort_by_key(|period| period.block);
    let mut document = ResponseDocument {
        schema: RESPONSE_SCHEMA.to_owned(),
        started: sweep.started.clone(),
        machine: sweep.machine.model.clone(),
        target: shlex::try_join(sweep.command.iter().map(String::as_str))
            .unwrap_or_else(|_| sweep.command.join(" ")),
        survey: doses.survey.as_ref().map(|survey| SurveyUsed {
            file: survey.file.clone(),
            started: survey.started.clone(),
        }),
        metric: Metric {
            name: sweep.objective.words(),
            kind: MetricKind::Command,
            direction: match sweep.objective.higher_is_better {
                true => Direction::MoreIsBetter,
                false => Direction::LessIsBetter,
            },
            is_counter: false,
        },
        period_s: 0.0,
        seed: sweep.seed,
        unit: match doses.survey {
            Some(_) => DoseUnit::Nanoseconds,
            None => DoseUnit::FarShare,
        },
        near: doses.near,
        far: doses.far,
        interleaved: doses.interleaved,
        as_found: None,
        time_as_found: relative_time(&runs.unbound, &runs.periods(), &found),
        nodes: Vec::new(),
        moved_together: Bytes(0),
        points: dose_points(&runs.at_doses, &found),
        periods,
        response: found,
        forecasts: Vec::new(),
        placements: doses
            .placements
            .iter()
            .map(|dose| DosePlacement {
                words: dose.words.clone(),
                dose: dose.dose,
                percent: dose.percent,
            })
            .collect(),
        moving: MovingCost::default(),
        balancing_was_off: false,
        started_meanwhile: 0,
        processes: Vec::new(),
    };
    document.forecasts = forecasts_here(&document);
    Some(document)
}

/// A run at a dose, or without a placement.
fn period(run: &SweepRun, dose: Option<&SweepDose>, figure: Option<f64>) -> ResponsePeriod {
    let percent = dose.map(|dose| dose.percent);
    ResponsePeriod {
        block: run.block,
        wanted: percent,
        far_share: f64::from(percent.unwrap_or(0)) / 100.0,
        dose: dose.map(|dose| dose.dose),
        figure,
        dropped: figure.is_none().then_some(DroppedDose::NoFigure),
        moved_bytes: Bytes(0),
        moving_s: 0.0,
    }
}
