//! From what a plan heard to a survey.
//!
//! Figures are taken from the samples as they will be stored, and from the seed, by [`Survey::judge`]: whoever reads the
//! document can judge again and must come to the same figures.

use std::borrow::Cow;
use std::collections::BTreeMap;

use nearfar_diagnose::Witnesses;
use nearfar_infer::InferError;
use nearfar_machine::{Activity, Environment, Topology};
use nearfar_model::{CpuSet, Shape};
use nearfar_probe::{Layout, Outcome};

use crate::disturbances::{course, disturbances};
use crate::{
    Bandwidth, BandwidthRun, Caches, CachesRun, Claims, Compared, Controls, CoreToCore, CoreToCoreRun, Hidden,
    HiddenRun, Interleave, InterleaveRun, Loaded, LoadedRun, Machine, Matrix, PageSize, PageSizeRun, Provenance,
    SCHEMA, Samples, StoodOut, Survey, Verdict, Warning, boot_options, environment_warnings, left_out, meaning,
    precision_warnings, sample_warnings, two_levels,
};

/// Everything that was seen in one survey.
pub struct Observed<'a> {
    /// What the machine says it is.
    pub topology: &'a Topology,
    /// Its settings.
    pub environment: &'a Environment,
    /// What firmware and kernel say of its nodes.
    pub witnesses: &'a Witnesses,
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

/// What each instrument heard, where it ran.
#[derive(Default)]
pub struct Instruments<'a> {
    /// What an access costs, where that was measured.
    pub latency: Option<LatencyRun<'a>>,
    /// What memory delivers, where that was measured.
    pub bandwidth: Option<BandwidthRun<'a>>,
    /// How far CPUs are from each other, where that was measured.
    pub core_to_core: Option<CoreToCoreRun<'a>>,
    /// What an access costs by size, where that was measured.
    pub caches: Option<CachesRun<'a>>,
    /// How slow memory becomes when it is busy, where that was measured.
    pub loaded: Option<LoadedRun<'a>>,
    /// What spread memory gives, where that was asked for.
    pub interleave: Option<InterleaveRun<'a>>,
    /// Pages and lines of which nobody knows where they are, where they were looked at.
    pub hidden: Option<HiddenRun<'a>>,
    /// The standard error that each aims at, as a fraction, by the name that users give it.
    pub aims: BTreeMap<&'static str, f64>,
}

/// A run of latency.
pub struct LatencyRun<'a> {
    /// What was measured.
    pub layout: &'a Layout,
    /// What was heard.
    pub outcome: &'a Outcome,
    /// What base pages cost, where that was asked for; or why it could not be measured.
    pub page_size: Option<Result<PageSizeRun<'a>, String>>,
}

