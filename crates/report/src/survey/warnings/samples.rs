//! Warnings about samples.

use nearfar_model::{CpuSet, Instrument};
use nearfar_survey::{Attempts, MachineSummary, SampleWarning};
use nearfar_view::text::count_of;
use nearfar_view::text::paragraph::sentence;

use super::WarningText;
use crate::survey::Verbosity;

pub(super) fn text(
    warning: &SampleWarning,
    instrument: &str,
    machine: &MachineSummary,
    verbosity: Verbosity,
) -> WarningText {
    match warning {
        SampleWarning::ControlsDiffer { differing, pairs, largest } => WarningText::with_remedy(
            format!(
                "{} by up to {:.1} %, although each measured one memory twice. Differences of that \
                 size are not NUMA.",
                count_of(*differing, *pairs, "control", "differ"),
                largest * 100.0
            ),
            "'nearfar survey --thorough': it samples more pages for longer",
        ),
        SampleWarning::Bursts { above, samples, times } => WarningText::with_remedy(
            format!(
                "{} slower than {times} times the median of the cell. They come in bursts, and \
                 barely change medians.",
                count_of(*above, *samples, "sample", "were")
            ),
            "look for programs that run from time to time, here or in other guests",
        ),
        SampleWarning::ProcessLost { note } => WarningText::without_remedy(match instrument {
            _ if instrument == Instrument::Latency.name() => sentence(note),
            other => format!("{other}: {}", sentence(note)),
        }),
        SampleWarning::Placement { note } => WarningText::without_remedy(sentence(note)),
        SampleWarning::CpuOffline { cpus } => offline(cpus),
        SampleWarning::PageSizeUnmeasured { why } => WarningText::with_remedy(
            format!("The latency of base pages could not be measured: {why}."),
            "free some memory, or raise the memory limit",
        ),
        SampleWarning::Dropped { code, dropped, attempts, counted } => {
            let (cause, remedy) = cause_and_remedy(code.reason(), machine.hypervisor.is_some());
            let of = match counted {
                Attempts::Samples if verbosity == Verbosity::Verbose => {
                    "latency samples (dropped; A/A controls not counted)".to_owned()
                }
                Attempts::Samples => "latency samples (dropped)".to_owned(),
                Attempts::Slices => "slices of samples (each measured again)".to_owned(),
                Attempts::Attempts => format!("attempts of '{instrument}'"),
            };
            WarningText::with_remedy(format!("{cause} in {dropped} of {attempts} {of}."), remedy)
        }
    }
}

fn offline(cpus: &CpuSet) -> WarningText {
    let plural = if cpus.len() == 1 { "" } else { "s" };
    let text = format!("CPU{plural} {cpus} went offline during the run, or left the cpuset.");
    let first = cpus.first().map_or_else(String::new, |first| first.to_string());
    let online = format!("echo 1 > /sys/devices/system/cpu/cpu{first}/online");
    WarningText::with_remedy(text, format!("{online}, or widen the cpuset; then measure again"))
}

