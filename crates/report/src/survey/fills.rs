//! What the PMU counted beside latency: one sentence, or the reason why it could not count.

use nearfar_machine::pmu::text::refusal;
use nearfar_survey::{FillEvidence, Survey};
use nearfar_view::text::paragraph;
use nearfar_view::text::percent::share;

use super::Verbosity;

/// Below this part of the time, counts are estimates.
const WHOLE: f64 = 0.99;

/// Under the facts of the measurement. What is no evidence is shown on request only.
pub(super) fn text(survey: &Survey, verbosity: Verbosity) -> String {
    fills(survey, verbosity).map_or_else(String::new, |text| paragraph::of(&text, "  PMU: ", "  "))
}

/// What was counted, or why it is no evidence.
pub(crate) fn fills(survey: &Survey, verbosity: Verbosity) -> Option<String> {
    let evidence = survey.fills.as_ref()?;
    let why_not = || match &evidence.refusal {
        Some(reason) => format!("Not counted: {}.", refusal(reason)),
        None => "Fills are too few to compare with loads.".to_owned(),
    };
    sentence(evidence).or_else(|| (verbosity == Verbosity::Verbose).then(why_not))
}

/// "99.0 % of loads in remote cells were remote, 0.0 % in local cells, by ls_any_fills_from_sys."
fn sentence(evidence: &FillEvidence) -> Option<String> {
    let (check, events) = (evidence.check(), evidence.events.as_ref()?);
    let counted = evidence.least_counted_share().filter(|counted| *counted < WHOLE);
    let counted = counted.map(|counted| {
        format!(
            " Other programs used the counters: only {} of the time was counted.",
            share(counted)
        )
    });
    let shares = match (check.of_remote, check.of_local) {
        (Some(far), Some(near)) => format!(
            "{} of loads in remote cells were remote, {} in local cells",
            share(far),
            share(near)
        ),
        (Some(far), None) => format!("{} of loads in remote cells were remote", share(far)),
        (None, Some(near)) => format!("{} of loads in local cells were remote", share(near)),
        (None, None) => return None,
    };
    Some(format!("{shares}, by {events}.{}", counted.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use nearfar_machine::pmu::PmuRefusal;
    use nearfar_survey::{CellFills, MemoryKind};

    use super::*;

    fn cell(expected: MemoryKind, local: u64, remote: u64) -> CellFills {
        CellFills {
            row: 0,
            column: 0,
            expected: Some(expected),
            loads: 10_000,
            local,
            remote,
            remote_share: None,
            counted_share: 1.0,
        }
    }

    fn shown(cells: Vec<CellFills>, refusal: Option<PmuRefusal>, verbosity: Verbosity) -> String {
        let events = refusal.is_none().then(|| "fills.{near,far}".to_owned());
        let fills = Some(FillEvidence { events, refusal, cells });
        text(&Survey { fills, ..Survey::default() }, verbosity)
    }

    #[test]
    fn shares_are_one_sentence() {
        let far = || cell(MemoryKind::Remote, 100, 9_900);
        let near = || cell(MemoryKind::Local, 10_000, 0);
        assert_eq!(
            shown(vec![near(), far()], None, Verbosity::Brief),
            "  PMU: 99.0 % of loads in remote cells were remote, 0.0 % in local cells, by \
             fills.{near,far}.\n"
        );
        let half = CellFills { counted_share: 0.5, ..near() };
        let shared = shown(vec![half], None, Verbosity::Brief).replace("\n ", "");
        assert!(shared.contains("only 50.0 % of the time was counted"), "{shared}");
    }

    #[test]
    fn what_is_no_evidence_is_silent_by_default() {
        let cached = || vec![cell(MemoryKind::Local, 10, 0)];
        let level = || Some(PmuRefusal::Paranoid { level: 4, needed: 2 });
        for (cells, refusal, expected) in [
            (cached(), None, "  PMU: Fills are too few to compare with loads.\n"),
            (
                vec![],
                level(),
                "  PMU: Not counted: kernel.perf_event_paranoid is 4; 2 or CAP_PERFMON allows \
                 it.\n",
            ),
        ] {
            assert_eq!(shown(cells.clone(), refusal.clone(), Verbosity::Brief), "");
            assert_eq!(shown(cells, refusal, Verbosity::Verbose), expected);
        }
        assert_eq!(text(&Survey::default(), Verbosity::Verbose), "");
    }
}
