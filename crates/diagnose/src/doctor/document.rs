//! The document `nearfar.doctor/1`.

use nearfar_machine::ProcessRights;
use serde::{Deserialize, Serialize};

use crate::doctor::check_state::CheckState;
use crate::doctor::facility::Facility;
use crate::doctor::facility_remedy::FacilityRemedy;
use crate::doctor::obstruction::Obstruction;
use crate::doctor::remedies;

/// The document's name. Parts may be added, never changed, within a number.
pub const SCHEMA: &str = "nearfar.doctor/1";

/// What this machine allows to this process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct DoctorDocument {
    /// `nearfar.doctor/1`.
    pub schema: String,
    /// The rights of this process.
    pub process: ProcessRights,
    /// Each facility.
    pub checks: Vec<FacilityCheck>,
}

/// A facility, and whether it is available.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FacilityCheck {
    /// The facility.
    pub facility: Facility,
    /// Whether it is available.
    pub state: CheckState,
    /// Why it is not; null if it is.
    pub reason: Option<Obstruction>,
    /// Commands, and functions of the library, that do not work for this reason.
    pub disables: Vec<String>,
    /// Commands that work with less for this reason.
    pub limits: Vec<String>,
    /// What makes it available, the easiest first.
    pub remedies: Vec<FacilityRemedy>,
}

impl DoctorDocument {
    /// What attempts found: a reason for each facility that is not available.
    pub fn new(
        process: ProcessRights,
        attempts: impl IntoIterator<Item = (Facility, Option<Obstruction>)>,
    ) -> Self {
        let check = |(facility, reason): (Facility, Option<Obstruction>)| match reason {
            None => FacilityCheck::allowed(facility),
            Some(reason) => FacilityCheck::obstructed(facility, reason, &process),
        };
        let checks = attempts.into_iter().map(check).collect();
        Self { schema: SCHEMA.to_owned(), process, checks }
    }
}

impl FacilityCheck {
    fn allowed(facility: Facility) -> Self {
        Self {
            facility,
            state: CheckState::Allowed,
            reason: None,
            disables: Vec::new(),
            limits: Vec::new(),
            remedies: Vec::new(),
        }
    }

    fn obstructed(facility: Facility, reason: Obstruction, process: &ProcessRights) -> Self {
        let owned = |all: &[&str]| -> Vec<String> { all.iter().map(ToString::to_string).collect() };
        let state = reason.state();
        let (disables, limits) = match &reason {
            Obstruction::Policies { missing } => {
                (missing.iter().map(|one| one.used_by.clone()).collect(), Vec::new())
            }
            // Other facilities that work in part disable nothing.
            _ if state == CheckState::Limited => {
                (Vec::new(), owned(&[facility.disables(), facility.limits()].concat()))
            }
            _ => (owned(facility.disables()), owned(facility.limits())),
        };
        Self {
            facility,
            state,
            disables,
            limits,
            remedies: remedies::remedies(facility, &reason, process),
            reason: Some(reason),
        }
    }
}
