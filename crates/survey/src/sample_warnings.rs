//! Warnings that the samples themselves give: what was dropped, what is imprecise, what could not
//! be measured.

use std::collections::{BTreeMap, BTreeSet};

use nearfar_model::CpuSet;
use nearfar_probe::{DropReason, Layout, PlanOutcome};

use crate::{
    Attempts, DroppedCode, LatencyRun, SampleWarning, Survey, Warning, WarningKind,
    precision_warnings,
};

/// The smallest share of dropped samples that is reported: idle machines drop fewer.
const REPORTED_SHARE: f64 = 0.02;
/// The smallest ratio of a burst's sample to its cell's median.
const BURST: f64 = 1.25;

/// All of them, the gravest first.
pub(crate) fn all(survey: &Survey, layout: &Layout, outcome: &PlanOutcome) -> Vec<Warning> {
    let mut warnings: Vec<SampleWarning> = Vec::new();
    warnings.extend(controls(survey));
    warnings.extend(bursts(survey));
    warnings.extend(dropped(survey, layout));
    warnings.extend(messages(outcome));
    let of_samples = warnings.into_iter().map(|warning| of("latency", warning));
    precision_warnings::for_latency(survey).into_iter().chain(of_samples).collect()
}

fn of(instrument: &str, warning: SampleWarning) -> Warning {
    Warning::new(instrument, WarningKind::Samples(warning))
}

/// Warnings of running another instrument: what was dropped, processes that were lost, and how
/// memory was placed.
pub(crate) fn part(instrument: &str, outcome: &PlanOutcome) -> Vec<Warning> {
    let warnings = dropped_of_part(outcome).into_iter().chain(messages(outcome));
    warnings.map(|warning| of(instrument, warning)).collect()
}

fn dropped_of_part(outcome: &PlanOutcome) -> Vec<SampleWarning> {
    let mut by_reason: BTreeMap<&str, u32> = BTreeMap::new();
    for dropped in &outcome.dropped {
        *by_reason.entry(dropped.reason.name()).or_default() += 1;
    }
    let all: u32 = by_reason.values().sum();
    above_threshold(by_reason, outcome.samples.len() as u64 + u64::from(all), Attempts::Attempts)
}

fn controls(survey: &Survey) -> Option<SampleWarning> {
    let controls = &survey.controls;
    let (differing, pairs) = (controls.differing, controls.pairs);
    let differences = controls.compared.iter().filter_map(|pair| pair.difference);
    let largest = differences.map(f64::abs).fold(0.0, f64::max);
    // One in a hundred differs by chance.
    let too_many = differing > 1 + pairs / 50;
    let alone = pairs < 10 && differing > 0;
    let warning = SampleWarning::ControlsDiffer { differing, pairs, largest };
    (too_many || alone).then_some(warning)
}

/// Medians are robust against bursts, but programs that run here are slowed by them, too.
fn bursts(survey: &Survey) -> Option<SampleWarning> {
    let (above, samples) = survey.samples.as_ref()?.above(&survey.latency.cells, BURST);
    let warning = SampleWarning::Bursts { above, samples, times: BURST };
    (above as f64 > REPORTED_SHARE * samples as f64).then_some(warning)
}

fn dropped(survey: &Survey, layout: &Layout) -> Vec<SampleWarning> {
    let mut by_reason: BTreeMap<&str, u32> = BTreeMap::new();
    for (reason, count) in survey.latency.cells.iter().flat_map(|cell| &cell.dropped) {
        *by_reason.entry(reason).or_default() += count;
    }
    let slices = layout.columns.first().map_or(1, |column| column.probe.slices());
    let kept: usize = survey.latency.cells.iter().map(|cell| cell.samples).sum();
    let attempts = kept as u64 * slices + u64::from(by_reason.values().sum::<u32>());
    let counted = if slices == 1 { Attempts::Samples } else { Attempts::Slices };
    above_threshold(by_reason, attempts, counted)
}

/// Reasons that dropped more than is ordinary.
fn above_threshold(
    by_reason: BTreeMap<&str, u32>,
    attempts: u64,
    counted: Attempts,
) -> Vec<SampleWarning> {
    let is_reported =
        |dropped: u32| dropped > 0 && f64::from(dropped) >= REPORTED_SHARE * attempts as f64;
    let reported = by_reason.into_iter().filter(|(_, dropped)| is_reported(*dropped));
    let warning = |(reason, dropped): (&str, u32)| SampleWarning::Dropped {
        code: DroppedCode::new(reason),
        dropped,
        attempts,
        counted,
    };
    reported.map(warning).collect()
}

