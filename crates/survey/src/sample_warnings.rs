//! Warnings that the samples themselves give: what was dropped, what is imprecise, what could not be measured.

use std::collections::BTreeMap;

use nearfar_model::CpuSet;
use nearfar_probe::{Layout, Outcome};

use crate::{PageSizeRun, Survey, Warning, precision_warnings};

/// Shares of dropped samples below this are the ordinary life of a machine.
const WORTH_TELLING: f64 = 0.02;
/// A sample that costs so many times its cell's median was taken in a burst.
const BURST: f64 = 1.25;

/// All of them, the gravest first.
pub(crate) fn all(survey: &Survey, layout: &Layout, outcome: &Outcome) -> Vec<Warning> {
    let mut warnings = Vec::new();
    warnings.extend(precision_warnings::of_latency(survey));
    warnings.extend(controls(survey));
    warnings.extend(bursts(survey));
    warnings.extend(dropped(survey, layout));
    warnings.extend(outcome.lost.iter().map(|lost| Warning::new("process-lost", sentence(lost), None)));
    warnings.extend(notes(outcome));
    warnings.into_iter().map(|warning| warning.of("latency")).collect()
}

/// What running another instrument had to say: what was dropped, processes that were lost, and how memory was placed.
pub(crate) fn part(survey: &Survey, instrument: &str, outcome: &Outcome) -> Vec<Warning> {
    let lost = |lost: &String| Warning::new("process-lost", format!("{instrument}: {}", sentence(lost)), None);
    let mut warnings = dropped_of_part(survey, instrument, outcome);
    warnings.extend(outcome.lost.iter().map(lost));
    warnings.extend(notes(outcome));
    warnings.into_iter().map(|warning| warning.of(instrument)).collect()
}

fn dropped_of_part(survey: &Survey, instrument: &str, outcome: &Outcome) -> Vec<Warning> {
    let mut by_reason: BTreeMap<&str, u32> = BTreeMap::new();
    for dropped in &outcome.dropped {
        *by_reason.entry(dropped.reason.name()).or_default() += 1;
    }
    let all: u32 = by_reason.values().sum();
    let attempts = outcome.samples.len() + all as usize;
    let is_told = |count: u32| f64::from(count) >= WORTH_TELLING * attempts as f64;
    let told = by_reason.into_iter().filter(|(_, count)| is_told(*count));
    told.map(|(reason, count)| {
        drop_warning(survey, reason, &format!("in {count} of {attempts} attempts of {instrument}"))
    })
    .collect()
}

fn controls(survey: &Survey) -> Option<Warning> {
    let controls = &survey.controls;
    let largest = controls.compared.iter().filter_map(|pair| pair.difference).map(f64::abs).fold(0.0, f64::max);
    let text = format!(
        "The same memory measured twice differs in {} of {} controls (by up to {:.1} %): differences of that size between columns are not NUMA.",
        controls.differing,
        controls.pairs,
        largest * 100.0
    );
    // One in a hundred differs by chance.
    let too_many = controls.differing > 1 + controls.pairs / 50;
    let alone = controls.pairs < 10 && controls.differing > 0;
    (too_many || alone).then(|| {
        Warning::new(
            "controls-differ",
            text,
            Some("repeat the survey; --thorough samples more pages over a longer time"),
        )
    })
}

/// Medians hold against bursts, but a program that runs here meets them too.
fn bursts(survey: &Survey) -> Option<Warning> {
    let (above, all) = survey.samples.as_ref()?.above(&survey.latency.cells, BURST);
    let text = format!(
        "{above} of {all} samples cost more than {BURST} times their cell's median: they were disturbed in bursts. Medians hold against that."
    );
    (above as f64 > WORTH_TELLING * all as f64).then(|| {
        Warning::new(
            "bursts",
            text,
            Some("look for what takes memory or clocks from time to time, here or elsewhere on the host"),
        )
    })
}

