//! What makes a facility available.

use nearfar_doctor::Remedy;

/// Where the remedy applies.
pub(super) fn label(remedy: &Remedy) -> &'static str {
    match remedy {
        Remedy::Docker { .. } => "Docker",
        Remedy::Kubernetes { .. } => "Kubernetes",
        Remedy::RunAsRoot { .. }
        | Remedy::Command { .. }
        | Remedy::Configure { .. }
        | Remedy::Kernel { .. } => "Allow",
    }
}

/// What to do.
pub(super) fn sentence(remedy: &Remedy) -> String {
    match remedy {
        Remedy::RunAsRoot { capability: Some(name) } => format!("run as root, or with {name}"),
        Remedy::RunAsRoot { capability: None } => "run as root".to_owned(),
        Remedy::Command { command, needs_root: true } => format!("{command} (as root)"),
        Remedy::Command { command, needs_root: false } => command.clone(),
        Remedy::Configure { what, setting } => format!("{what}: {setting}"),
        Remedy::Docker { options } => options.clone(),
        Remedy::Kubernetes { fields } => fields.clone(),
        Remedy::Kernel { since } => format!("Linux {since} or newer"),
    }
}
