//! Warnings of instruments that were to measure and did not.

use nearfar_survey::{NeedsTime, SkippedWarning};

use super::Told;

pub(super) fn told(warning: &SkippedWarning, instrument: &str) -> Told {
    match warning {
        SkippedWarning::InstrumentLeftOut { budget_s, instruments } => {
            out_of_time(*budget_s, instruments)
        }
        SkippedWarning::Interrupted { instruments } => Told::new(
            format!("It was interrupted before {} had measured.", instruments.join(", ")),
            "measure again",
        ),
        SkippedWarning::InstrumentFailed { why } => Told::new(
            format!("{instrument} did not measure, or not to its end: {why}."),
            format!("nearfar {instrument} measures it alone, once that is mended"),
        ),
    }
}

fn out_of_time(budget_s: f64, instruments: &[NeedsTime]) -> Told {
    let name = |late: &NeedsTime| format!("{} (about {:.0} s)", late.instrument, late.needs_s);
    let named: Vec<String> = instruments.iter().map(name).collect();
    let wanted = budget_s + instruments.iter().map(|late| late.needs_s).sum::<f64>();
    Told::new(
        format!("The budget of {budget_s:.0} s left no time for {}.", named.join(", ")),
        format!("--budget {wanted:.0}s, or more, has all of them"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipped_instruments_name_the_time_they_need() {
        let late =
            |instrument: &str, needs_s| NeedsTime { instrument: instrument.to_owned(), needs_s };
        let told = out_of_time(40.0, &[late("caches", 25.0), late("interleave", 11.0)]);
        let text =
            "The budget of 40 s left no time for caches (about 25 s), interleave (about 11 s).";
        assert_eq!(told.text, text);
        assert_eq!(told.remedy.as_deref(), Some("--budget 76s, or more, has all of them"));
    }

    #[test]
    fn what_ctrl_c_came_before_is_named_and_what_failed_says_why() {
        let instruments = vec!["caches".to_owned(), "interleave".to_owned()];
        let interrupted = told(&SkippedWarning::Interrupted { instruments }, "").text;
        assert_eq!(interrupted, "It was interrupted before caches, interleave had measured.");
        let why = "it needs two CPUs".to_owned();
        let failed = told(&SkippedWarning::InstrumentFailed { why }, "loaded").text;
        assert_eq!(failed, "loaded did not measure, or not to its end: it needs two CPUs.");
    }
}
