//! What makes a facility available.

use crate::doctor::FacilityRemedy;

/// Where the remedy applies.
pub(super) fn label(remedy: &FacilityRemedy) -> &'static str {
    match remedy {
        FacilityRemedy::Docker { .. } => "Docker",
        FacilityRemedy::Kubernetes { .. } => "Kubernetes",
        FacilityRemedy::RunAsRoot { .. }
        | FacilityRemedy::Command { .. }
        | FacilityRemedy::Configure { .. }
        | FacilityRemedy::Kernel { .. } => "Allow",
    }
}

pub(super) fn sentence(remedy: &FacilityRemedy) -> String {
    match remedy {
        FacilityRemedy::RunAsRoot { capability: Some(name) } => {
            format!("run as root, or with {name}")
        }
        FacilityRemedy::RunAsRoot { capability: None } => "run as root".to_owned(),
        FacilityRemedy::Command { command, needs_root: true } => format!("{command} (as root)"),
        FacilityRemedy::Command { command, needs_root: false } => command.clone(),
        FacilityRemedy::Configure { what, setting } => format!("{what}: {setting}"),
        FacilityRemedy::Docker { options } => options.clone(),
        FacilityRemedy::Kubernetes { fields } => fields.clone(),
        FacilityRemedy::Kernel { since } => format!("Linux {since} or newer"),
    }
}
