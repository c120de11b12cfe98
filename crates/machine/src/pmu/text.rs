//! Sentences about the PMU: why events cannot be counted, and what to do about it.

use crate::pmu::PmuRefusal;

/// The reason, as a clause with its remedy.
pub fn refusal(refusal: &PmuRefusal) -> String {
    match refusal {
        PmuRefusal::UnknownCpu { vendor, family, model } => {
            format!("no events of this CPU are known ({vendor} family {family} model {model})")
        }
        PmuRefusal::UnknownArchitecture => "no events of this architecture are known".to_owned(),
        PmuRefusal::NoPmu { guest: true } => {
            "this guest has no PMU; its hypervisor can provide one (QEMU: -cpu host,pmu=on)".into()
        }
        PmuRefusal::NoPmu { guest: false } => {
            "the kernel has no PMU of this CPU; 'dmesg | grep -i perf' shows why".to_owned()
        }
        PmuRefusal::Paranoid { level, needed } => {
            format!("kernel.perf_event_paranoid is {level}; {needed} or CAP_PERFMON allows it")
        }
        PmuRefusal::Sandbox => {
            "a sandbox denies perf_event_open; its seccomp profile must allow it".to_owned()
        }
        PmuRefusal::NotSupported => {
            "the kernel or the hypervisor does not support these events; newer ones may".to_owned()
        }
        PmuRefusal::TooManyFiles => "too many files are open; raise 'ulimit -n'".to_owned(),
        PmuRefusal::CountersBusy { nmi_watchdog: true } => {
            "no counter is free; 'sysctl kernel.nmi_watchdog=0' frees one".to_owned()
        }
        PmuRefusal::CountersBusy { nmi_watchdog: false } => {
            "no counter is free; end other programs that count events, such as perf".to_owned()
        }
        PmuRefusal::Failed { error } => format!("perf_event_open failed: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The codes of all refusals, and their figures.
    const ALL: &str = r#"[
        {"code": "unknown-cpu", "vendor": "GenuineIntel", "family": 6, "model": 158},
        {"code": "unknown-architecture"},
        {"code": "no-pmu", "guest": true},
        {"code": "no-pmu", "guest": false},
        {"code": "paranoid", "level": 4, "needed": 2},
        {"code": "sandbox"},
        {"code": "not-supported"},
        {"code": "too-many-files"},
        {"code": "counters-busy", "nmi_watchdog": true},
        {"code": "counters-busy", "nmi_watchdog": false},
        {"code": "failed", "error": "Input/output error"}
    ]"#;

    #[test]
    fn each_refusal_is_one_short_sentence() {
        let all: Vec<PmuRefusal> = serde_json::from_str(ALL).unwrap();
        let texts: Vec<String> = all.iter().map(refusal).collect();
        for (index, text) in texts.iter().enumerate() {
            assert!(text.split_whitespace().count() <= 20, "{text}");
            assert!(!text.contains(". ") && !texts[..index].contains(text), "{text}");
        }
        assert_eq!(texts[4], "kernel.perf_event_paranoid is 4; 2 or CAP_PERFMON allows it");
        assert!(texts[0].ends_with("(GenuineIntel family 6 model 158)"), "{}", texts[0]);
    }
}
