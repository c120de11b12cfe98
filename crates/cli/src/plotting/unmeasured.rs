//! A machine to be drawn without a survey.

use std::path::PathBuf;

use nearfar_diagnose::{Witnesses, usual_devices};
use nearfar_machine::{Environment, Topology};
use nearfar_survey::Survey;

use crate::sent;

/// What kernel and firmware report of this machine, or of a captured one.
pub(crate) fn machine(roots: &[PathBuf]) -> anyhow::Result<Survey> {
    let source = sent::source(roots)?;
    let topology = Topology::read(&source)?;
    let witnesses = Witnesses::read(&source);
    let devices = usual_devices(&witnesses, &source);
    Ok(Survey::unmeasured(&topology, &Environment::read(&source), &witnesses, devices))
}
