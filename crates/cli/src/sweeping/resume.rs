//! Resumes an interrupted sweep.

use std::path::Path;

use nearfar_machine::{Source, Topology};
use nearfar_sweep::{LimitOptions, SystemSetting};
use nearfar_view::terminal::exit::WrongUsage;
use nearfar_view::terminal::output;

use super::{Ended, consent, here, interrupts, listen, run_sweep, settling, switches};

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
    settling::settle(!document.axes.system.is_empty())?;
    let now = here(&Topology::read(&source)?);
    if let Some(difference) = document.machine.difference(&now, is_smt_switched) {
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