/// CPUs that went offline explain why threads ran on others.
pub(crate) fn explain_offline(warnings: &mut Vec<Warning>, gone: &CpuSet) {
    if gone.is_empty() {
        return;
    }
    let is_moved = |warning: &Warning| {
        matches!(&warning.kind, WarningKind::Samples(SampleWarning::Dropped { code, .. })
            if code.reason() == DropReason::MovedCpu.name())
    };
    warnings.retain(|warning| !is_moved(warning));
    let offline = SampleWarning::CpuOffline { cpus: gone.clone() };
    warnings.insert(0, Warning::for_all(WarningKind::Samples(offline)));
}

/// The comparison of page sizes takes more memory than the survey itself: where it fails, the
/// survey stands without it.
pub(crate) fn page_size(run: Option<&Result<LatencyRun<'_>, String>>) -> Option<Warning> {
    let why = run?.as_ref().err()?.clone();
    Some(of("latency", SampleWarning::PageSizeUnmeasured { why }))
}

/// Processes that were lost, and messages of placing memory ("huge pages refused: ..."), each
/// thing once.
fn messages(outcome: &PlanOutcome) -> Vec<SampleWarning> {
    let lost = outcome.lost.iter().map(|lost| SampleWarning::ProcessLost { note: lost.clone() });
    let notes = outcome.placed.values().filter_map(|placed| placed.note.as_deref());
    let notes: BTreeSet<&str> = notes.collect();
    let placed = notes.into_iter().map(|note| SampleWarning::Placement { note: note.to_owned() });
    lost.chain(placed).collect()
}

#[cfg(test)]
mod tests {
    use nearfar_model::CellIndex;
    use nearfar_probe::{Dropped, Visit};

    use super::*;

    #[test]
    fn samples_far_above_the_median_are_bursts() {
        let mut survey = crate::sketch::survey();
        assert_eq!(bursts(&survey), None);
        for cell in &mut survey.latency.cells {
            cell.median = cell.median.map(|median| median / 1.3);
        }
        let all = SampleWarning::Bursts { above: 4, samples: 4, times: 1.25 };
        assert_eq!(bursts(&survey), Some(all));
    }

    #[test]
    fn dropped_samples_are_counted_by_reason() {
        let visit = Visit { process: 0, round: 0, place: CellIndex::default(), draw: 0 };
        let times = |reason, count| std::iter::repeat_n(Dropped::new(visit, reason), count);
        let dropped =
            times(DropReason::Descheduled, 3).chain(times(DropReason::Throttled, 100)).collect();
        let warnings = part("bandwidth", &PlanOutcome { dropped, ..PlanOutcome::default() });
        let dropped = |reason: &str, dropped| {
            let counted = Attempts::Attempts;
            let code = DroppedCode::new(reason);
            let warning = SampleWarning::Dropped { code, dropped, attempts: 103, counted };
            of("bandwidth", warning)
        };
        assert_eq!(warnings, [dropped("descheduled", 3), dropped("throttled", 100)]);
        assert_eq!(part("bandwidth", &PlanOutcome::default()), []);
    }

    #[test]
    fn offline_cpus_are_named() {
        let moved = BTreeMap::from([("moved-cpu", 9)]);
        let moved = above_threshold(moved, 10, Attempts::Samples).into_iter();
        let mut warnings: Vec<Warning> = moved.map(|moved| of("latency", moved)).collect();
        let before = warnings.clone();
        explain_offline(&mut warnings, &CpuSet::new());
        assert_eq!(warnings, before);
        let cpus = CpuSet::parse_list("3").unwrap();
        explain_offline(&mut warnings, &cpus);
        let offline = WarningKind::Samples(SampleWarning::CpuOffline { cpus });
        assert_eq!(warnings, [Warning::for_all(offline)]);
    }

    #[test]
    fn failed_page_size_comparisons_are_reported() {
        let why = "a worker process was killed".to_owned();
        let expected = of("latency", SampleWarning::PageSizeUnmeasured { why: why.clone() });
        assert_eq!(page_size(Some(&Err(why))), Some(expected));
        assert_eq!(page_size(None), None);
    }
}
