//! From a plan's outcome to a survey.
//!
//! Figures are taken from the samples as they will be stored, and from the seed, by
//! [`Survey::judge`]: a reader of the document can judge again and must get the same figures.

use std::borrow::Cow;

use nearfar_devices::DevicesDocument;
use nearfar_devices::irq::IrqDocument;
use nearfar_diagnose::Witnesses;
use nearfar_infer::{InferError, NumaVerdict};
use nearfar_machine::{Activity, Environment, Topology};
use nearfar_model::{CpuSet, Instrument};
use nearfar_probe::{ControlPair, Layout, PlanOutcome};

use crate::disturbances::{course, disturbances};
use crate::{
    CellWarning, Claims, ControlComparison, Controls, FillEvidence, Instruments, MachineSummary,
    Matrix, Outlier, PageSizeMatrix, Provenance, SCHEMA, Samples, Survey, Warning, WarningKind,
    environment_warnings, fill_warning, precision_warnings, sample_warnings, skipped, two_levels,
};

/// Everything that was seen in one survey.
pub struct Observed<'a> {
    /// The machine's description.
    pub topology: &'a Topology,
    /// Its settings.
    pub environment: &'a Environment,
    /// Claims of firmware and kernel about its nodes.
    pub witnesses: &'a Witnesses,
    /// Where its devices are, without levels of pairs.
    pub devices: Option<DevicesDocument>,
    /// Who served their interrupts while measuring, in a bounded size.
    pub interrupts: Option<IrqDocument>,
    /// What counters rose by while measuring.
    pub activity: &'a Activity,
    /// CPUs that were online when it began, and no more when it ended.
    pub went_offline: CpuSet,
    /// What was measured.
    pub instruments: Instruments<'a>,
    /// The effect that matters.
    pub threshold: f64,
    /// How it came about.
    pub provenance: Provenance,
}

/// Makes the document.
pub fn assemble(mut observed: Observed<'_>) -> Result<Survey, InferError> {
    let parts = std::mem::take(&mut observed.instruments.document);
    let instruments = &observed.instruments;
    let latency = instruments.latency;
    let outcomes = outcomes(instruments);
    let mut survey = Survey {
        schema: SCHEMA.to_owned(),
        machine: MachineSummary::new(observed.topology, observed.environment),
        claims: Claims::new(observed.topology, observed.witnesses),
        devices: observed.devices,
        interrupts: observed.interrupts,
        environment: environment(observed.environment, observed.activity),
        latency: latency
            .map_or_else(Matrix::unmeasured, |run| Matrix::new(run.layout, run.outcome)),
        controls: latency.map_or_else(Controls::default, |run| controls(run.layout)),
        fills: latency.zip(instruments.fills).map(|(run, counting)| {
            FillEvidence::new(counting, observed.topology, run.layout, run.outcome)
        }),
        page_size: instruments.page_size_run().map(PageSizeMatrix::new),
        disturbances: outcomes
            .iter()
            .flat_map(|(instrument, all)| disturbances(instrument, all))
            .collect(),
        courses: outcomes.iter().map(|(instrument, all)| course(instrument, all)).collect(),
        samples: latency.map(|run| Samples::from_outcome(run.outcome)),
        verdict: NumaVerdict::not_measured(observed.threshold),
        provenance: observed.provenance,
        ..parts
    };
    survey.judge()?;
    survey.warnings = skipped::warnings(&survey.provenance);
    if let Some(run) = latency {
        survey.warnings.extend(sample_warnings::all(&survey, run.layout, run.outcome));
    }
    survey.warnings.extend(fill_warning::warning(&survey));
    survey.warnings.extend(environment_warnings::all(
        observed.environment,
        observed.activity,
        &survey,
    ));
    survey.warnings.extend(sample_warnings::page_size(instruments.page_size.as_ref()));
    survey.warnings.extend(precision_warnings::for_parts(&survey, instruments));
    let part_warnings =
        |(instrument, outcome): (Instrument, _)| sample_warnings::part(instrument.name(), outcome);
    survey.warnings.extend(instruments.outcomes().flat_map(part_warnings));
    survey.warnings.extend(instruments.outliers.iter().map(outliers));
    survey.warnings.extend(two_levels::warnings(&survey));
    sample_warnings::explain_offline(&mut survey.warnings, &observed.went_offline);
    Ok(survey)
}

fn outliers(cell: &Outlier) -> Warning {
    Warning::new(
        Instrument::Bandwidth.name(),
        WarningKind::Cell(CellWarning::Outlier(cell.clone())),
    )
}

