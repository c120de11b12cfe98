//! Commands that make facilities available, each once.

use nearfar_machine::ProcessRights;
use nearfar_view::text::fitted::ToDo;

use crate::doctor::{FacilityCheck, FacilityRemedy};

/// The commands, those for most facilities first within their kind: options of a container, a
/// right, settings.
pub(super) fn commands(missing: &[&FacilityCheck], process: &ProcessRights) -> Vec<ToDo> {
    let mut found: Vec<(ToDo, Vec<&str>)> = Vec::new();
    found.extend(container(missing));
    found.extend(as_root(missing));
    for check in missing {
        for remedy in &check.remedies {
            let Some(to_do) = command(remedy, process) else { continue };
            let name = check.facility.name();
            match found.iter_mut().find(|(known, _)| *known == to_do) {
                Some((_, names)) => names.push(name),
                None => found.push((to_do, vec![name])),
            }
        }
    }
    let named = found.into_iter().map(|(ToDo { command, why, .. }, names)| {
        let names = names.join(", ");
        let why = if why.is_empty() { names } else { format!("{names}: {why}") };
        ToDo::new(command, why)
    });
    named.collect()
}

/// One container with all options.
fn container<'f>(missing: &[&'f FacilityCheck]) -> Option<(ToDo, Vec<&'f str>)> {
    let mut options: Vec<&str> = Vec::new();
    let mut names = Vec::new();
    for check in missing {
        let docker = check.remedies.iter().find_map(|remedy| match remedy {
            // Options that depend on the hardware are in the facility's section.
            FacilityRemedy::Docker { options } if !options.contains('(') => Some(options.as_str()),
            _ => None,
        });
        names.extend(docker.map(|_| check.facility.name()));
        options.extend(docker);
    }
    // All options are in one that gives all rights; the others are in it once.
    let mut distinct: Vec<&str> = Vec::new();
    options.retain(|option| {
        let is_new = !distinct.contains(option);
        distinct.extend(is_new.then_some(*option));
        is_new
    });
    let command = format!("docker run {} IMAGE nearfar doctor", options.join(" "));
    (!options.is_empty()).then(|| (ToDo::new(command, ""), names))
}

/// The same command as root.
fn as_root<'f>(missing: &[&'f FacilityCheck]) -> Option<(ToDo, Vec<&'f str>)> {
    let needs_root = |check: &&&FacilityCheck| {
        let mut remedies = check.remedies.iter();
        remedies.any(|remedy| matches!(remedy, FacilityRemedy::RunAsRoot { .. }))
    };
    let names: Vec<&str> =
        missing.iter().filter(needs_root).map(|check| check.facility.name()).collect();
    (!names.is_empty()).then(|| (ToDo::new("sudo nearfar doctor", ""), names))
}

fn command(remedy: &FacilityRemedy, process: &ProcessRights) -> Option<ToDo> {
    let words = |why: String| Some(ToDo::new("", why));
    match remedy {
        FacilityRemedy::Command { command, needs_root } => {
            let is_root = process.user == Some(0) || !needs_root;
            Some(ToDo::new(if is_root { command.clone() } else { with_sudo(command) }, ""))
        }
        FacilityRemedy::Configure { what, setting } => words(format!("{what}: {setting}")),
        FacilityRemedy::Kernel { since } => words(format!("Linux {since} or newer")),
        FacilityRemedy::RunAsRoot { .. }
        | FacilityRemedy::Docker { .. }
        | FacilityRemedy::Kubernetes { .. } => None,
    }
}

/// sudo has neither redirections nor the shell's own commands.
fn with_sudo(command: &str) -> String {
    match command {
        "ulimit -l unlimited" => "sudo prlimit --pid $$ --memlock=unlimited".to_owned(),
        "ulimit -n unlimited" => "sudo prlimit --pid $$ --nofile=1048576".to_owned(),
        _ if command.contains('>') => format!("sudo sh -c '{command}'"),
        _ => format!("sudo {command}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::{DoctorDocument, Facility, Obstruction};

    fn document(user: u32, container: Option<&str>) -> DoctorDocument {
        let process = ProcessRights {
            user: Some(user),
            container: container.map(str::to_owned),
            ..ProcessRights::default()
        };
        let refused = |call: &str| Some(Obstruction::CallRefused { call: call.to_owned() });
        let path = |path: &str| path.to_owned();
        DoctorDocument::new(
            process,
            [
                (Facility::MemoryPolicy, refused("mbind")),
                (Facility::PageQuery, refused("move_pages")),
                (Facility::PageMigration, refused("migrate_pages")),
                (Facility::CpuAffinity, None),
                (Facility::HugePagePool, Some(Obstruction::EmptyPool)),
                (Facility::KernelLog, Some(Obstruction::Unreadable { path: path("/dev/kmsg") })),
            ],
        )
    }

    #[test]
    fn a_container_has_one_command_with_every_option_once() {
        let document = document(0, Some("docker"));
        let missing: Vec<&FacilityCheck> =
            document.checks.iter().filter(|check| check.reason.is_some()).collect();
        let found = commands(&missing, &document.process);
        let options = "--cap-add SYS_NICE --security-opt seccomp=unconfined";
        let expected = format!("docker run {options}");
        assert!(found[0].command.starts_with(&expected), "{found:?}");
        assert_eq!(found[0].command.matches("seccomp=unconfined").count(), 1, "{found:?}");
        assert!(found[0].why.starts_with("memory policies, location of pages"), "{found:?}");
        assert!(found.iter().any(|one| one.command == "sysctl vm.nr_hugepages=512"), "{found:?}");
    }

    #[test]
    fn a_user_gets_sudo() {
        let document = document(1000, None);
        let missing: Vec<&FacilityCheck> =
            document.checks.iter().filter(|check| check.reason.is_some()).collect();
        let found = commands(&missing, &document.process);
        let has = |command: &str| found.iter().any(|one| one.command == command);
        assert!(has("sudo nearfar doctor") && has("sudo sysctl vm.nr_hugepages=512"), "{found:?}");
        assert_eq!(with_sudo("echo 0 > /sys/x"), "sudo sh -c 'echo 0 > /sys/x'");
    }
}
