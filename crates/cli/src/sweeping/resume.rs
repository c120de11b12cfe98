//! Resumes an interrupted sweep.

use std::path::Path;

use nearfar_machine::{Source, Topology};
use nearfar_sweep::{LimitOptions, SweepMachine, SystemSetting};
use nearfar_view::terminal::exit::WrongUsage;
use nearfar_view::terminal::output;

use super::{Ended, consent, cpuset_setup, here, interrupts, listen, run_sweep, switches};

/// Resumes the sweep in the file; options replace its limits.
pub(crate) fn resume_sweep(
    file: &Path,
    asked: &LimitOptions,
    may_switch: bool,
    yes: bool,
) -> anyhow::Result<Ended> {
    let interrupt = listen()?;
    let mut document = consent::read(file)?;
    if let Some(switch) = document.axes.system.keys().next().filter(|_| !may_switch) {
        let name = switch.name();
        return Err(WrongUsage(format!(
            "{} switches {name}: add --allow-system-changes",
            file.display()
        ))
        .into());
    }
    let source = Source::live();
    switches::check_permission(document.axes.system.keys().copied(), &source)?;
    let axis = interrupts::axis_again(&document, &source)?;
    interrupts::check_permission(axis.as_ref())?;
    let is_smt_switched = document.axes.system.contains_key(&SystemSetting::Smt);
    cpuset_setup::settle(!document.axes.system.is_empty())?;
    let now = here(&Topology::read(&source)?);
    if let Some(difference) = difference(&document.machine, &now, is_smt_switched) {
        let why = format!(
            "{} ran on another machine: {difference}; run a new sweep, and compare the two",
            file.display()
        );
        return Err(WrongUsage(why).into());
    }
    consent::ask(file, &document, yes)?;
    let metric = document.objective.metric.as_ref().map(|text| text.parse()).transpose()?;
    document.limits = document.limits.with(asked);
    let before = document.runs();
    let problem = run_sweep(&mut document, metric.as_ref(), file, axis, &interrupt)?;
    if document.runs() == before {
        output::aside("nearfar: nothing left to run: --runs or --precision ask for more");
    }
    Ok(Ended { document, problem })
}

/// What sets two machines apart, in words. Where the sweep itself switches hardware threads, CPUs
/// come and go.
fn difference(then: &SweepMachine, now: &SweepMachine, is_smt_switched: bool) -> Option<String> {
    let unknown = || "unknown".to_owned();
    let named = |text: &Option<String>| text.clone().unwrap_or_else(unknown);
    let smt = |machine: &SweepMachine| machine.smt.map_or_else(unknown, |smt| smt.to_string());
    let fixed = [
        ("processor", named(&then.model), named(&now.model)),
        ("kernel", named(&then.kernel), named(&now.kernel)),
        ("nodes", then.nodes.clone(), now.nodes.clone()),
    ];
    let switched = [
        ("CPUs", then.cpus.clone(), now.cpus.clone()),
        ("threads that share a core", smt(then), smt(now)),
    ];
    let switched = switched.into_iter().filter(|_| !is_smt_switched);
    let mut all = fixed.into_iter().chain(switched);
    let (what, then, now) = all.find(|(_, then, now)| then != now)?;
    Some(format!("{what} {then} then, {now} now"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine() -> SweepMachine {
        let words = |text: &str| Some(text.to_owned());
        SweepMachine {
            model: words("A"),
            kernel: words("6.1"),
            cpus: "0-3".into(),
            nodes: "0".into(),
            smt: Some(true),
            load_average: None,
        }
    }

    #[test]
    fn other_machines_are_named_by_their_differences() {
        assert_eq!(difference(&machine(), &machine(), false), None);
        let other = SweepMachine { kernel: None, ..machine() };
        assert_eq!(difference(&machine(), &other, true).unwrap(), "kernel 6.1 then, unknown now");
        let fewer = SweepMachine { cpus: "0,2".into(), smt: Some(false), ..machine() };
        assert_eq!(difference(&machine(), &fewer, false).unwrap(), "CPUs 0-3 then, 0,2 now");
        assert_eq!(difference(&machine(), &fewer, true), None);
    }
}
