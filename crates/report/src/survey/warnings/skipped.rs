//! Warnings of instruments that did not measure.

use nearfar_survey::{NeedsTime, SkippedWarning};

use super::WarningText;

pub(super) fn text(warning: &SkippedWarning, instrument: &str) -> WarningText {
    match warning {
        SkippedWarning::InstrumentLeftOut { budget_s, instruments } => {
            out_of_time(*budget_s, instruments)
        }
        SkippedWarning::Interrupted { instruments } => WarningText::with_remedy(
            format!("The survey was interrupted before {}.", instruments.join(", ")),
            "measure again",
        ),
        SkippedWarning::InstrumentFailed { why } => WarningText::with_remedy(
            format!("{instrument} did not finish: {why}."),
            format!("remove the cause; then 'nearfar {instrument}' measures it alone"),
        ),
    }
}

fn out_of_time(budget_s: f64, instruments: &[NeedsTime]) -> WarningText {
    let name = |late: &NeedsTime| format!("{} (about {:.0} s)", late.instrument, late.needs_s);
    let named: Vec<String> = instruments.iter().map(name).collect();
    let wanted = budget_s + instruments.iter().map(|late| late.needs_s).sum::<f64>();
    WarningText::with_remedy(
        format!("The budget of {budget_s:.0} s left no time for {}.", named.join(", ")),
        format!("--budget {wanted:.0}s or more"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipped_instruments_are_listed_with_their_time() {
        let late =
            |instrument: &str, needs_s| NeedsTime { instrument: instrument.to_owned(), needs_s };
        let warning = out_of_time(40.0, &[late("caches", 25.0), late("interleave", 11.0)]);
        let text =
            "The budget of 40 s left no time for caches (about 25 s), interleave (about 11 s).";
        assert_eq!(warning.text, text);
        assert_eq!(warning.remedy.as_deref(), Some("--budget 76s or more"));
    }

    #[test]
    fn interrupted_and_failed_instruments_are_named() {
        let instruments = vec!["caches".to_owned(), "interleave".to_owned()];
        let interrupted = text(&SkippedWarning::Interrupted { instruments }, "").text;
        assert_eq!(interrupted, "The survey was interrupted before caches, interleave.");
        let why = "it needs two CPUs".to_owned();
        let failed = text(&SkippedWarning::InstrumentFailed { why }, "loaded").text;
        assert_eq!(failed, "loaded did not finish: it needs two CPUs.");
    }
}