/// Makes the document.
pub fn assemble(observed: Observed<'_>) -> Result<Survey, InferError> {
    let latency = observed.instruments.latency.as_ref();
    let page_size = latency.and_then(|run| run.page_size.as_ref()).and_then(|run| run.as_ref().ok());
    let heard = heard(&observed.instruments);
    let mut survey = Survey {
        schema: SCHEMA.to_owned(),
        machine: Machine::of(observed.topology, observed.environment),
        environment: environment(observed.environment, observed.activity),
        claims: Claims::of(observed.topology, observed.witnesses),
        latency: latency.map_or_else(Matrix::unmeasured, |run| Matrix::of(run.layout, run.outcome)),
        controls: latency.map_or_else(Controls::default, |run| controls(run.layout)),
        page_size: page_size.map(|run| PageSize::new(Matrix::of(run.layout, run.outcome), Samples::of(run.outcome))),
        bandwidth: observed.instruments.bandwidth.as_ref().map(Bandwidth::new),
        core_to_core: observed.instruments.core_to_core.as_ref().map(CoreToCore::new),
        caches: observed.instruments.caches.as_ref().map(Caches::new),
        loaded: observed.instruments.loaded.as_ref().map(Loaded::new),
        interleave: observed.instruments.interleave.as_ref().map(Interleave::new),
        hidden: observed.instruments.hidden.as_ref().map(Hidden::new),
        classes: None,
        links: None,
        claims_vs_measured: None,
        verdict: Verdict::none(observed.threshold),
        warnings: Vec::new(),
        disturbances: heard.iter().flat_map(|(instrument, all)| disturbances(instrument, all)).collect(),
        courses: heard.iter().map(|(instrument, all)| course(instrument, all)).collect(),
        meaning: Vec::new(),
        provenance: observed.provenance,
        samples: latency.map(|run| Samples::of(run.outcome)),
    };
    survey.judge()?;
    survey.warnings = left_out::warnings(&survey.provenance);
    if let Some(run) = latency {
        survey.warnings.extend(sample_warnings::all(&survey, run.layout, run.outcome));
    }
    survey.warnings.extend(environment_warnings::all(observed.environment, observed.activity, &survey));
    survey.warnings.extend(sample_warnings::page_size(latency.and_then(|run| run.page_size.as_ref())));
    let instruments = &observed.instruments;
    let parts = parts(instruments);
    let of_parts = parts.iter().flat_map(|(instrument, outcome)| sample_warnings::part(&survey, instrument, outcome));
    let of_parts: Vec<Warning> = of_parts.collect();
    survey.warnings.extend(precision_warnings::of_parts(&survey, &instruments.aims));
    survey.warnings.extend(of_parts);
    survey.warnings.extend(instruments.bandwidth.iter().flat_map(|run| run.stood_out.iter().map(StoodOut::warning)));
    survey.warnings.extend(two_levels::warnings(&survey));
    sample_warnings::explain_offline(&mut survey.warnings, &observed.went_offline);
    survey.interpret();
    Ok(survey)
}

/// What each instrument beside latency heard.
fn parts<'o>(instruments: &Instruments<'o>) -> Vec<(&'static str, &'o Outcome)> {
    let spread = instruments.interleave.iter().flat_map(|run| run.bandwidth.iter().chain(&run.latency));
    let mut parts: Vec<(&str, &Outcome)> = Vec::new();
    parts.extend(instruments.bandwidth.iter().map(|run| ("bandwidth", run.outcome)));
    parts.extend(instruments.core_to_core.iter().map(|run| ("core-to-core", run.outcome)));
    parts.extend(instruments.caches.iter().map(|run| ("caches", run.outcome)));
    parts.extend(instruments.loaded.iter().map(|run| ("loaded", run.outcome)));
    parts.extend(spread.map(|run| ("interleave", run.outcome)));
    parts.extend(instruments.hidden.iter().filter_map(|run| Some(("hidden", *run.outcome.as_ref().ok()?))));
    parts
}

/// What each instrument heard, all of its plans one after another.
fn heard<'o>(instruments: &Instruments<'o>) -> Vec<(&'static str, Cow<'o, Outcome>)> {
    let latency = instruments.latency.as_ref();
    let page_size = latency.and_then(|run| run.page_size.as_ref()?.as_ref().ok());
    let aside = latency.map(|run| ("latency", run.outcome)).into_iter();
    let all = aside.chain(page_size.map(|run| ("page size", run.outcome))).chain(parts(instruments));
    let mut heard: Vec<(&'static str, Cow<'o, Outcome>)> = Vec::new();
    for (instrument, outcome) in all {
        match heard.iter_mut().find(|(known, _)| *known == instrument) {
            Some((_, before)) => before.to_mut().append(outcome.clone()),
            None => heard.push((instrument, Cow::Borrowed(outcome))),
        }
    }
    heard
}