/// What each instrument measured, all of its plans one after another.
fn outcomes<'o>(instruments: &Instruments<'o>) -> Vec<(&'static str, Cow<'o, PlanOutcome>)> {
    let latency = instruments.latency.map(|run| (Instrument::Latency, run.outcome)).into_iter();
    let page_size = instruments.page_size_run().map(|run| (Instrument::PageSize, run.outcome));
    let mut outcomes: Vec<(&'static str, Cow<'o, PlanOutcome>)> = Vec::new();
    for (instrument, outcome) in latency.chain(page_size).chain(instruments.outcomes()) {
        match outcomes.iter_mut().find(|(known, _)| *known == instrument.name()) {
            Some((_, before)) => before.to_mut().append(outcome.clone()),
            None => outcomes.push((instrument.name(), Cow::Borrowed(outcome))),
        }
    }
    outcomes
}

impl Survey {
    /// A machine that was not measured: what its kernel and firmware report.
    pub fn unmeasured(
        topology: &Topology,
        environment: &Environment,
        witnesses: &Witnesses,
        devices: Option<DevicesDocument>,
    ) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            machine: MachineSummary::new(topology, environment),
            claims: Claims::new(topology, witnesses),
            interrupts: devices
                .as_ref()
                .and_then(|devices| nearfar_diagnose::interrupts(witnesses, devices, None)),
            devices,
            ..Self::default()
        }
    }

    /// Derives estimates, controls and the verdict from the samples and the seed. Without samples
    /// nothing changes.
    pub fn judge(&mut self) -> Result<(), InferError> {
        let seed = self.provenance.seed;
        let cpus = self.machine.cpus;
        for instrument in Instrument::ALL {
            self.part_mut(instrument).map_or(Ok(()), |part| part.judge(cpus, seed))?;
        }
        if let Some(hidden) = self
            .hidden
            .as_ref()
            .filter(|hidden| hidden.samples.is_some() && self.latency.rows.is_empty())
        {
            self.verdict = NumaVerdict::not_measured(self.verdict.threshold);
            hidden.bear_on(&mut self.verdict);
        }
        let Some(samples) = &self.samples else { return self.judge_bandwidth_alone(seed) };
        let readings = self.latency.estimate(samples, seed)?;
        let mut verdict = nearfar_infer::verdict(&readings, self.verdict.threshold, seed);
        if self.latency.is_one_memory() {
            verdict = nearfar_infer::one_memory_verdict(
                verdict,
                &nearfar_infer::estimates(&readings, seed),
            );
        }
        self.verdict = verdict;
        match &self.hidden {
            Some(hidden) => hidden.bear_on(&mut self.verdict),
            None if self.may_hide_nodes() => self.verdict.without_search(),
            None => {}
        }
        self.controls.judge(samples, seed)?;
        self.judge_nodes(Some(&readings), seed)?;
        self.page_size.as_mut().map_or(Ok(()), |pages| pages.judge(seed))
    }

    /// Whether the system shows one memory, or a search for hidden nodes was due and left out.
    fn may_hide_nodes(&self) -> bool {
        let hidden = Instrument::Hidden.name();
        self.latency.is_one_memory()
            || self.provenance.left_out.iter().any(|one| one.instrument == hidden)
    }

    /// What bandwidth shows of nodes where latency was not measured. Without its samples nothing
    /// changes.
    fn judge_bandwidth_alone(&mut self, seed: u64) -> Result<(), InferError> {
        let has_samples =
            self.bandwidth.as_ref().is_some_and(|bandwidth| bandwidth.part.samples.is_some());
        if has_samples && self.latency.rows.is_empty() {
            self.judge_nodes(None, seed)
        } else {
            Ok(())
        }
    }
}

impl Controls {
    fn judge(&mut self, samples: &Samples, seed: u64) -> Result<(), InferError> {
        (self.pairs, self.differing) = (0, 0);
        for (pair, number) in self.compared.iter_mut().zip(0u64..) {
            let judged = nearfar_infer::controls(&[samples.pair(pair)?], seed.wrapping_add(number));
            self.pairs += judged.pairs;
            self.differing += judged.differing;
            pair.difference = judged.largest_difference;
            pair.p = judged.p_values.first().copied();
        }
        Ok(())
    }
}

/// The settings, and what moved meanwhile.
fn environment(
    environment: &Environment,
    activity: &Activity,
) -> serde_json::Map<String, serde_json::Value> {
    let Ok(serde_json::Value::Object(mut facts)) = serde_json::to_value(environment) else {
        return serde_json::Map::new();
    };
    facts.insert("during".to_owned(), serde_json::to_value(activity).unwrap_or_default());
    facts
}

fn controls(layout: &Layout) -> Controls {
    let pair = |&ControlPair { row, column, again, .. }: &ControlPair| ControlComparison {
        row,
        column,
        again,
        ..ControlComparison::default()
    };
    Controls { compared: layout.controls.iter().map(pair).collect(), ..Controls::default() }
}
