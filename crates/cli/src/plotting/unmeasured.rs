//! A machine to be drawn without a survey.

use std::path::Path;

use nearfar_diagnose::{Witnesses, usual_devices};
use nearfar_machine::{Environment, Source, Topology};
use nearfar_survey::Survey;

use crate::input;

/// What kernel and firmware report of this machine, or of a captured one.
pub(crate) fn machine(root: Option<&Path>) -> anyhow::Result<Survey> {
    let source = match root {
        Some(root) => input::read(root, Source::open)?,
        None => Source::live(),
    };
    let topology = Topology::read(&source)?;
    let witnesses = Witnesses::read(&source);
    let devices = usual_devices(&witnesses, &source);
    Ok(Survey::unmeasured(&topology, &Environment::read(&source), &witnesses, devices))
}
