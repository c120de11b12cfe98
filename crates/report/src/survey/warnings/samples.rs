//! Warnings that samples give.

use nearfar_model::{CpuSet, Instrument};
use nearfar_survey::{Attempts, Machine, SampleWarning};

use super::Told;
use crate::paragraph::sentence;

pub(super) fn told(warning: &SampleWarning, instrument: &str, machine: &Machine) -> Told {
    match warning {
        SampleWarning::ControlsDiffer { differing, pairs, largest } => Told::new(
            format!(
                "The same memory measured twice differs in {differing} of {pairs} controls (by up \
                 to {:.1} %): differences of that size between columns are not NUMA.",
                largest * 100.0
            ),
            "repeat the survey; --thorough samples more pages over a longer time",
        ),
        SampleWarning::Bursts { above, samples, times } => Told::new(
            format!(
                "{above} of {samples} samples cost more than {times} times their cell's median: \
                 they were disturbed in bursts. Medians hold against that."
            ),
            "look for what takes memory or clocks from time to time, here or elsewhere on the host",
        ),
        SampleWarning::ProcessLost { note } => Told::without_remedy(match instrument {
            _ if instrument == Instrument::Latency.name() => sentence(note),
            other => format!("{other}: {}", sentence(note)),
        }),
        SampleWarning::Placement { note } => Told::without_remedy(sentence(note)),
        SampleWarning::CpuOffline { cpus } => offline(cpus),
        SampleWarning::PageSizeUnmeasured { why } => Told::new(
            format!("What base pages cost could not be measured: {why}."),
            "free some memory, or raise the memory limit",
        ),
        SampleWarning::Dropped { code, dropped, attempts, counted } => {
            let (what, remedy) = reason(code, machine.hypervisor.is_some());
            let of = match counted {
                Attempts::Samples => "samples of latency (dropped)".to_owned(),
                Attempts::Slices => "slices of samples (each was measured again)".to_owned(),
                Attempts::Attempts => format!("attempts of {instrument}"),
            };
            Told::new(format!("{what} in {dropped} of {attempts} {of}."), remedy)
        }
    }
}

fn offline(cpus: &CpuSet) -> Told {
    let plural = if cpus.len() == 1 { "" } else { "s" };
    let text =
        format!("CPU{plural} {cpus} went offline during the run, or left this process's cpuset.");
    let first = cpus.first().map_or_else(String::new, |first| first.to_string());
    let online = format!("echo 1 > /sys/devices/system/cpu/cpu{first}/online");
    Told::new(text, format!("{online}, or widen the cpuset; then measure again"))
}

/// What a reason to drop samples says, and what to do about it.
fn reason(code: &str, is_guest: bool) -> (&'static str, &'static str) {
    match code.strip_prefix("dropped-").unwrap_or(code) {
        "stalled" if is_guest => ("The hypervisor moved or stopped the CPUs", "a dedicated host"),
        "stalled" => {
            ("Firmware or the kernel stopped the CPUs", "look for SMIs and real-time programs")
        }
        "descheduled" => {
            ("Other programs took the CPU", "stop them, or name quieter CPUs with --cpus")
        }
        "moved-cpu" => (
            "The thread ran on another CPU than it was pinned to",
            "look for CPUs that go offline, cpusets that change, and daemons that rebind processes",
        ),
        "page-moved" => {
            ("Pages moved to another node", "sysctl kernel.numa_balancing=0 while surveying")
        }
        // A guest's clocks are its host's to set.
        "unsettled" if is_guest => ("The CPU's frequency did not settle", "a dedicated host"),
        "unsettled" => {
            ("The CPU's frequency did not settle", "cpupower frequency-set -g performance")
        }
        "throttled" => (
            "The cgroup had used up its share of CPU time",
            "raise cpu.max of this cgroup, or measure outside of it",
        ),
        "time-shared" => (
            "Two CPUs that should have run together ran in turns",
            "a host whose hypervisor gives each CPU a core",
        ),
        "no-thread" => (
            "A second thread could not be started",
            "raise pids.max of this cgroup, or 'ulimit -u'",
        ),
        _ => ("Samples were disturbed", "repeat the survey"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::survey;
    use super::*;

    fn told(warning: &SampleWarning, instrument: &str) -> Told {
        super::told(warning, instrument, &survey().machine)
    }

    #[test]
    fn what_was_dropped_is_told_by_reason_with_what_is_counted() {
        let dropped = |code: &str, counted| {
            let code = code.to_owned();
            SampleWarning::Dropped { code, dropped: 3, attempts: 103, counted }
        };
        for (code, counted, text) in [
            (
                "dropped-descheduled",
                Attempts::Attempts,
                "Other programs took the CPU in 3 of 103 attempts of bandwidth.",
            ),
            (
                "dropped-throttled",
                Attempts::Slices,
                "The cgroup had used up its share of CPU time in 3 of 103 slices of samples (each \
                 was measured again).",
            ),
            (
                "dropped-for-what-is-not-known",
                Attempts::Samples,
                "Samples were disturbed in 3 of 103 samples of latency (dropped).",
            ),
        ] {
            assert_eq!(told(&dropped(code, counted), "bandwidth").text, text);
        }
    }

    #[test]
    fn a_guest_is_not_told_to_set_clocks_that_are_its_hosts() {
        assert!(reason("dropped-unsettled", false).1.starts_with("cpupower"));
        assert_eq!(reason("dropped-unsettled", true).1, "a dedicated host");
    }

    #[test]
    fn samples_far_above_the_median_are_bursts() {
        let bursts = told(&SampleWarning::Bursts { above: 4, samples: 4, times: 1.25 }, "latency");
        assert!(bursts.text.starts_with("4 of 4 samples cost more than 1.25 times"), "{bursts:?}");
    }

    #[test]
    fn cpus_that_went_offline_are_named() {
        let offline = |cpus| offline(&CpuSet::parse_list(cpus).unwrap());
        assert!(offline("3").text.starts_with("CPU 3 went offline during the run"));
        assert!(offline("3-4").text.starts_with("CPUs 3-4 went offline during the run"));
        let remedy = offline("3-4").remedy.unwrap();
        assert!(remedy.starts_with("echo 1 > /sys/devices/system/cpu/cpu3/online, or"), "{remedy}");
    }

    #[test]
    fn what_was_said_becomes_a_sentence() {
        let why = "a worker process was killed".to_owned();
        let note = why.clone();
        let failed = told(&SampleWarning::PageSizeUnmeasured { why }, "latency").text;
        assert_eq!(
            failed,
            "What base pages cost could not be measured: a worker process was killed."
        );
        let lost = SampleWarning::ProcessLost { note: note.clone() };
        assert_eq!(told(&lost, "latency").text, "A worker process was killed.");
        assert_eq!(told(&lost, "caches").text, "caches: A worker process was killed.");
        let placed = told(&SampleWarning::Placement { note }, "caches");
        assert_eq!(placed.text, "A worker process was killed.");
    }
}