impl Survey {
    /// Derives estimates, controls and the verdict from the samples and the seed. Without samples nothing changes.
    pub fn judge(&mut self) -> Result<(), InferError> {
        let seed = self.provenance.seed;
        self.bandwidth.as_mut().map_or(Ok(()), |bandwidth| bandwidth.judge(seed))?;
        self.core_to_core.as_mut().map_or(Ok(()), |pairs| pairs.judge(seed))?;
        self.caches.as_mut().map_or(Ok(()), |caches| caches.judge(seed))?;
        let cpus = self.machine.cpus;
        self.loaded.as_mut().map_or(Ok(()), |loaded| loaded.judge(cpus, seed))?;
        self.interleave.as_mut().map_or(Ok(()), |spread| spread.judge(seed))?;
        self.hidden.as_mut().map_or(Ok(()), |hidden| hidden.judge(seed))?;
        if let Some(hidden) =
            self.hidden.as_ref().filter(|hidden| hidden.samples.is_some() && self.latency.rows.is_empty())
        {
            self.verdict = Verdict::none(self.verdict.threshold);
            hidden.bear_on(&mut self.verdict);
        }
        let Some(samples) = &self.samples else { return self.judge_bandwidth_alone(seed) };
        self.latency.estimate(samples, seed)?;
        let readings = samples.readings(Shape::new(self.latency.rows.len(), self.latency.columns.len()))?;
        let mut verdict = nearfar_infer::verdict(&readings, self.verdict.threshold, seed);
        if self.latency.is_one_memory() {
            verdict = nearfar_infer::of_one_memory(verdict, &nearfar_infer::estimates(&readings, seed));
        }
        self.verdict = verdict.into();
        if let Some(hidden) = &self.hidden {
            hidden.bear_on(&mut self.verdict);
        }
        self.controls.judge(samples, seed)?;
        self.judge_nodes(Some(&readings), seed)?;
        self.page_size.as_mut().map_or(Ok(()), |pages| pages.judge(seed))
    }

    /// What bandwidth says of nodes where nobody measured latency. Without its samples nothing changes.
    fn judge_bandwidth_alone(&mut self, seed: u64) -> Result<(), InferError> {
        let has_samples = self.bandwidth.as_ref().is_some_and(|bandwidth| bandwidth.part.samples.is_some());
        if has_samples && self.latency.rows.is_empty() { self.judge_nodes(None, seed) } else { Ok(()) }
    }

    /// Writes anew what the figures mean.
    pub fn interpret(&mut self) {
        self.meaning = meaning::sentences(self);
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

impl Verdict {
    fn none(threshold: f64) -> Self {
        Self {
            numa: nearfar_infer::Numa::Undetermined,
            detected: false,
            p: None,
            effect: None,
            ci95: None,
            threshold,
            reasons: vec!["latency was not measured".to_owned()],
            would_settle: Some("nearfar survey".to_owned()),
        }
    }
}

impl From<nearfar_infer::Verdict> for Verdict {
    fn from(verdict: nearfar_infer::Verdict) -> Self {
        Self {
            numa: verdict.numa,
            detected: verdict.detected,
            p: verdict.p,
            effect: verdict.effect,
            ci95: verdict.ci95,
            threshold: verdict.threshold,
            reasons: verdict.reasons,
            would_settle: verdict.would_settle,
        }
    }
}

/// The settings, what moved meanwhile, and of the kernel's command line only the words that bear on memory and CPUs: surveys are passed
/// on, and command lines hold other people's business.
fn environment(environment: &Environment, activity: &Activity) -> serde_json::Map<String, serde_json::Value> {
    let mut told = environment.clone();
    told.boot.command_line = told.boot.command_line.as_deref().map(boot_options::telling);
    let mut facts = match serde_json::to_value(&told) {
        Ok(serde_json::Value::Object(facts)) => facts,
        _ => serde_json::Map::new(),
    };
    facts.insert("during".to_owned(), serde_json::to_value(activity).unwrap_or_default());
    facts
}

fn controls(layout: &Layout) -> Controls {
    let pair = |pair: &nearfar_probe::ControlPair| Compared {
        row: pair.row,
        column: pair.column,
        again: pair.again,
        difference: None,
        p: None,
    };
    Controls { pairs: 0, differing: 0, compared: layout.controls.iter().map(pair).collect() }
}
