//! Instruments that were to measure and did not: warnings, each with what to do.

use crate::{LeftOut, Provenance, Warning};

/// Why an instrument is left out that Ctrl-C came before.
const INTERRUPTED: &str = "interrupted";

/// One warning for all that a budget left no time for, one for all that Ctrl-C came before, and one for each that failed.
pub(crate) fn warnings(provenance: &Provenance) -> Vec<Warning> {
    let failed = provenance.left_out.iter().filter_map(failed);
    out_of_time(provenance).into_iter().chain(interrupted(provenance)).chain(failed).collect()
}

fn interrupted(provenance: &Provenance) -> Option<Warning> {
    let late = provenance.left_out.iter().filter(|one| one.why.as_deref() == Some(INTERRUPTED));
    let names: Vec<&str> = late.map(|one| one.instrument.as_str()).collect();
    let text = format!("It was interrupted before {} had measured.", names.join(", "));
    (!names.is_empty()).then(|| Warning::new("interrupted", text, Some("measure again")))
}

fn out_of_time(provenance: &Provenance) -> Option<Warning> {
    let late = || provenance.left_out.iter().filter_map(|one| Some((one.instrument.as_str(), one.needs_s?)));
    let named: Vec<String> = late().map(|(name, needs_s)| format!("{name} (about {needs_s:.0} s)")).collect();
    let budget_s = provenance.budget_s.filter(|_| !named.is_empty())?;
    let wanted = budget_s + late().map(|(_, needs_s)| needs_s).sum::<f64>();
    let text = format!("The budget of {budget_s:.0} s left no time for {}.", named.join(", "));
    Some(Warning::new("instrument-left-out", text, Some(&format!("--budget {wanted:.0}s, or more, has all of them"))))
}

fn failed(one: &LeftOut) -> Option<Warning> {
    let name = &one.instrument;
    let why = one.why.as_ref().filter(|why| *why != INTERRUPTED)?;
    let text = format!("{name} did not measure, or not to its end: {why}.");
    let remedy = format!("nearfar {name} measures it alone, once that is mended");
    Some(Warning::new("instrument-failed", text, Some(&remedy)).of(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left_out(instrument: &str, needs_s: Option<f64>, why: Option<&str>) -> LeftOut {
        LeftOut { instrument: instrument.to_owned(), needs_s, why: why.map(str::to_owned) }
    }

    #[test]
    fn what_had_no_time_is_told_with_the_time_that_it_needs() {
        let mut provenance = crate::sketch::survey().provenance;
        assert!(warnings(&provenance).is_empty());
        provenance.budget_s = Some(40.0);
        provenance.left_out = vec![left_out("caches", Some(25.0), None), left_out("interleave", Some(11.0), None)];
        let told = warnings(&provenance);
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].text, "The budget of 40 s left no time for caches (about 25 s), interleave (about 11 s).");
        assert_eq!(told[0].remedy.as_deref(), Some("--budget 76s, or more, has all of them"));
    }

    #[test]
    fn what_ctrl_c_came_before_is_named_once() {
        let mut provenance = crate::sketch::survey().provenance;
        let interrupted = |name| left_out(name, None, Some(INTERRUPTED));
        provenance.left_out = vec![interrupted("caches"), interrupted("interleave")];
        let warnings = warnings(&provenance);
        assert_eq!((warnings.len(), warnings[0].code.as_str()), (1, "interrupted"));
        assert_eq!(warnings[0].text, "It was interrupted before caches, interleave had measured.");
    }

    #[test]
    fn each_that_failed_says_why() {
        let mut provenance = crate::sketch::survey().provenance;
        provenance.left_out = vec![left_out("loaded", None, Some("it needs two CPUs"))];
        let told = warnings(&provenance);
        assert_eq!((told.len(), told[0].code.as_str()), (1, "instrument-failed"));
        assert_eq!(told[0].text, "loaded did not measure, or not to its end: it needs two CPUs.");
    }
}
