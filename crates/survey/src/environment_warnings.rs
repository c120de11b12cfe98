//! Warnings that the machine's settings and counters give: what made, or may make, memory look other than it is.

use nearfar_machine::{Activity, Environment};

use crate::{Survey, Warning};

/// All of them, the gravest first.
pub(crate) fn all(environment: &Environment, activity: &Activity, survey: &Survey) -> Vec<Warning> {
    let found = [
        quota(environment),
        throttled(activity),
        moved(environment, activity),
        stolen(activity, survey),
        busy(environment, survey),
        hypervisor(survey),
        governor(environment),
        huge_pages(environment),
    ];
    found.into_iter().flatten().collect()
}

fn quota(environment: &Environment) -> Option<Warning> {
    let cpus = environment.load.cpu_quota?;
    let text = format!("A cgroup limits this process to {cpus:.2} CPUs: it is stopped whenever that is used up.");
    Some(Warning::new("cpu-quota", text, Some("run outside the container, or without its CPU limit")))
}

fn throttled(activity: &Activity) -> Option<Warning> {
    let periods = activity.throttled_periods.filter(|&periods| periods > 0)?;
    let for_how_long =
        activity.throttled_us.map_or_else(String::new, |us| format!(", {:.2} s in all", us as f64 / 1e6));
    let text = format!(
        "The cgroup's limit of CPU time stopped its processes in {periods} periods during the run{for_how_long}: figures may be of stopped CPUs."
    );
    Some(Warning::new(
        "throttled",
        text,
        Some("raise cpu.max (v1: cpu.cfs_quota_us) of this cgroup, or measure outside of it"),
    ))
}

fn moved(environment: &Environment, activity: &Activity) -> Option<Warning> {
    let balancing = environment.paging.numa_balancing.is_some_and(|mode| mode > 0);
    let pages = activity.numa_pages_migrated.filter(|&pages| balancing && pages > 0)?;
    let text = format!("Automatic NUMA balancing moved {pages} pages of this machine's programs during the run.");
    Some(Warning::new("numa-balancing", text, Some("sysctl kernel.numa_balancing=0 while surveying")))
}

/// Stolen time as a share of the run worth telling.
const STOLEN: f64 = 0.01;
/// The kernel counts steal in hundredths of a second (USER_HZ).
const TICKS_A_SECOND: f64 = 100.0;

fn stolen(activity: &Activity, survey: &Survey) -> Option<Warning> {
    let seconds = activity.steal_ticks? as f64 / TICKS_A_SECOND;
    let share = seconds / (survey.provenance.duration_s * survey.machine.cpus as f64).max(0.01);
    let text = format!("The hypervisor ran others for {:.1} % of the CPUs' time during the run.", share * 100.0);
    (share >= STOLEN).then(|| Warning::new("steal", text, Some("a dedicated host, or a quieter hour")))
}

/// A load of this many programs for each CPU is company.
const BUSY: f64 = 0.5;

fn busy(environment: &Environment, survey: &Survey) -> Option<Warning> {
    let [last_minute, ..] = environment.load.average?;
    let text = format!(
        "Other programs were running: the load was {last_minute:.1} on {} CPUs before the run.",
        survey.machine.cpus
    );
    let busy = last_minute >= BUSY * survey.machine.cpus as f64;
    busy.then(|| Warning::new("load", text, Some("stop them, or name quieter CPUs with --cpus")))
}

fn hypervisor(survey: &Survey) -> Option<Warning> {
    let name = survey.machine.hypervisor.as_ref()?;
    let one_node = survey.machine.nodes <= 1;
    let text = match one_node {
        true => format!(
            "This is a {name} guest with one node: the host's nodes may lie beneath it, and its CPUs may move between them."
        ),
        false => format!("This is a {name} guest: its nodes are the host's only if the host pins them."),
    };
    Some(Warning::new("hypervisor", text, None))
}

fn governor(environment: &Environment) -> Option<Warning> {
    let governors = &environment.frequency.governors;
    let slow = governors
        .iter()
        .any(|governor| governor == "powersave" || governor == "ondemand" || governor == "conservative");
    // With intel_pstate and amd-pstate "powersave" is the default and follows the load.
    let follows = environment.frequency.driver.as_ref().is_some_and(|driver| driver.contains("pstate"));
    let text = format!("The frequency governor is {}: clocks follow the load with a delay.", governors.join(", "));
    // A guest's clocks are its host's to set.
    let is_guest = environment.hypervisor.is_some();
    let remedy =
        if is_guest { "set the host's governor to performance" } else { "cpupower frequency-set -g performance" };
    (slow && !follows).then(|| Warning::new("governor", text, Some(remedy)))
}

fn huge_pages(environment: &Environment) -> Option<Warning> {
    let never = environment.paging.thp_enabled.as_deref() == Some("never");
    let text = "Transparent huge pages are off: base pages are measured unless hugetlb pages are reserved.";
    let remedy = "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled";
    never.then(|| Warning::new("thp-off", text, Some(remedy)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guests_clocks_are_set_on_its_host() {
        let mut environment = Environment::read(&nearfar_machine::Source::from_files([("/proc/mounts", "")]));
        environment.frequency.governors = ["ondemand".to_owned()].into_iter().collect();
        assert!(governor(&environment).unwrap().remedy.unwrap().starts_with("cpupower "));
        environment.hypervisor = Some("KVM".to_owned());
        assert_eq!(governor(&environment).unwrap().remedy.unwrap(), "set the host's governor to performance");
    }

    #[test]
    fn throttling_is_told_with_its_remedy() {
        let during =
            |periods| Activity { throttled_periods: periods, throttled_us: Some(1_230_000), ..Activity::default() };
        let warning = throttled(&during(Some(12))).unwrap();
        assert_eq!(warning.code, "throttled");
        assert!(warning.text.contains("in 12 periods during the run, 1.23 s in all"), "{}", warning.text);
        assert!(warning.remedy.unwrap().contains("cpu.max"));
        assert_eq!(throttled(&during(Some(0))), None);
        assert_eq!(throttled(&during(None)), None);
    }
}