fn dropped(survey: &Survey, layout: &Layout) -> Vec<Warning> {
    let mut by_reason: BTreeMap<&str, u32> = BTreeMap::new();
    for (reason, count) in survey.latency.cells.iter().flat_map(|cell| &cell.dropped) {
        *by_reason.entry(reason).or_default() += count;
    }
    let slices = layout.columns.first().map_or(1, |column| column.probe.slices());
    let kept: usize = survey.latency.cells.iter().map(|cell| cell.samples).sum();
    let attempts = kept as u64 * slices + u64::from(by_reason.values().sum::<u32>());
    let share = |count: u32| f64::from(count) / attempts.max(1) as f64;
    let told = by_reason.into_iter().filter(|(_, count)| share(*count) >= WORTH_TELLING);
    let of = if slices == 1 { "samples of latency (dropped)" } else { "slices of samples (each was measured again)" };
    told.map(|(reason, count)| drop_warning(survey, reason, &format!("in {count} of {attempts} {of}"))).collect()
}

fn drop_warning(survey: &Survey, reason: &str, how_often: &str) -> Warning {
    let virtual_machine = survey.machine.hypervisor.is_some();
    let (what, remedy) = match reason {
        "stalled" if virtual_machine => ("The hypervisor moved or stopped the CPUs", "a dedicated host"),
        "stalled" => ("Firmware or the kernel stopped the CPUs", "look for SMIs and real-time programs"),
        "descheduled" => ("Other programs took the CPU", "stop them, or name quieter CPUs with --cpus"),
        "moved-cpu" => {
            let remedy = "look for CPUs that go offline, cpusets that change, and daemons that rebind processes";
            ("The thread ran on another CPU than it was pinned to", remedy)
        }
        "page-moved" => ("Pages moved to another node", "sysctl kernel.numa_balancing=0 while surveying"),
        // A guest's clocks are its host's to set.
        "unsettled" if virtual_machine => ("The CPU's frequency did not settle", "a dedicated host"),
        "unsettled" => ("The CPU's frequency did not settle", "cpupower frequency-set -g performance"),
        "throttled" => {
            ("The cgroup had used up its share of CPU time", "raise cpu.max of this cgroup, or measure outside of it")
        }
        "time-shared" => {
            ("Two CPUs that should have run together ran in turns", "a host whose hypervisor gives each CPU a core")
        }
        "no-thread" => ("A second thread could not be started", "raise pids.max of this cgroup, or 'ulimit -u'"),
        _ => ("Samples were disturbed", "repeat the survey"),
    };
    Warning::new(&format!("dropped-{reason}"), format!("{what} {how_often}."), Some(remedy))
}

/// CPUs that went offline explain why threads ran on others.
pub(crate) fn explain_offline(warnings: &mut Vec<Warning>, gone: &CpuSet) {
    let Some(first) = gone.first() else { return };
    warnings.retain(|warning| warning.code != "dropped-moved-cpu");
    let text = match gone.len() {
        1 => format!("CPU {gone} went offline during the run, or left this process's cpuset."),
        _ => format!("CPUs {gone} went offline during the run, or left this process's cpuset."),
    };
    let remedy = format!("echo 1 > /sys/devices/system/cpu/cpu{first}/online, or widen the cpuset; then measure again");
    warnings.insert(0, Warning::new("cpu-offline", text, Some(&remedy)));
}

/// The comparison of page sizes takes more memory than the survey itself: where it fails, the survey stands without it.
pub(crate) fn page_size(run: Option<&Result<PageSizeRun<'_>, String>>) -> Option<Warning> {
    let why = run?.as_ref().err()?;
    let text = format!("What base pages cost could not be measured: {why}.");
    Some(Warning::new("page-size-unmeasured", text, Some("free some memory, or raise the memory limit")).of("latency"))
}

