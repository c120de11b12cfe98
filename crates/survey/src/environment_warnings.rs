//! Warnings that the machine's settings and counters give: what made, or may make, memory look
//! other than it is.

use nearfar_machine::{Activity, Environment};

use crate::{EnvironmentWarning, Survey, Warning, WarningKind};

/// All of them, the gravest first.
pub(crate) fn all(environment: &Environment, activity: &Activity, survey: &Survey) -> Vec<Warning> {
    let hypervisor = survey.machine.hypervisor.clone();
    let thp_never = environment.paging.thp_enabled.clone().filter(|setting| setting == "never");
    let found = [
        environment.load.cpu_quota.map(|cpus| EnvironmentWarning::CpuQuota { cpus }),
        throttled(activity),
        moved(environment, activity),
        stolen(activity, survey),
        busy(environment, survey),
        hypervisor.map(|name| EnvironmentWarning::Hypervisor { name, nodes: survey.machine.nodes }),
        governor(environment),
        thp_never.map(|thp_enabled| EnvironmentWarning::ThpOff { thp_enabled }),
    ];
    let kinds = found.into_iter().flatten().map(WarningKind::Environment);
    kinds.map(Warning::for_all).collect()
}

fn throttled(activity: &Activity) -> Option<EnvironmentWarning> {
    let periods = activity.throttled_periods.filter(|&periods| periods > 0)?;
    Some(EnvironmentWarning::Throttled { periods, throttled_us: activity.throttled_us })
}

fn moved(environment: &Environment, activity: &Activity) -> Option<EnvironmentWarning> {
    let balancing = environment.paging.numa_balancing.is_some_and(|mode| mode > 0);
    let pages = activity.numa_pages_migrated.filter(|&pages| balancing && pages > 0)?;
    Some(EnvironmentWarning::NumaBalancing { pages })
}

/// Stolen time as a share of the run, from which on it is reported.
const STOLEN: f64 = 0.01;
/// The kernel counts steal in hundredths of a second (USER_HZ).
const TICKS_A_SECOND: f64 = 100.0;

fn stolen(activity: &Activity, survey: &Survey) -> Option<EnvironmentWarning> {
    let seconds = activity.steal_ticks? as f64 / TICKS_A_SECOND;
    let share = seconds / (survey.provenance.duration_s * survey.machine.cpus as f64).max(0.01);
    (share >= STOLEN).then_some(EnvironmentWarning::Steal { share })
}

/// The smallest load average for each CPU that disturbs a survey.
const BUSY: f64 = 0.5;

fn busy(environment: &Environment, survey: &Survey) -> Option<EnvironmentWarning> {
    let [average, ..] = environment.load.average?;
    let cpus = survey.machine.cpus;
    (average >= BUSY * cpus as f64).then_some(EnvironmentWarning::Load { average, cpus })
}

fn governor(environment: &Environment) -> Option<EnvironmentWarning> {
    let governors = &environment.frequency.governors;
    let slow = governors
        .iter()
        .any(|governor| ["powersave", "ondemand", "conservative"].contains(&governor.as_str()));
    // With intel_pstate and amd-pstate "powersave" is the default and follows the load.
    let follows =
        environment.frequency.driver.as_ref().is_some_and(|driver| driver.contains("pstate"));
    let governors = governors.to_vec();
    (slow && !follows).then_some(EnvironmentWarning::Governor { governors })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn governors_are_reported_without_a_hardware_driver() {
        let source = nearfar_machine::Source::from_files([("/proc/mounts", "")]);
        let mut environment = Environment::read(&source);
        environment.frequency.governors = ["ondemand".to_owned()].into_iter().collect();
        let governors = vec!["ondemand".to_owned()];
        assert_eq!(governor(&environment), Some(EnvironmentWarning::Governor { governors }));
        environment.frequency.driver = Some("amd-pstate".to_owned());
        assert_eq!(governor(&environment), None);
    }

    #[test]
    fn throttling_is_reported() {
        let during = |periods| {
            let throttled_us = Some(1_230_000);
            Activity { throttled_periods: periods, throttled_us, ..Activity::default() }
        };
        let expected = EnvironmentWarning::Throttled { periods: 12, throttled_us: Some(1_230_000) };
        assert_eq!(throttled(&during(Some(12))), Some(expected));
        assert_eq!(throttled(&during(Some(0))), None);
        assert_eq!(throttled(&during(None)), None);
    }
}