/// Why samples were dropped, and what to do about it.
pub(super) fn cause_and_remedy(reason: &str, is_guest: bool) -> (&'static str, &'static str) {
    match reason {
        "stalled" if is_guest => {
            ("The hypervisor moved or stopped the CPUs", "use a dedicated host")
        }
        "stalled" => {
            ("Firmware or the kernel stopped the CPUs", "look for SMIs and real-time programs")
        }
        "descheduled" => {
            ("Other programs took the CPU", "stop them, or select idle CPUs with --cpus")
        }
        "moved-cpu" => (
            "The thread left its pinned CPU",
            "look for CPUs that go offline, cpusets that change, and daemons that rebind processes",
        ),
        "page-moved" => {
            ("Pages moved to another node", "sysctl kernel.numa_balancing=0 while surveying")
        }
        // Only the host can set the clocks of a guest.
        "unsettled" if is_guest => ("The CPU frequency did not settle", "use a dedicated host"),
        "unsettled" => {
            ("The CPU frequency did not settle", "cpupower frequency-set -g performance")
        }
        "throttled" => (
            "The cgroup had used its CPU limit",
            "raise cpu.max of this cgroup, or measure outside of it",
        ),
        "time-shared" => (
            "Two CPUs did not run at the same time",
            "use a host that pins each virtual CPU to a core",
        ),
        "no-thread" => (
            "A second thread could not be started",
            "raise pids.max of this cgroup, or 'ulimit -u'",
        ),
        "other-io" => (
            "Other programs used the disk",
            "stop them ('iotop' shows them), or measure another disk",
        ),
        "interrupt-elsewhere" => (
            "Interrupts ran on other CPUs than they were set to",
            "stop irqbalance while measuring",
        ),
        "clocks-disagree" => (
            "The GPU driver's clock and the host's disagreed",
            "use larger copies (--size), or an idle machine",
        ),
        _ => ("Samples were disturbed", "repeat the survey"),
    }
}

#[cfg(test)]
mod tests {
    use nearfar_survey::DroppedCode;

    use super::super::tests::survey;
    use super::*;

    fn text(warning: &SampleWarning, instrument: &str) -> WarningText {
        super::text(warning, instrument, &survey().machine, Verbosity::Brief)
    }

    #[test]
    fn dropped_samples_are_counted_by_reason() {
        let dropped = |reason: &str, counted| {
            let code = DroppedCode::new(reason);
            SampleWarning::Dropped { code, dropped: 3, attempts: 103, counted }
        };
        for (reason, counted, expected) in [
            (
                "descheduled",
                Attempts::Attempts,
                "Other programs took the CPU in 3 of 103 attempts of 'bandwidth'.",
            ),
            (
                "throttled",
                Attempts::Slices,
                "The cgroup had used its CPU limit in 3 of 103 slices of samples (each measured \
                 again).",
            ),
            (
                "for-an-unknown-reason",
                Attempts::Samples,
                "Samples were disturbed in 3 of 103 latency samples (dropped).",
            ),
        ] {
            assert_eq!(text(&dropped(reason, counted), "bandwidth").text, expected);
        }
    }

    #[test]
    fn a_guest_is_not_advised_to_set_its_clocks() {
        assert!(cause_and_remedy("unsettled", false).1.starts_with("cpupower"));
        assert_eq!(cause_and_remedy("unsettled", true).1, "use a dedicated host");
    }

    #[test]
    fn slow_samples_are_reported_as_bursts() {
        let bursts = text(&SampleWarning::Bursts { above: 4, samples: 4, times: 1.25 }, "latency");
        assert!(
            bursts.text.starts_with("4 of 4 samples were slower than 1.25 times"),
            "{bursts:?}"
        );
    }

    #[test]
    fn offline_cpus_are_named() {
        let offline = |cpus| offline(&CpuSet::parse_list(cpus).unwrap());
        assert!(offline("3").text.starts_with("CPU 3 went offline during the run"));
        assert!(offline("3-4").text.starts_with("CPUs 3-4 went offline during the run"));
        let remedy = offline("3-4").remedy.unwrap();
        assert!(remedy.starts_with("echo 1 > /sys/devices/system/cpu/cpu3/online, or"), "{remedy}");
    }

    #[test]
    fn notes_become_sentences() {
        let why = "a worker process was killed".to_owned();
        let note = why.clone();
        let failed = text(&SampleWarning::PageSizeUnmeasured { why }, "latency").text;
        assert_eq!(
            failed,
            "The latency of base pages could not be measured: a worker process was killed."
        );
        let lost = SampleWarning::ProcessLost { note: note.clone() };
        assert_eq!(text(&lost, "latency").text, "A worker process was killed.");
        assert_eq!(text(&lost, "caches").text, "caches: A worker process was killed.");
        let placed = text(&SampleWarning::Placement { note }, "caches");
        assert_eq!(placed.text, "A worker process was killed.");
    }
}