/// What placing memory had to say ("huge pages refused: ..."), each thing once.
fn notes(outcome: &Outcome) -> Vec<Warning> {
    let mut notes: Vec<&str> = outcome.placed.values().filter_map(|placed| placed.note.as_deref()).collect();
    notes.sort_unstable();
    notes.dedup();
    notes.into_iter().map(|note| Warning::new("placement", sentence(note), None)).collect()
}

/// A note as a sentence: with a capital and a full stop.
fn sentence(note: &str) -> String {
    let mut rest = note.chars();
    let first = rest.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", rest.as_str())
}

#[cfg(test)]
mod tests {
    use nearfar_model::Place;
    use nearfar_probe::{DropReason, Dropped, Visit};

    use super::*;

    #[test]
    fn samples_far_above_their_cells_median_are_told_as_bursts() {
        let mut survey = crate::sketch::survey();
        assert_eq!(bursts(&survey), None);
        for cell in &mut survey.latency.cells {
            cell.median = cell.median.map(|median| median / 1.3);
        }
        let warning = bursts(&survey).unwrap();
        assert_eq!(warning.code, "bursts");
        assert!(warning.text.starts_with("4 of 4 samples cost more than 1.25 times"), "{}", warning.text);
    }

    #[test]
    fn what_an_instrument_dropped_is_counted_and_told_by_reason() {
        let survey = crate::sketch::survey();
        let visit = Visit { process: 0, round: 0, place: Place::default(), draw: 0 };
        let times = |reason, count| std::iter::repeat_n(Dropped { visit, reason }, count);
        let dropped = times(DropReason::Descheduled, 3).chain(times(DropReason::Throttled, 100)).collect();
        let warnings = part(&survey, "bandwidth", &Outcome { dropped, ..Outcome::default() });
        let told: Vec<(&str, &str)> =
            warnings.iter().map(|warning| (warning.code.as_str(), warning.text.as_str())).collect();
        assert_eq!(
            told,
            [
                ("dropped-descheduled", "Other programs took the CPU in 3 of 103 attempts of bandwidth."),
                (
                    "dropped-throttled",
                    "The cgroup had used up its share of CPU time in 100 of 103 attempts of bandwidth."
                )
            ]
        );
        assert!(warnings.iter().all(|warning| warning.instrument.as_deref() == Some("bandwidth")));
        assert_eq!(part(&survey, "bandwidth", &Outcome::default()), []);
    }

    #[test]
    fn a_guest_is_not_told_to_set_clocks_that_are_its_hosts() {
        let mut survey = crate::sketch::survey();
        let remedy = |survey: &Survey| drop_warning(survey, "unsettled", "in 9 of 10").remedy.unwrap();
        survey.machine.hypervisor = None;
        assert!(remedy(&survey).starts_with("cpupower"));
        survey.machine.hypervisor = Some("KVM".to_owned());
        assert_eq!(remedy(&survey), "a dedicated host");
    }

    #[test]
    fn a_cpu_that_went_offline_is_named_and_no_daemon_blamed() {
        let survey = crate::sketch::survey();
        let mut warnings = vec![drop_warning(&survey, "moved-cpu", "in 9 of 10")];
        let before = warnings.clone();
        explain_offline(&mut warnings, &CpuSet::new());
        assert_eq!(warnings, before);
        explain_offline(&mut warnings, &CpuSet::parse_list("3").unwrap());
        assert_eq!((warnings.len(), warnings[0].code.as_str()), (1, "cpu-offline"));
        assert!(warnings[0].text.starts_with("CPU 3 went offline during the run"), "{:?}", warnings[0]);
    }

    #[test]
    fn a_failed_comparison_of_page_sizes_is_told_and_no_more() {
        let failed = page_size(Some(&Err("a worker process was killed".to_owned()))).unwrap();
        assert_eq!(failed.code, "page-size-unmeasured");
        assert_eq!(failed.text, "What base pages cost could not be measured: a worker process was killed.");
        assert_eq!(page_size(None), None);
    }
}
